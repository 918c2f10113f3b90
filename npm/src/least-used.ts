import * as bounds from "./bounds.js";
import { Handle, drawn, run } from "./core/handle.js";
import * as memory from "./core/memory.js";
import { glue } from "./core/start.js";
import { argumentError } from "./errors.js";

/** Where the count of a new or returning upstream starts. */
export type Join = "floor" | "keep" | "zero";

/** How a table of counts begins. */
export interface LeastUsedOptions {
  /** A share for each upstream: whole numbers from 0 to 65,535. Default: all 1. */
  readonly weights?: readonly number[] | undefined;
  /** Where the first round begins: a random whole number below 2^53. Default: drawn here. */
  readonly draw?: number | undefined;
}

/** How an upstream joins. */
export interface JoinOptions {
  /** Its share, 0 to 65,535; one of weight 0 is never picked. Default 1. */
  readonly weight?: number | undefined;
  /**
   * `"floor"` (default): at the least count of the others for its weight, or at its own old count
   * if that is higher. `"keep"`: at its own old count, so that it catches up. `"zero"`: at 0.
   */
  readonly join?: Join | undefined;
}

/** What `LeastUsed.pick` answers. */
export type Picked =
  | { readonly kind: "upstream"; readonly upstream: string }
  | { readonly kind: "all_excluded" }
  | { readonly kind: "empty" };

/**
 * Picks the upstream that has been picked least often for its weight, and counts it. Of equal ones
 * the heavier first, then the next one round from the last pick; a fresh table begins at a random
 * place.
 */
export class LeastUsed extends Handle<glue.LeastUsed> {
  /** @internal A minifier renames the class. */
  static override readonly name = "LeastUsed";

  constructor(upstreams: readonly string[] = [], options: LeastUsedOptions = {}) {
    bounds.checkNames("upstreams", upstreams);
    const { weights, draw } = bounds.checkOptions("options", options);
    if (weights !== undefined) bounds.checkWeights(weights, upstreams.length);
    const chance = drawn(draw);
    super(() => new glue.LeastUsed(chance));
    try {
      upstreams.forEach((upstream, at) => this.add(upstream, { weight: weights?.[at] }));
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** Adds an upstream, or puts one back. One that is there already is an error. */
  add(upstream: string, options: JoinOptions = {}): void {
    const held = this.held;
    const { weight = 1, join = "floor" } = bounds.checkOptions("options", options);
    bounds.checkWhole("weight", weight, 0, bounds.MAX_WEIGHT);
    const where = bounds.checkWord("join", join, ["floor", "keep", "zero"]);
    if (this.count(upstream) !== undefined) {
      throw argumentError("upstream", bounds.shown(upstream), "one that has not joined");
    }
    if (!this.#withName(upstream, (bytes) => held.add(bytes, weight, where))) {
      const max = bounds.MAX_UPSTREAMS;
      throw argumentError("upstreams", `a list of ${max + 1}`, `a list of at most ${max}`);
    }
  }

  /** Takes an upstream out; its count is kept for its return. `false` if it was not there. */
  remove(upstream: string): boolean {
    const held = this.held;
    return this.#withName(upstream, (bytes) => held.remove(bytes));
  }

  /** Picks the least used upstream that is not excluded, and counts the pick. */
  pick(excluded: readonly string[] = []): Picked {
    const held = this.held;
    const names = bounds.checkNames("excluded", excluded);
    const upstream = run(() => {
      memory.open();
      for (const name of names) memory.putFramed(name);
      const picked = held.pick(memory.written(), names.length);
      memory.close();
      return picked;
    });
    if (upstream !== undefined) return { kind: "upstream", upstream };
    return { kind: memory.answer(0) === 1 ? "all_excluded" : "empty" };
  }

  /** The count of an upstream, or `undefined` if it is not there. */
  count(upstream: string): number | undefined {
    const held = this.held;
    const count = this.#withName(upstream, (bytes) => held.count(bytes));
    return count < 0 ? undefined : count;
  }

  /** Counts uses that were not picked here. `false`, and nothing changed, if it is not there. */
  record(upstream: string, times = 1): boolean {
    const held = this.held;
    bounds.checkWhole("times", times, 0, bounds.MAX_WHOLE);
    return this.#withName(upstream, (bytes) => held.record(bytes, times));
  }

  #withName<T>(upstream: string, call: (bytes: number) => T): T {
    bounds.checkName("upstream", upstream);
    return run(() => {
      memory.open();
      memory.put(upstream);
      return call(memory.written());
    });
  }
}
