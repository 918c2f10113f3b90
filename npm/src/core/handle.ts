/// <reference lib="esnext.disposable" preserve="true" />
import { MAX_WHOLE, checkWhole } from "../bounds.js";
import { PointsmanError } from "../errors.js";
import { abandon, core, generation, glue } from "./start.js";

/** An object of the core: what the glue made, and how to let go of it. */
interface Held {
  free(): void;
}

/**
 * A JavaScript object that stands for one in the core. Disposing of it gives its memory back at
 * once; one that is forgotten is collected.
 */
export abstract class Handle<T extends Held> {
  #held: T | undefined;
  readonly #generation: number;

  protected constructor(make: () => T) {
    this.#held = run(make);
    this.#generation = generation();
  }

  /** Gives the memory back. Every later call throws `DISPOSED`; disposing again does nothing. */
  dispose(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined && this.#generation === generation()) held.free();
  }

  /** The core's object, for one call. */
  protected get held(): T {
    const held = this.#held;
    if (held === undefined) {
      throw new PointsmanError("DISPOSED", `this ${this.constructor.name} was disposed of`);
    }
    if (this.#generation !== generation()) {
      const message = `this ${this.constructor.name} was lost when the core crashed: make a new one`;
      throw new PointsmanError("CORE_CRASHED", message);
    }
    return held;
  }
}

export interface Handle<T extends Held> {
  /** The same as `dispose()`, for `using`. */
  [Symbol.dispose](): void;
}

// Hosts without explicit resource management have no such symbol.
if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(Handle.prototype, Symbol.dispose, {
    value(this: Handle<Held>) {
      this.dispose();
    },
    configurable: true,
    writable: true,
  });
}

/** Calls the core, started if need be; whatever it throws comes out as a `PointsmanError`. */
export function run<T>(call: () => T): T {
  try {
    core();
    return call();
  } catch (error) {
    throw asPointsmanError(error);
  }
}

/** The draw that was given, or a random whole number below 2^53 of the core's. */
export function drawn(draw: number | undefined): number {
  if (draw !== undefined) return checkWhole("draw", draw, 0, MAX_WHOLE);
  const chance = run(() => glue.draw());
  if (chance >= 0) return chance;
  throw new PointsmanError("NO_RANDOMNESS", "this host gives no randomness here: give a draw");
}

/** What a call threw: an error of ours, or a trap of the core, after which it cannot go on. */
export function asPointsmanError(error: unknown): PointsmanError {
  if (error instanceof PointsmanError) return error;
  abandon();
  const message = "the core crashed: objects made before are lost, new ones work";
  return new PointsmanError("CORE_CRASHED", message, { cause: error });
}
