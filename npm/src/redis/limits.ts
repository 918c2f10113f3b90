import * as bounds from "../bounds.js";
import { PointsmanError } from "../errors.js";
import { TAKE, TAKE_CANCEL, TAKE_SETTLE } from "./bundle.js";
import { newId } from "./chance.js";
import { id, text, whole } from "./encode.js";
import type { Reply } from "./reply.js";
import { type Costs, limitsIn, type RedisLimit, Rules } from "./rules.js";
import type { Evaluate } from "./script.js";
import { type CallOptions, type RedisOptions, SharedState } from "./shared-state.js";
import type { Cancelled, Settled, Taken } from "./taken.js";
import { checkSignal, type Signal, Waiting } from "./waiting.js";

/** What is declared beside the limits. */
export interface RedisLimitsOptions extends RedisOptions {
  /** 0 to 2^53 - 1. Raise it whenever the limits change: the highest is in force. */
  readonly version: number;
  /**
   * What a limit that changes starts with. `"keep"` (default): what was taken stays taken.
   * `"proportional"`: the same share of its capacity. `"full"` or `"empty"`.
   */
  readonly inherit?: "keep" | "proportional" | "full" | "empty" | undefined;
  /** What a new bucket starts with, also after a loss of the data. Default `"full"`. */
  readonly start?: "full" | "empty" | undefined;
  /**
   * What a take does where Redis cannot be reached (`UNREACHABLE`). `"closed"` (default): its promise
   * rejects. `"open"`: it answers `open`, and work goes on without the limits.
   */
  readonly onUnreachable?: "closed" | "open" | undefined;
}

/** What a take can be given. */
export interface TakeOptions extends CallOptions {
  /**
   * 1 to 128 bytes; a repeat with the same id gets the first answer again, and costs nothing more.
   * Default: drawn here. Give one where the program itself repeats.
   */
  readonly takeId?: string | undefined;
  /** How long the start may be away, in milliseconds. Default 0. */
  readonly maxWaitMs?: number | undefined;
}

/** What a take that waits can be given. */
export interface WaitOptions extends Omit<TakeOptions, "now"> {
  /** How long the start may be away, in milliseconds. Default: as long as it takes. */
  readonly maxWaitMs?: number | undefined;
  /**
   * Gives up: the promise rejects at once with the signal's reason, and what was taken is given back,
   * by a command that is sent then, or when a take that is on its way has ended. A signal that was
   * aborted before keeps anything from being sent.
   */
  readonly signal?: Signal | undefined;
}

/** A take as it is asked for. */
interface Asked {
  readonly takeId: string;
  readonly maxWaitMs: string;
  readonly costs: ReadonlyMap<string, string>;
  readonly options: CallOptions;
}

/**
 * `Limits` for many workers, under one key in Redis: 1 to 16, taken together or not at all, first
 * come first served over all workers. One round trip a call. Ids are kept until a minute after the
 * start.
 *
 * The rules in force are those of the highest version that anybody declared. Where they are others
 * than the ones declared here, and name only limits that are declared here too, a take goes by them,
 * at the cost of a second round trip the first time.
 */
export class RedisLimits {
  readonly #state: SharedState;
  readonly #declared: Rules;
  readonly #changes: readonly string[];
  readonly #open: boolean;
  readonly #waiting = new Waiting();
  /** The rules in force, as far as they are known here. */
  #inForce: Rules;

  constructor(evaluate: Evaluate, key: string, limits: readonly RedisLimit[], options: RedisLimitsOptions) {
    this.#state = new SharedState(evaluate, key, options);
    const { version, inherit = "keep", start = "full", onUnreachable = "closed" } = options;
    whole("version", version);
    this.#declared = new Rules(version, limits);
    this.#inForce = this.#declared;
    this.#changes = [text("inherit", inherit), text("start", start)];
    this.#open = bounds.checkWord("onUnreachable", onUnreachable, ["closed", "open"]) === 1;
  }

  /**
   * Takes a cost from each limit that is named, or from none: now, or with `maxWaitMs` as soon as all
   * have it, at the instant that the answer says. One cost at least is above 0.
   */
  async take(costs: Costs, options: TakeOptions = {}): Promise<Taken> {
    const { takeId = newId(), maxWaitMs = 0 } = bounds.checkOptions("options", options);
    const asked = {
      takeId: id("takeId", takeId),
      maxWaitMs: whole("maxWaitMs", maxWaitMs),
      costs: this.#declared.encode("cost", costs),
      options,
    };
    try {
      return await this.#take(asked);
    } catch (error) {
      const isOpen = this.#open && error instanceof PointsmanError && error.code === "UNREACHABLE";
      if (isOpen) return { kind: "open", error };
      throw error;
    }
  }

