import * as bounds from "./bounds.js";
import { Handle, drawn, run } from "./core/handle.js";
import * as memory from "./core/memory.js";
import { glue } from "./core/start.js";
import { argumentError } from "./errors.js";

/**
 * One of the upstreams by chance, each call independent of all others; `undefined` for none.
 * `draw`: a random whole number below 2^53, drawn here if it is not given; the index is
 * `draw % upstreams.length`.
 */
export function random(upstreams: readonly string[], draw?: number): string | undefined {
  bounds.checkNames("upstreams", upstreams);
  const chance = drawn(draw);
  return upstreams[run(() => glue.random(upstreams.length, chance))];
}

/** One of the upstreams by chance, as often as its weight says; `undefined` if all weights are 0. */
export function weightedRandom(
  upstreams: readonly string[],
  weights: readonly number[],
  draw?: number,
): string | undefined {
  bounds.checkNames("upstreams", upstreams);
  const shares = bounds.checkWeights(weights, upstreams.length);
  const chance = drawn(draw);
  return run(() => {
    memory.open();
    for (const weight of shares) memory.putNumber(weight);
    const index = glue.weightedRandom(memory.written(), shares.length, chance);
    memory.close();
    return upstreams[index];
  });
}

/** Each upstream in turn, from the first, round and round. */
export class RoundRobin extends Handle<glue.RoundRobin> {
  /** @internal A minifier renames the class. */
  static override readonly name = "RoundRobin";

  constructor() {
    super(() => new glue.RoundRobin());
  }

  /** The one whose turn it is, or `undefined` if there is none. */
  next(upstreams: readonly string[]): string | undefined {
    const held = this.held;
    bounds.checkNames("upstreams", upstreams);
    return upstreams[run(() => held.next(upstreams.length))];
  }
}

/** How a shuffle goes from one pass to the next. */
export interface ShuffleOptions {
  /** The first of a pass is never the last of the pass before, unless it is the only one. */
  readonly noBoundaryRepeat?: boolean | undefined;
}

/** Each upstream once in a random order, then a new pass. The list may change from call to call. */
export class Shuffle extends Handle<glue.Shuffle> {
  /** @internal A minifier renames the class. */
  static override readonly name = "Shuffle";

  constructor(options: ShuffleOptions = {}) {
    const { noBoundaryRepeat = false } = bounds.checkOptions("options", options);
    bounds.checkWord("noBoundaryRepeat", noBoundaryRepeat, [false, true]);
    super(() => new glue.Shuffle(noBoundaryRepeat));
  }

  /** The next one, or `undefined` for an empty list. A name that is listed twice counts once. */
  next(upstreams: readonly string[], draw?: number): string | undefined {
    const held = this.held;
    const names = bounds.checkNames("upstreams", upstreams);
    const chance = drawn(draw);
    return run(() => {
      memory.open();
      for (const name of names) memory.putFramed(name);
      const index = held.next(memory.written(), names.length, chance);
      memory.close();
      return names[index];
    });
  }
}

/** What must not come twice in a row, and what to answer where nothing else is left. */
export interface NoRepeatOptions {
  /** Default `"upstream"`. By exit, an upstream whose exit is not known counts as different. */
  readonly by?: "upstream" | "exit" | undefined;
  /** Default `"fail"`. `"wait"` needs `gapMs`. */
  readonly onlyOne?: "fail" | "reuse" | "wait" | undefined;
  /** With `onlyOne: "wait"`: the least time between two uses, in milliseconds. */
  readonly gapMs?: number | undefined;
}

/** One that may be chosen: its name, or more about it. */
export type Candidate =
  | string
  | {
      readonly upstream: string;
      /** The identity that the outside sees, if it is known. */
      readonly exit?: string | undefined;
      /** Its share, 0 to 65,535. Default 1. */
      readonly weight?: number | undefined;
    };

/** What `NoRepeat.next` answers. */
export type Different =
  | { readonly kind: "upstream"; readonly upstream: string; readonly repeated: boolean }
  | { readonly kind: "no_different" }
  | { readonly kind: "wait"; readonly retryAfterMs: number }
  | { readonly kind: "empty" };

/** An upstream by chance, but never the previous one again. */
export class NoRepeat extends Handle<glue.NoRepeat> {
  /** @internal A minifier renames the class. */
  static override readonly name = "NoRepeat";

  constructor(options: NoRepeatOptions = {}) {
    const { by = "upstream", onlyOne = "fail", gapMs } = bounds.checkOptions("options", options);
    const byExit = bounds.checkWord("by", by, ["upstream", "exit"]) === 1;
    const otherwise = bounds.checkWord("onlyOne", onlyOne, ["fail", "reuse", "wait"]);
    if (onlyOne === "wait" || gapMs !== undefined) bounds.checkMs("gapMs", gapMs);
    super(() => new glue.NoRepeat(byExit, otherwise, gapMs ?? 0));
  }

  /** Chooses among those that do not repeat the previous one, and records the choice. */
  next(candidates: readonly Candidate[], draw?: number, now?: number): Different {
    const held = this.held;
    bounds.checkList("candidates", candidates, bounds.MAX_UPSTREAMS);
    const all = Array.from(candidates, asCandidate);
    const chance = drawn(draw);
    const nowMs = bounds.instant(now);
    run(() => {
      memory.open();
      for (const { upstream, exit, weight } of all) {
        memory.putFramed(upstream);
        memory.putFramed(exit ?? "");
        memory.putNumber(weight);
      }
      held.next(memory.written(), all.length, chance, nowMs);
      memory.close();
    });
    switch (memory.answer(0)) {
      case 0: {
        const upstream = all[memory.answer(1)]?.upstream ?? "";
        return { kind: "upstream", upstream, repeated: memory.answer(2) === 1 };
      }
      case 1:
        return { kind: "no_different" };
      case 2:
        return { kind: "wait", retryAfterMs: memory.answer(1) };
      default:
        return { kind: "empty" };
    }
  }

  /** Notes the exit that an upstream was seen to have, beside the declared one. */
  observe(upstream: string, exit: string): void {
    const held = this.held;
    bounds.checkName("upstream", upstream);
    bounds.checkName("exit", exit);
    const observed = run(() => {
      memory.open();
      memory.putFramed(upstream);
      memory.putFramed(exit);
      return held.observe(memory.written());
    });
    if (!observed) {
      const max = bounds.MAX_UPSTREAMS;
      throw argumentError("observed", `a list of ${max + 1}`, `a list of at most ${max}`);
    }
  }
}

function asCandidate(candidate: Candidate): { upstream: string; exit?: string; weight: number } {
  if (typeof candidate === "string") {
    return { upstream: bounds.checkName("upstream", candidate), weight: 1 };
  }
  const { upstream, exit, weight = 1 } = bounds.checkOptions("candidate", candidate);
  bounds.checkName("upstream", upstream);
  bounds.checkWhole("weight", weight, 0, bounds.MAX_WEIGHT);
  if (exit === undefined) return { upstream, weight };
  return { upstream, exit: bounds.checkName("exit", exit), weight };
}
