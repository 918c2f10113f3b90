import { type Acquired, type LeaseCandidate, LeastUsed, Leases } from "../index.js";
import { UNUSABLE, Failure } from "./failure.js";

/** The most that `Leases` grants on one upstream. */
const MOST = 1_000;
/** Longer than any request lasts; the replay ends each lease itself. */
const TTL_MS = 86_400_000;

/** What is in flight, as the library's leases count it, and what each upstream got so far. */
export class LoadCounts {
  /** How many requests are in flight. */
  size = 0;
  readonly #upstreams: readonly string[];
  readonly #leases: Leases;
  readonly #used: LeastUsed;

  constructor(upstreams: readonly string[], draw: number) {
    this.#upstreams = upstreams;
    this.#leases = new Leases({ draw });
    this.#used = new LeastUsed(upstreams, { draw });
  }

  /** Of all the one with the fewest in flight; of equals the least used. */
  fewest(leaseId: string, nowMs: number): string {
    const counts = this.#upstreams.map((upstream) => this.#leases.inFlight(upstream, nowMs));
    const fewest = Math.min(...counts);
    const picked = this.#used.pick(this.#upstreams.filter((_, at) => counts[at] !== fewest));
    const chosen = picked.kind === "upstream" ? [{ upstream: picked.upstream, maxInFlight: MOST }] : [];
    return this.#acquire(chosen, "first", leaseId, nowMs);
  }

  /** Of some the one with the fewest in flight. */
  fewestOf(upstreams: readonly string[], leaseId: string, nowMs: number): string {
    const candidates = upstreams.map((upstream) => ({ upstream, maxInFlight: MOST }));
    return this.#counted(this.#acquire(candidates, "fewest", leaseId, nowMs));
  }

  /** The first that has fewer in flight than its bound; without a bound, the first. */
  first(
    upstreams: readonly string[],
    leaseId: string,
    nowMs: number,
    bound: (upstream: string) => number = () => MOST,
  ): string {
    const candidates = upstreams.map((upstream) => ({
      upstream,
      maxInFlight: Math.min(bound(upstream), MOST),
    }));
    return this.#counted(this.#acquire(candidates, "first", leaseId, nowMs));
  }

  end(leaseId: string, nowMs: number): void {
    this.size -= 1;
    this.#leases.release(leaseId, nowMs);
  }

  dispose(): void {
    this.#leases.dispose();
    this.#used.dispose();
  }

  #counted(upstream: string): string {
    this.#used.record(upstream);
    return upstream;
  }

  #acquire(
    candidates: readonly LeaseCandidate[],
    choice: "fewest" | "first",
    leaseId: string,
    nowMs: number,
  ): string {
    const acquired: Acquired = this.#leases.acquire(
      { candidates, leaseId, ttlMs: TTL_MS, choice },
      nowMs,
    );
    if (acquired.kind !== "leased") {
      const message = `more than ${MOST} requests are in flight at an upstream, the most that leases count: use more --upstreams`;
      throw new Failure(message, UNUSABLE);
    }
    this.size += 1;
    return acquired.upstream;
  }
}
