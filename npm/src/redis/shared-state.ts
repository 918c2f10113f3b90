import * as bounds from "../bounds.js";
import { argumentError, PointsmanError } from "../errors.js";
import { text } from "./encode.js";
import { asPointsmanError } from "./failure.js";
import { Reply } from "./reply.js";
import { type Evaluate, run, type Script } from "./script.js";

/** What everything in Redis can be made with. */
export interface RedisOptions {
  /**
   * How long a round trip may take, in milliseconds, 1 to 2^31 - 1; most calls make one. After it the
   * promise rejects with `UNREACHABLE`. And a command that a client held back while the server was
   * away, and that comes to run when this time is over, is refused there with `DEADLINE`: by the
   * server's clock, as earlier answers told it, so the first call of an object may still run late.
   * What gives back (`release`, `cancel`, `settle`) may always run late. Default: none, and no timer.
   */
  readonly timeoutMs?: number | undefined;
}

/** What every call can be given. */
export interface CallOptions {
  /** The instant of the decision, 1 to 9,007,199,254,740, for replays and tests. Default: the server's. */
  readonly now?: number | undefined;
}

/** What every call that changes a count or a choice can be given. */
export interface RequestOptions extends CallOptions {
  /**
   * 1 to 128 bytes; a repeat with the same id gets the first answer again. Default: drawn here, so
   * that a command which the client sends twice counts once. Give one where the program itself
   * repeats.
   */
  readonly requestId?: string | undefined;
}

/** Whether a call that runs after its time is refused or still does what it is for. */
type Late = "refused" | "welcome";

/** The longest that a timer of the host can run. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** One key in Redis, and the way to call a script on it. */
export class SharedState {
  readonly #evaluate: Evaluate;
  readonly #key: string;
  readonly #timeoutMs: number | undefined;
  /** By how much the server's clock is ahead of `performance.now()`: not more than this. */
  #aheadMs: number | undefined;

  constructor(evaluate: Evaluate, key: string, options: RedisOptions) {
    if (typeof evaluate !== "function") throw argumentError("evaluate", bounds.shown(evaluate), "a function");
    const { timeoutMs } = bounds.checkOptions("options", options);
    if (timeoutMs !== undefined) bounds.checkWhole("timeoutMs", timeoutMs, 1, MAX_TIMER_MS);
    this.#evaluate = evaluate;
    this.#key = text("key", key);
    this.#timeoutMs = timeoutMs;
  }

  /** Runs a script with these arguments behind the instant and the deadline. */
  async call(script: Script, args: readonly string[], options: CallOptions, late: Late = "refused"): Promise<Reply> {
    const { now } = bounds.checkOptions("options", options);
    // The script takes 0 for the server's clock.
    if (now !== undefined) bounds.checkWhole("now", now, 1, bounds.MAX_MS);
    const sentMs = performance.now();
    const deadline = now === undefined && late === "refused" ? this.#deadline(sentMs) : 0;
    const all = [String(now ?? 0), String(deadline), ...args];
    try {
      const reply = new Reply(script.name, await this.#inTime(run(this.#evaluate, script, this.#key, all)));
      if (now === undefined) this.#learn(reply.nowMs, sentMs);
      return reply;
    } catch (thrown) {
      const error = asPointsmanError(thrown);
      // The server's clock may have been set, or another server may have taken over.
      if (error.code === "DEADLINE") this.#aheadMs = undefined;
      throw error;
    }
  }

  #deadline(sentMs: number): number {
    if (this.#timeoutMs === undefined || this.#aheadMs === undefined) return 0;
    return Math.min(Math.ceil(sentMs + this.#aheadMs + this.#timeoutMs), bounds.MAX_MS);
  }

  /** The answer was made after `sentMs` and before now: what agrees with that stands. */
  #learn(nowMs: number, sentMs: number): void {
    const [least, most] = [nowMs - performance.now(), nowMs + 1 - sentMs];
    const known = this.#aheadMs ?? most;
    this.#aheadMs = known < least || known > most ? most : known;
  }

  #inTime(answer: Promise<unknown>): Promise<unknown> {
    const timeoutMs = this.#timeoutMs;
    if (timeoutMs === undefined) return answer;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new PointsmanError("UNREACHABLE", `Redis cannot be reached: no answer within ${timeoutMs} ms`));
      }, timeoutMs);
      void answer.then(resolve, reject).then(() => clearTimeout(timer));
    });
  }
}
