import * as bounds from "../bounds.js";
import type { Candidate, NoRepeatOptions, ShuffleOptions } from "../rotation.js";
import { NEXT_SHUFFLE, OBSERVE_EXIT, PICK_NO_REPEAT } from "./bundle.js";
import { drawn, newId } from "./chance.js";
import { each, id, text, texts, whole } from "./encode.js";
import type { Evaluate } from "./script.js";
import { type CallOptions, type RedisOptions, type RequestOptions, SharedState } from "./shared-state.js";

/** How long what was chosen is remembered. */
interface Keeping {
  /** How long that is when nobody asks, in milliseconds: 1,000 to 34,560,000,000. Default 86,400,000. */
  readonly keepMs?: number | undefined;
}

/** What every choice by chance can be given. */
export interface DrawOptions extends RequestOptions {
  /** A random whole number below 2^53. Default: drawn here. */
  readonly draw?: number | undefined;
}

/** How a shuffle goes from one pass to the next, and how it is shared. */
export interface RedisShuffleOptions extends ShuffleOptions, Keeping, RedisOptions {}

/** What `RedisShuffle.next` answers. */
export type Shuffled =
  | {
      readonly kind: "upstream";
      readonly upstream: string;
      /** Whether the request id had this answer before; then nothing has changed. */
      readonly repeated: boolean;
    }
  | { readonly kind: "empty" };

const DEFAULT_KEEP_MS = 86_400_000;

/** `Shuffle` for many workers, under one key in Redis. One round trip a call; at most 1,024 upstreams. */
export class RedisShuffle {
  readonly #state: SharedState;
  readonly #keepMs: string;
  readonly #boundary: string;

  constructor(evaluate: Evaluate, key: string, options: RedisShuffleOptions = {}) {
    this.#state = new SharedState(evaluate, key, options);
    const { noBoundaryRepeat = false, keepMs = DEFAULT_KEEP_MS } = options;
    bounds.checkWord("noBoundaryRepeat", noBoundaryRepeat, [false, true]);
    this.#keepMs = whole("keepMs", keepMs);
    this.#boundary = noBoundaryRepeat ? "no_repeat" : "free";
  }

  /** The next one. A name that is listed twice counts once. */
  async next(upstreams: readonly string[], options: DrawOptions = {}): Promise<Shuffled> {
    const { requestId = newId(), draw } = bounds.checkOptions("options", options);
    const args = [id("requestId", requestId), this.#keepMs, this.#boundary, drawn(draw)];
    const reply = await this.#state.call(NEXT_SHUFFLE, [...args, ...texts("upstreams", "upstream", upstreams)], options);
    switch (reply.word) {
      case "picked":
        reply.skip();
        return reply.all({ kind: "upstream", upstream: reply.name(), repeated: reply.flag() });
      case "empty":
        return reply.all({ kind: "empty" });
      default:
        throw reply.unknown();
    }
  }
}

/** What must not come twice in a row, and how that is shared. */
export interface RedisNoRepeatOptions extends NoRepeatOptions, Keeping, RedisOptions {}

/** What `RedisNoRepeat.next` answers. */
export type Different =
  | {
      readonly kind: "upstream";
      readonly upstream: string;
      /** Whether it is the previous one again, since nothing else was left (in process: `repeated`). */
      readonly repeats: boolean;
      /** Whether the request id had this answer before; then nothing has changed. */
      readonly repeated: boolean;
    }
  | { readonly kind: "no_different" }
  | { readonly kind: "wait"; readonly retryAfterMs: number }
  | { readonly kind: "empty" };

/**
 * `NoRepeat` for many workers, under one key in Redis: never the previous one of all of them. One
 * round trip a call; at most 1,024 candidates.
 */
export class RedisNoRepeat {
  readonly #state: SharedState;
  readonly #keepMs: string;
  readonly #rule: readonly string[];

  constructor(evaluate: Evaluate, key: string, options: RedisNoRepeatOptions = {}) {
    this.#state = new SharedState(evaluate, key, options);
    const { by = "upstream", onlyOne = "fail", gapMs, keepMs = DEFAULT_KEEP_MS } = options;
    this.#keepMs = whole("keepMs", keepMs);
    const gap = onlyOne === "wait" || gapMs !== undefined ? whole("gapMs", gapMs) : "0";
    this.#rule = [text("by", by), text("onlyOne", onlyOne), gap];
  }

  /** Chooses among those that do not repeat the previous one, and records the choice. */
  async next(candidates: readonly Candidate[], options: DrawOptions = {}): Promise<Different> {
    const { requestId = newId(), draw } = bounds.checkOptions("options", options);
    const args = [id("requestId", requestId), this.#keepMs, ...this.#rule, drawn(draw)];
    const all = [...args, ...each("candidates", candidates, encoded)];
    const reply = await this.#state.call(PICK_NO_REPEAT, all, options);
    switch (reply.word) {
      case "picked": {
        reply.skip();
        const [upstream, repeats, repeated] = [reply.name(), reply.flag(), reply.flag()];
        return reply.all({ kind: "upstream", upstream, repeats, repeated });
      }
      case "no_different":
      case "empty":
        return reply.all({ kind: reply.word });
      case "wait":
        return reply.all({ kind: "wait", retryAfterMs: reply.whole() });
      default:
        throw reply.unknown();
    }
  }

  /** Notes the exit that an upstream was seen to have, beside the declared one. */
  async observe(upstream: string, exit: string, options: CallOptions = {}): Promise<void> {
    const args = [this.#keepMs, text("upstream", upstream), text("exit", exit)];
    const reply = await this.#state.call(OBSERVE_EXIT, args, options);
    if (reply.word !== "observed") throw reply.unknown();
    reply.all(undefined);
  }
}

function encoded(candidate: Candidate): [string, string, string] {
  if (typeof candidate === "string") return [text("upstream", candidate), "", "1"];
  const { upstream, exit, weight = 1 } = bounds.checkOptions("candidate", candidate);
  return [text("upstream", upstream), exit === undefined ? "" : text("exit", exit), whole("weight", weight)];
}