  /**
   * Takes as `take` does, and where that is granted resolves when it may be used: waits in line,
   * without asking again. Every other answer comes at once.
   */
  async takeWhenFree(costs: Costs, options: WaitOptions = {}): Promise<Taken> {
    const { takeId = newId(), maxWaitMs = bounds.MAX_MS, signal } = bounds.checkOptions("options", options);
    checkSignal(signal);
    if (signal?.aborted) throw signal.reason;
    const asked = this.take(costs, { takeId, maxWaitMs });
    const started = asked.then(async (taken) => {
      // Also what may be used at once, behind those whose timer is about to fire.
      if (taken.kind === "granted" && !signal?.aborted) {
        await this.#waiting.until(taken.startsAtMs, taken.startsInMs, signal);
      }
      return taken;
    });
    if (signal === undefined) return started;
    return this.#waiting.unless(signal, started).catch((error: unknown) => {
      if (signal.aborted) void this.#giveBack(takeId, asked);
      throw error;
    });
  }

  /** Gives back what was taken under an id, if it has not started. */
  async cancel(takeId: string, options: CallOptions = {}): Promise<Cancelled> {
    const reply = await this.#state.call(TAKE_CANCEL, [text("takeId", takeId)], options, "welcome");
    switch (reply.word) {
      case "returned":
      case "started":
      case "gone":
        return reply.all({ kind: reply.word });
      default:
        throw reply.unknown();
    }
  }

  /**
   * Corrects what was charged under an id: the rest comes back, or more is owed. A limit that is not
   * named keeps its charge. The last call counts.
   */
  async settle(takeId: string, actual: Costs, options: CallOptions = {}): Promise<Settled> {
    const args = [text("takeId", takeId), ...[...this.#declared.encode("actual", actual)].flat()];
    const reply = await this.#state.call(TAKE_SETTLE, args, options, "welcome");
    switch (reply.word) {
      case "settled":
        return { kind: "settled", version: reply.version, remaining: this.#inForce.remaining(reply) ?? {} };
      case "gone":
        return reply.all({ kind: "gone" });
      default:
        throw reply.unknown();
    }
  }

  async #take(asked: Asked): Promise<Taken> {
    let rules = this.#canGoBy(this.#inForce, asked) ? this.#inForce : this.#declared;
    let reply = await this.#ask(rules, asked);
    if (reply.word === "reconfigure") {
      const limits = limitsIn(reply);
      rules = new Rules(reply.version, limits);
      if (!this.#canGoBy(rules, asked)) return { kind: "reconfigure", version: reply.version, limits };
      this.#inForce = rules;
      reply = await this.#ask(rules, asked);
    }
    return this.#outcome(reply, rules, asked.takeId);
  }

  /** Whether all of them are declared here, and one of them is charged. */
  #canGoBy({ names }: Rules, { costs }: Asked): boolean {
    const isKnown = names.every((name) => this.#declared.names.includes(name));
    return isKnown && names.some((name) => (costs.get(name) ?? "0") !== "0");
  }

  #ask(rules: Rules, { takeId, maxWaitMs, costs, options }: Asked): Promise<Reply> {
    const args = [takeId, maxWaitMs, String(rules.version), ...this.#changes, ...rules.args];
    for (const name of rules.names) args.push(costs.get(name) ?? "0");
    return this.#state.call(TAKE, args, options);
  }

  #outcome(reply: Reply, rules: Rules, takeId: string): Taken {
    const differs = rules !== this.#declared || reply.version !== rules.version;
    const inForce = { version: reply.version, differs };
    switch (reply.word) {
      case "granted": {
        const [startsInMs, repeated] = [reply.whole(), reply.flag()];
        const startsAtMs = reply.nowMs + startsInMs;
        const left = rules.remaining(reply);
        if (left === undefined && !repeated) throw reply.unknown("granted under limits that were not sent");
        const remaining = left ?? {};
        return { kind: "granted", takeId, startsAtMs, startsInMs, remaining, repeated, ...inForce };
      }
      case "wait":
        return reply.all({ kind: "wait", retryAfterMs: reply.whole(), limit: reply.name(), ...inForce });
      case "never":
        return reply.all({ kind: "never", limit: reply.name(), ...inForce });
      case "gone":
        return reply.all({ kind: "gone", ...inForce });
      case "reconfigure":
        return { kind: "reconfigure", version: reply.version, limits: limitsIn(reply) };
      default:
        throw reply.unknown();
    }
  }

  /** What is granted to one who gave up goes back: its place, or if it has started, its charge. */
  async #giveBack(takeId: string, asked: Promise<Taken>): Promise<void> {
    try {
      // Where the answer was lost, it may have been granted all the same.
      const kind = await asked.then((taken) => taken.kind, () => "open");
      if (kind !== "granted" && kind !== "open") return;
      const cancelled = await this.cancel(takeId);
      const nothing = Object.fromEntries(this.#declared.names.map((name) => [name, 0]));
      if (cancelled.kind === "started") await this.settle(takeId, nothing);
    } catch {
      // Who gave up hears of that alone. What could not be given back is used up at its start.
    }
  }
}
