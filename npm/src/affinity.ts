import * as bounds from "./bounds.js";
import { Handle, run } from "./core/handle.js";
import * as memory from "./core/memory.js";
import { core, glue } from "./core/start.js";
import { argumentError } from "./errors.js";

/** How much an affinity table remembers, and for how long. */
export interface AffinityTableOptions {
  /** At most this many links, 0 to 2^24; 0 turns the table off. Default 16,000. */
  readonly maxLinks?: number | undefined;
  /** A link lives this long after it was written or recalled, in milliseconds. Default 600,000. */
  readonly ttlMs?: number | undefined;
}

const LINK = /^[0-9a-f]{16}$/;

/**
 * The lengths of prefixes at which a memory of `links` links is read and written, ascending: all
 * of them, ⌊links / 2^j⌋ · 2^j, and 1, 2, 4 … below. For 13: 1, 2, 4, 8, 12, 13.
 */
export function logSpaced(links: number): number[] {
  bounds.checkWhole("links", links, 0, bounds.MAX_LINKS);
  core();
  return Array.from(run(() => glue.logSpaced(links)));
}

/**
 * One process's memory of which upstream has a conversation's prefix in its cache: from links to
 * upstreams, bounded in number and in time. When it is full, the link written longest ago goes.
 */
export class AffinityTable extends Handle<glue.AffinityTable> {
  /** @internal A minifier renames the class. */
  static override readonly name = "AffinityTable";

  constructor(options: AffinityTableOptions = {}) {
    const { maxLinks = 16_000, ttlMs = 600_000 } = bounds.checkOptions("options", options);
    bounds.checkWhole("maxLinks", maxLinks, 0, bounds.MAX_TABLE_LINKS);
    bounds.checkWhole("ttlMs", ttlMs, 1, bounds.MAX_MS);
    super(() => new glue.AffinityTable(maxLinks, ttlMs));
  }

  /**
   * The upstream of the longest remembered prefix: scans `links` from the end to the first that is
   * alive and renews that one. `now` in milliseconds, by default the clock's.
   */
  recall(links: readonly string[], now?: number): string | undefined {
    const held = this.held;
    bounds.checkList("links", links, bounds.MAX_LINKS);
    for (const link of links) checkLink(link);
    const nowMs = bounds.instant(now);
    return run(() => {
      memory.open();
      memory.put(links.join(""));
      const upstream = held.recall(memory.written(), nowMs);
      memory.close();
      return upstream;
    });
  }

  /**
   * Writes that the last of `links` is with `upstream`. No links, or an empty name, are ignored.
   */
  remember(links: readonly string[], upstream: string, now?: number): void {
    const held = this.held;
    bounds.checkList("links", links, bounds.MAX_LINKS);
    if (upstream !== "") bounds.checkName("upstream", upstream);
    const nowMs = bounds.instant(now);
    const last = links.at(-1);
    if (last === undefined || upstream === "") return;
    checkLink(last);
    run(() => {
      memory.open();
      memory.put(last);
      memory.put(upstream);
      held.remember(memory.written(), nowMs);
    });
  }

  /** How many links are held, expired ones that were not yet removed included. */
  get size(): number {
    return this.held.size();
  }

  /** How many links had to go before their time because the table was full. */
  get evictedLive(): number {
    return this.held.evictedLive();
  }
}

function checkLink(link: string): void {
  if (typeof link !== "string" || !LINK.test(link)) {
    throw argumentError("link", bounds.shown(link), "16 lower-case hex digits");
  }
}
