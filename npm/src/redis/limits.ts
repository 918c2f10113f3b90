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
import { type Signal, Waiting } from "./waiting.js";

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
   * Gives up: what was taken is given back, then the promise rejects with the signal's reason. While
   * the take is on its way, that is when it has been answered. A signal that was aborted before
   * keeps anything from being sent.
   */
  readonly signal?: Signal | undefined;
}

/** A take as it is asked for. */
interface Asked {
  readonly takeId: string;
  readonly maxWaitMs: string;
  readonly costs: ReadonlyMap<string, string>;
  readonly now: number | undefined;
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
    const { takeId = newId(), maxWaitMs = 0, now } = bounds.checkOptions("options", options);
    const asked = {
      takeId: id("takeId", takeId),
      maxWaitMs: whole("maxWaitMs", maxWaitMs),
      costs: this.#declared.encode("cost", costs),
      now,
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
    if (signal?.aborted) throw signal.reason;
    const taken = await this.take(costs, { takeId, maxWaitMs }).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    });
    if (!signal?.aborted) {
      // Also what may be used at once, behind those whose timer is about to fire.
      if (taken.kind !== "granted") return taken;
      if (await this.#waiting.until(taken.startsAtMs, taken.startsInMs, signal)) return taken;
    }
    if (taken.kind === "granted") await this.#giveBack(takeId);
    throw signal?.reason;
  }

  /** Gives back what was taken under an id, if it has not started. */
  async cancel(takeId: string, options: CallOptions = {}): Promise<Cancelled> {
    const { now } = bounds.checkOptions("options", options);
    const reply = await this.#state.call(TAKE_CANCEL, [text("takeId", takeId)], now, "welcome");
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
    const { now } = bounds.checkOptions("options", options);
    const args = [text("takeId", takeId), ...[...this.#declared.encode("actual", actual)].flat()];
    const reply = await this.#state.call(TAKE_SETTLE, args, now, "welcome");
    switch (reply.word) {
      case "settled":
        return { kind: "settled", version: reply.version, remaining: this.#inForce.remaining(reply) };
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

  #ask(rules: Rules, { takeId, maxWaitMs, costs, now }: Asked): Promise<Reply> {
    const args = [takeId, maxWaitMs, String(rules.version), ...this.#changes, ...rules.args];
    for (const name of rules.names) args.push(costs.get(name) ?? "0");
    return this.#state.call(TAKE, args, now);
  }

  #outcome(reply: Reply, rules: Rules, takeId: string): Taken {
    const inForce = { version: reply.version, differs: rules !== this.#declared };
    switch (reply.word) {
      case "granted": {
        const [startsInMs, repeated] = [reply.whole(), reply.flag()];
        const startsAtMs = reply.nowMs + startsInMs;
        const remaining = rules.remaining(reply);
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

  /** What was granted to one who gave up: its place, or if it has started, what it was charged. */
  async #giveBack(takeId: string): Promise<void> {
    try {
      const { kind } = await this.cancel(takeId);
      const nothing = Object.fromEntries(this.#declared.names.map((name) => [name, 0]));
      if (kind === "started") await this.settle(takeId, nothing);
    } catch {
      // Who gave up hears of that alone. What could not be given back is used up at its start.
    }
  }
}
