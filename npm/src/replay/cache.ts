import type { Request } from "./log.js";

/** Shorter prompts are not cached, and shorter hits do not count. */
const LEAST_TOKENS = 1_024;

/**
 * A vendor's prompt cache at one upstream: unlimited, each block held for `ttlMs` after it was last
 * used, that instant included.
 */
export class PromptCache {
  readonly #ttlMs: number;
  readonly #until = new Map<number, number>();

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** The tokens that a request finds here: its longest cached prefix. Then it is cached whole. */
  use(request: Request): number {
    const { blocks, ends, timeMs, inputTokens } = request;
    if (inputTokens < LEAST_TOKENS) return 0;
    let found = 0;
    for (let all = true, at = 0; at < blocks.length; at += 1) {
      const block = blocks[at] ?? 0;
      all &&= (this.#until.get(block) ?? -1) >= timeMs;
      if (all) found += 1;
      this.#until.set(block, timeMs + this.#ttlMs);
    }
    const hit = ends[found - 1] ?? 0;
    return hit < LEAST_TOKENS ? 0 : hit;
  }
}

/** The share of all input tokens that one cache hits which sees every request. */
export function achievableHitRate(requests: readonly Request[], ttlMs: number): number {
  const cache = new PromptCache(ttlMs);
  let hits = 0;
  let input = 0;
  for (const request of requests) {
    hits += cache.use(request);
    input += request.inputTokens;
  }
  return input === 0 ? 0 : hits / input;
}
