import * as bounds from "./bounds.js";
import { Handle, run } from "./core/handle.js";
import * as memory from "./core/memory.js";
import { glue } from "./core/start.js";
import { argumentError } from "./errors.js";

/** A token bucket: up to `capacity` tokens, of which `refill` come back each `periodMs`. */
export interface TokenBucketOptions {
  /** 1 or more; times the period (divided by its common divisor with refill) below 2^53. */
  readonly capacity: number;
  /** 1 or more. */
  readonly refill: number;
  /** In milliseconds, 1 or more. */
  readonly periodMs: number;
  /** Default `"full"`; an empty one begins to fill at the first call. */
  readonly start?: "full" | "empty" | undefined;
}

/** A window limit: at most `capacity` in any `windowMs` that one may look back. */
export interface WindowLimitOptions {
  /** 1 to 2^53 - 1. */
  readonly capacity: number;
  /** In milliseconds, 1 or more. */
  readonly windowMs: number;
}

/** One of several limits. */
export type Limit = TokenBucketOptions | WindowLimitOptions;

/** What was taken from a limit. Wait until it starts, then use it; then settle it, if need be. */
export interface Grant {
  readonly kind: "granted";
  /** The instant from which on it may be used. */
  readonly startsAtMs: number;
  /** The same from the instant of the call: 0 if it may be used at once. */
  readonly startsInMs: number;
  /** Gives back what was charged, if it has not started: `true`. Else nothing changes. */
  cancel(now?: number): boolean;
  /** Corrects the charge: the rest comes back, or more is owed. The last call counts. */
  settle(actual: number, now?: number): void;
}

/** What a limit answers. */
export type Taken =
  | Grant
  | { readonly kind: "wait"; readonly retryAfterMs: number }
  | { readonly kind: "never" };

/** What was taken from several limits at once. */
export interface Grants extends Omit<Grant, "settle"> {
  /** Corrects the charges, one for each limit. The last call counts. */
  settle(actual: readonly number[], now?: number): void;
}

/** What several limits answer together; `limit` is the index of the one that decides. */
export type TakenTogether =
  | Grants
  | { readonly kind: "wait"; readonly retryAfterMs: number; readonly limit: number }
  | { readonly kind: "never"; readonly limit: number };

/** Several limits that are taken together, or not at all. */
export class Limits extends Handle<glue.Limits> {
  /** @internal A minifier renames the class. */
  static override readonly name = "Limits";

  readonly #count: number;

  /** 1 to 16 limits. */
  constructor(limits: readonly Limit[]) {
    bounds.checkList("limits", limits, bounds.MAX_UPSTREAMS);
    bounds.checkWhole("limits", limits.length, 1, bounds.MAX_LIMITS);
    const numbers = Array.from(limits, numbersOf);
    super(() => {
      memory.open();
      for (const [kind, ...three] of numbers) {
        memory.putNumber(kind);
        for (const number of three) memory.putWhole(number);
      }
      return new glue.Limits(memory.written(), numbers.length);
    });
    this.#count = numbers.length;
  }

  /** Takes a cost from each limit now (0 where it is not to be asked), or from none. */
  take(costs: readonly number[], now?: number): TakenTogether {
    return this.reserve(costs, 0, now);
  }

  /** Takes the costs as soon as all limits have them, if that is within `maxWaitMs`. */
  reserve(costs: readonly number[], maxWaitMs: number, now?: number): TakenTogether {
    const held = this.held;
    const charged = this.#checkCosts("cost", costs);
    bounds.checkWhole("cost", Math.max(...charged), 1, bounds.MAX_WHOLE);
    bounds.checkMs("maxWaitMs", maxWaitMs);
    const nowMs = bounds.instant(now);
    run(() => {
      putWholes(charged);
      held.reserve(memory.written(), charged.length, maxWaitMs, nowMs);
    });
    const [outcome, first, second] = [memory.answer(0), memory.answer(1), memory.answer(2)];
    if (outcome === 1) return { kind: "wait", retryAfterMs: first, limit: second };
    if (outcome === 2) return { kind: "never", limit: first };
    return new Granted(this, charged, first, nowMs);
  }

  /** How much each limit has left. */
  remaining(now?: number): number[] {
    const held = this.held;
    const nowMs = bounds.instant(now);
    return Array.from(run(() => held.remaining(nowMs)));
  }

  /** @internal */
  cancelGrants(charged: readonly number[], startsAtMs: number, now: number | undefined): boolean {
    const held = this.held;
    const nowMs = bounds.instant(now);
    return run(() => {
      putWholes(charged);
      return held.cancel(memory.written(), charged.length, startsAtMs, nowMs);
    });
  }

  /** @internal */
  settleGrants(
    charged: readonly number[],
    actual: readonly number[],
    startsAtMs: number,
    now: number | undefined,
  ): readonly number[] {
    const held = this.held;
    const settled = this.#checkCosts("actual", actual);
    const nowMs = bounds.instant(now);
    const exact = run(() => {
      putWholes([...charged, ...settled]);
      return held.settle(memory.written(), charged.length, startsAtMs, nowMs);
    });
    if (exact) return settled;
    const bound = "so low that the debt stays within exact arithmetic";
    throw argumentError("actual", settled.join(", "), bound);
  }

