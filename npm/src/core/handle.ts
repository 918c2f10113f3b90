import { MAX_WHOLE, checkWhole } from "../bounds.js";
import { argumentError, PointsmanError } from "../errors.js";
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
    core();
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

/** Calls the core; whatever it throws comes out as a `PointsmanError`. */
export function run<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw asPointsmanError(error);
  }
}

/** The draw that was given, or a random whole number below 2^53 of the core's. */
export function drawn(draw: number | undefined): number {
  if (draw !== undefined) return checkWhole("draw", draw, 0, MAX_WHOLE);
  core();
  return run(() => glue.draw());
}

/** What the core throws: its own error with a code, or a trap, after which it cannot go on. */
export function asPointsmanError(error: unknown): PointsmanError {
  if (error instanceof PointsmanError) return error;
  if (isFault(error)) {
    if (error.code === "NO_RANDOMNESS") return new PointsmanError("NO_RANDOMNESS", error.message);
    return argumentError(camelCase(error.argument), error.value, error.bound);
  }
  abandon();
  const message = "the core crashed: objects made before are lost, new ones work";
  return new PointsmanError("CORE_CRASHED", message, { cause: error });
}

interface Fault {
  readonly code: string;
  readonly message: string;
  readonly argument: string;
  readonly value: string;
  readonly bound: string;
}

function isFault(error: unknown): error is Fault {
  return error instanceof Error && error.name === "PointsmanError" && "code" in error;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
