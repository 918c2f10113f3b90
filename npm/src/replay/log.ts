/** One request of a log. */
export interface Request {
  /** When it came, in whole milliseconds. */
  readonly timeMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The session, where the log names it. */
  readonly key: string | undefined;
  /** The prompt in blocks; each stands for itself and all before it. Numbers of `Prefixes`. */
  readonly blocks: Int32Array;
  /** For each block, the tokens of the prompt up to its end. */
  readonly ends: Int32Array;
  /** How many of the blocks are full. A partial tail is cached, but never used as a link. */
  readonly fullBlocks: number;
}

/** A log as it was read. */
export interface Log {
  readonly requests: readonly Request[];
  /** The links that stand for the blocks. */
  readonly links: readonly string[];
  /** Whether the lines had to be put in the order of their times. */
  readonly sorted: boolean;
  /** How many damaged lines were left out, and what was wrong with the first. */
  readonly skipped: number;
  readonly firstDamage: string | undefined;
}

/** From the first request to the last, in milliseconds. */
export function spanMs(requests: readonly Request[]): number {
  return (requests.at(-1)?.timeMs ?? 0) - (requests[0]?.timeMs ?? 0);
}