  #checkCosts(argument: string, costs: readonly number[]): readonly number[] {
    bounds.checkOneForEach(`${argument}s`, costs, "limit", this.#count);
    return Array.from(costs, (cost) => bounds.checkWhole(argument, cost, 0, bounds.MAX_WHOLE));
  }
}

/** A grant of several limits, or of one. */
class Granted implements Grants {
  readonly kind = "granted";
  readonly startsAtMs: number;
  readonly startsInMs: number;
  readonly #limits: Limits;
  #charged: readonly number[];
  #cancelled = false;

  constructor(limits: Limits, charged: readonly number[], startsAtMs: number, nowMs: number) {
    this.#limits = limits;
    this.#charged = charged;
    this.startsAtMs = startsAtMs;
    this.startsInMs = Math.max(0, startsAtMs - nowMs);
  }

  cancel(now?: number): boolean {
    if (this.#cancelled) return false;
    this.#cancelled = this.#limits.cancelGrants(this.#charged, this.startsAtMs, now);
    return this.#cancelled;
  }

  settle(actual: readonly number[], now?: number): void {
    if (this.#cancelled) throw argumentError("grant", "cancelled", "one that was not cancelled");
    this.#charged = this.#limits.settleGrants(this.#charged, actual, this.startsAtMs, now);
  }
}

/** One limit: the same as several, of which there is one. */
class Single {
  readonly #limits: Limits;

  constructor(limit: Limit) {
    this.#limits = new Limits([limit]);
  }

  /** Takes `cost` now (1 to 2^53 - 1), or says when it can be taken, or that it never can. */
  take(cost = 1, now?: number): Taken {
    return this.reserve(cost, 0, now);
  }

  /** Takes `cost` as soon as it is there, if that is within `maxWaitMs`; first come, first served. */
  reserve(cost: number, maxWaitMs: number, now?: number): Taken {
    bounds.checkWhole("cost", cost, 1, bounds.MAX_WHOLE);
    const taken = this.#limits.reserve([cost], maxWaitMs, now);
    if (taken.kind === "wait") return { kind: "wait", retryAfterMs: taken.retryAfterMs };
    if (taken.kind === "never") return { kind: "never" };
    const { kind, startsAtMs, startsInMs } = taken;
    return {
      kind,
      startsAtMs,
      startsInMs,
      cancel: (at) => taken.cancel(at),
      settle: (actual, at) => taken.settle([actual], at),
    };
  }

  /** How much could be taken now; 0 while some is owed. */
  remaining(now?: number): number {
    return this.#limits.remaining(now)[0] ?? 0;
  }

  /** Gives the memory back. Every later call throws `DISPOSED`; disposing again does nothing. */
  dispose(): void {
    this.#limits.dispose();
  }

  /** The same as `dispose()`, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** A token bucket: exact for ever, and served first come, first served. */
export class TokenBucket extends Single {
  /** @internal A minifier renames the class. */
  static override readonly name = "TokenBucket";

  constructor(options: TokenBucketOptions) {
    checkKnown(bounds.checkOptions("options", options), "refill");
    super(options);
  }
}

/** A window limit: never more than its capacity in any window that one may look back. */
export class WindowLimit extends Single {
  /** @internal A minifier renames the class. */
  static override readonly name = "WindowLimit";

  constructor(options: WindowLimitOptions) {
    checkKnown(bounds.checkOptions("options", options), "windowMs");
    super(options);
  }
}

/** A limit as the core takes it: its kind and three numbers. */
function numbersOf(limit: Limit): [number, number, number, number] {
  const given: Partial<TokenBucketOptions & WindowLimitOptions> = bounds.checkOptions("limit", limit);
  const { windowMs, start = "full" } = given;
  const capacity = bounds.checkWhole("capacity", given.capacity, 1, bounds.MAX_WHOLE);
  if (windowMs !== undefined) {
    if (given.refill !== undefined) throw argumentError("windowMs", "given with refill", "given alone");
    return [2, capacity, bounds.checkWhole("windowMs", windowMs, 1, bounds.MAX_MS), 0];
  }
  const refill = bounds.checkWhole("refill", given.refill, 1, bounds.MAX_WHOLE);
  const periodMs = bounds.checkWhole("periodMs", given.periodMs, 1, bounds.MAX_MS);
  const kind = bounds.checkWord("start", start, ["full", "empty"]);
  const reduced = periodMs / greatestCommonDivisor(refill, periodMs);
  bounds.checkWhole("capacity", capacity, 1, Math.floor(bounds.MAX_WHOLE / reduced));
  return [kind, capacity, refill, periodMs];
}

/** An option that tells one kind of limit from the other. */
function checkKnown<T>(options: T, option: keyof T & string): void {
  if (options[option] === undefined) throw argumentError(option, "undefined", "given");
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right);
}

function putWholes(numbers: readonly number[]): void {
  memory.open();
  for (const number of numbers) memory.putWhole(number);
}
