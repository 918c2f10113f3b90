import type { AffinityTableOptions } from "../affinity.js";
import * as bounds from "../bounds.js";
import { RECALL, REMEMBER } from "./bundle.js";
import { text, texts, whole } from "./encode.js";
import type { Evaluate } from "./script.js";
import { type CallOptions, type RedisOptions, SharedState } from "./shared-state.js";

/** How much is remembered, for how long, and how it is shared. */
export interface RedisAffinityOptions extends AffinityTableOptions, RedisOptions {}

/** What `RedisAffinity.recall` answers. */
export type Recalled =
  | {
      readonly kind: "recalled";
      readonly upstream: string;
      /** How many links, from the first on, the remembered prefix has. */
      readonly links: number;
    }
  | { readonly kind: "nothing" };

/** What `RedisAffinity.remember` answers. */
export type Remembered =
  | {
      readonly kind: "remembered";
      /** How many links are held, expired ones that were not yet removed included. */
      readonly size: number;
    }
  | { readonly kind: "ignored" };

// Clients pass arguments on the stack, twice over, and that holds only so many.
const LINKS_AT_ONCE = 16_384;

/**
 * `AffinityTable` for many workers, under one key in Redis: which upstream has a conversation's
 * prefix in its cache. The links come from `chain` of `pointsman`. One round trip a call, and one
 * more for each further 16,384 links.
 */
export class RedisAffinity {
  readonly #state: SharedState;
  readonly #maxLinks: string;
  readonly #ttlMs: string;

  constructor(evaluate: Evaluate, key: string, options: RedisAffinityOptions = {}) {
    this.#state = new SharedState(evaluate, key, options);
    const { maxLinks = 16_000, ttlMs = 600_000 } = options;
    this.#maxLinks = whole("maxLinks", maxLinks);
    this.#ttlMs = whole("ttlMs", ttlMs);
  }

  /** The upstream of the longest remembered prefix, whose link is renewed. */
  async recall(links: readonly string[], options: CallOptions = {}): Promise<Recalled> {
    const all = texts("links", "link", links);
    let end = all.length;
    for (;;) {
      const begin = Math.max(0, end - LINKS_AT_ONCE);
      const reply = await this.#state.call(RECALL, [this.#ttlMs, ...all.slice(begin, end)], options);
      switch (reply.word) {
        case "recalled":
          return reply.all({ kind: "recalled", upstream: reply.name(), links: begin + reply.whole() });
        case "nothing":
          reply.all(undefined);
          if (begin === 0) return { kind: "nothing" };
          end = begin;
          break;
        default:
          throw reply.unknown();
      }
    }
  }

  /** Writes that the last of `links` is with `upstream`. No links, or an empty name, are ignored. */
  async remember(links: readonly string[], upstream: string, options: CallOptions = {}): Promise<Remembered> {
    const last = bounds.checkList("links", links, bounds.MAX_LINKS).slice(-1);
    const link = last.length === 0 ? "" : text("link", last[0]);
    const args = [this.#maxLinks, this.#ttlMs, text("upstream", upstream), link];
    const reply = await this.#state.call(REMEMBER, args, options);
    switch (reply.word) {
      case "remembered":
        return reply.all({ kind: "remembered", size: reply.whole() });
      case "ignored":
        return reply.all({ kind: "ignored" });
      default:
        throw reply.unknown();
    }
  }
}
