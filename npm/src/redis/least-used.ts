import * as bounds from "../bounds.js";
import type { Join } from "../least-used.js";
import { CONFIGURE_LEAST_USED, PICK_LEAST_USED, RECORD_LEAST_USED } from "./bundle.js";
import { drawn, newId } from "./chance.js";
import { id, text, texts, whole } from "./encode.js";
import type { Reply } from "./reply.js";
import type { Evaluate, Script } from "./script.js";
import { type CallOptions, type RedisOptions, type RequestOptions, SharedState } from "./shared-state.js";

/** What is declared beside the upstreams. */
export interface RedisLeastUsedOptions extends RedisOptions {
  /** A share for each upstream: whole numbers from 0 to 65,535. Default: all 1. */
  readonly weights?: readonly number[] | undefined;
  /** 0 to 2^53 - 1. Raise it whenever upstreams or weights change: the highest is in force. */
  readonly version: number;
  /**
   * Where the count of a new or returning upstream starts, and of one whose weight changed.
   * `"floor"` (default): at the least count of the others for its weight, or at its own old count if
   * that is higher. `"keep"`: at its own old count, so that it catches up. `"zero"`: at 0.
   */
  readonly join?: Join | undefined;
  /** How long all is remembered without use: 1,000 to 34,560,000,000. Default 604,800,000, a week. */
  readonly keepMs?: number | undefined;
  /** Where the first round of a fresh key begins: below 2^53. Default: drawn at each configuration. */
  readonly draw?: number | undefined;
}

/** By which declaration an answer was made. */
interface InForce {
  /** The version in force. */
  readonly version: number;
  /** Whether another declaration than the one made here is in force. */
  readonly differs: boolean;
}

/** What `RedisLeastUsed.pick` answers. */
export type Picked =
  | ({
      readonly kind: "upstream";
      readonly upstream: string;
      /** How often it has been counted, this time included. */
      readonly count: number;
      /** Whether the request id had this answer before; then nothing was counted. */
      readonly repeated: boolean;
    } & InForce)
  | ({ readonly kind: "all_excluded" } & InForce)
  | ({ readonly kind: "empty" } & InForce)
  /** The key is not there, though it has just been configured: Redis loses its data. */
  | { readonly kind: "unknown" };

/** What `RedisLeastUsed.record` answers. */
export type Recorded =
  | ({
      readonly kind: "recorded";
      readonly count: number;
      /** Whether the request id was counted before; then nothing was counted. */
      readonly repeated: boolean;
    } & InForce)
  | ({ readonly kind: "unknown_upstream" } & InForce)
  /** The key is not there, though it has just been configured. */
  | { readonly kind: "unknown" };

/** What `RedisLeastUsed.configure` answers. */
export type Configured =
  /** The declaration came into force, or was in force already. */
  | { readonly kind: "configured" | "same"; readonly version: number }
  /** A higher version is in force; nothing has changed. */
  | { readonly kind: "older"; readonly version: number }
  /** Under this version another list is in force: one of the two needs a higher version. */
  | {
      readonly kind: "other";
      readonly version: number;
      readonly upstreams: readonly { readonly upstream: string; readonly weight: number }[];
    };

/**
 * `LeastUsed` for many workers, under one key in Redis. One round trip a call, and one more for the
 * first call of an object, which brings its declaration into force; after a loss of the data that
 * happens again by itself. At most 1,024 upstreams.
 */
export class RedisLeastUsed {
  readonly #state: SharedState;
  readonly #declared: readonly string[];
  readonly #version: number;
  readonly #draw: number | undefined;
  /** Settled once the declaration was brought in. */
  #configured: Promise<unknown> | undefined;
  #other = false;

