import { AffinityTable, logSpaced } from "../index.js";
import { LoadCounts } from "./load-counts.js";
import type { Policy, Question, Setting } from "./policies.js";

/** A single shared block says little: the first link is neither written nor read. */
const LEAST_LINKS = 2;

/**
 * Where the prefix was last, says a table of links; a new one goes to the least in flight.
 * `"last"` writes the last full link and reads all; `"log"` writes and reads at log-spaced lengths.
 */
export class TablePolicy implements Policy {
  readonly #links: readonly string[];
  readonly #written: "last" | "log";
  readonly #table: AffinityTable;
  readonly #counts: LoadCounts;

  constructor(setting: Setting, written: "last" | "log") {
    this.#links = setting.links;
    this.#written = written;
    this.#table = new AffinityTable({ ttlMs: setting.memoryTtlMs });
    this.#counts = new LoadCounts(setting.upstreams, setting.draws.next());
  }

  choose({ request, leaseId }: Question): string {
    const { timeMs } = request;
    const full = request.blocks.subarray(0, request.fullBlocks);
    const chain = Array.from(full, (block) => this.#links[block] ?? "");
    const spaced = this.#written === "log" ? logSpaced(chain.length) : [chain.length];
    const lengths = spaced.filter((length) => length >= LEAST_LINKS);
    const asked = this.#written === "log" ? lengths.map((length) => chain[length - 1] ?? "") : chain;
    const known = lengths.length === 0 ? undefined : this.#table.recall(asked, timeMs);
    const upstream =
      known === undefined
        ? this.#counts.fewest(leaseId, timeMs)
        : this.#counts.first([known], leaseId, timeMs);
    for (const length of lengths) this.#table.remember(chain.slice(0, length), upstream, timeMs);
    return upstream;
  }

  ended(leaseId: string, nowMs: number): void {
    this.#counts.end(leaseId, nowMs);
  }

  dispose(): void {
    this.#table.dispose();
    this.#counts.dispose();
  }
}