  constructor(
    evaluate: Evaluate,
    key: string,
    upstreams: readonly string[],
    options: RedisLeastUsedOptions,
  ) {
    this.#state = new SharedState(evaluate, key, options);
    const { weights, version, join = "floor", keepMs = 604_800_000, draw } = options;
    const names = texts("upstreams", "upstream", upstreams);
    if (weights !== undefined) bounds.checkOneForEach("weights", weights, "upstream", names.length);
    const shares = Array.from(weights ?? names.map(() => 1), (weight) => whole("weight", weight));
    const pairs = names.map((name, at) => [name, shares[at] ?? ""]);
    if (draw !== undefined) whole("draw", draw);
    this.#declared = [whole("version", version), text("join", join), whole("keepMs", keepMs), ...pairs.flat()];
    this.#version = version;
    this.#draw = draw;
  }

  /** Picks the least used upstream that is not excluded, and counts the pick. */
  async pick(excluded: readonly string[] = [], options: RequestOptions = {}): Promise<Picked> {
    const { requestId = newId() } = bounds.checkOptions("options", options);
    const args = [id("requestId", requestId), ...texts("excluded", "excluded", excluded)];
    const reply = await this.#call(PICK_LEAST_USED, args, options);
    switch (reply.word) {
      case "picked": {
        const [upstream, count, repeated] = [reply.name(), reply.whole(), reply.flag()];
        return reply.all({ kind: "upstream", upstream, count, repeated, ...this.#inForce(reply) });
      }
      case "all_excluded":
      case "empty":
        return reply.all({ kind: reply.word, ...this.#inForce(reply) });
      case "unknown":
        return reply.all({ kind: "unknown" });
      default:
        throw reply.unknown();
    }
  }

  /** Counts uses that were not picked here. */
  async record(upstream: string, times = 1, options: RequestOptions = {}): Promise<Recorded> {
    const { requestId = newId() } = bounds.checkOptions("options", options);
    const args = [id("requestId", requestId), text("upstream", upstream), whole("times", times)];
    const reply = await this.#call(RECORD_LEAST_USED, args, options);
    switch (reply.word) {
      case "recorded": {
        const [count, repeated] = [reply.whole(), reply.flag()];
        return reply.all({ kind: "recorded", count, repeated, ...this.#inForce(reply) });
      }
      case "unknown_upstream":
        return reply.all({ kind: "unknown_upstream", ...this.#inForce(reply) });
      case "unknown":
        return reply.all({ kind: "unknown" });
      default:
        throw reply.unknown();
    }
  }

  /** Brings the declaration into force. The other calls do that when it is needed. */
  async configure(options: CallOptions = {}): Promise<Configured> {
    const [version = "", join = "", keepMs = "", ...pairs] = this.#declared;
    const args = [version, join, keepMs, drawn(this.#draw), ...pairs];
    const reply = await this.#state.call(CONFIGURE_LEAST_USED, args, options);
    switch (reply.word) {
      case "configured":
      case "same":
        reply.whole();
        this.#other = false;
        return reply.all({ kind: reply.word, version: reply.version });
      case "older":
        return reply.all({ kind: "older", version: reply.version });
      case "other":
        this.#other = true;
        return { kind: "other", version: reply.version, upstreams: listed(reply) };
      default:
        throw reply.unknown();
    }
  }

  async #call(script: Script, args: readonly string[], options: CallOptions): Promise<Reply> {
    const ready = this.#ready(options);
    await ready;
    const reply = await this.#state.call(script, args, options);
    const lost = reply.word === "unknown";
    // After a loss of the data, somebody who declares an older list may be the first.
    if ((lost || reply.version < this.#version) && this.#configured === ready) this.#configured = undefined;
    if (!lost) return reply;
    await this.#ready(options);
    return this.#state.call(script, args, options);
  }

  #ready({ now }: CallOptions): Promise<unknown> {
    this.#configured ??= this.configure({ now }).catch((error: unknown) => {
      this.#configured = undefined;
      throw error;
    });
    return this.#configured;
  }

  #inForce({ version }: Reply): InForce {
    return { version, differs: this.#other || version !== this.#version };
  }
}

function listed(reply: Reply): { upstream: string; weight: number }[] {
  const pairs = [];
  while (reply.more) pairs.push({ upstream: reply.name(), weight: reply.whole() });
  return pairs;
}
