import * as bounds from "./bounds.js";
import { Handle, drawn, run } from "./core/handle.js";
import * as memory from "./core/memory.js";
import { glue } from "./core/start.js";

/** How a table of leases begins. */
export interface LeasesOptions {
  /** Where the first round begins: a random whole number below 2^53. Default: drawn here. */
  readonly draw?: number | undefined;
}

/** One that may be leased. */
export interface LeaseCandidate {
  readonly upstream: string;
  /** How many leases it may hold at a time: 1 to 1,000. */
  readonly maxInFlight: number;
}

/** What a lease is asked for. */
export interface LeaseRequest {
  readonly candidates: readonly LeaseCandidate[];
  /** 1 to 128 bytes; a repeat with the same id finds the same lease. Default: 106 random bits. */
  readonly leaseId?: string | undefined;
  /** How long the lease lives unless it is renewed: 1 to 86,400,000. Default 60,000. */
  readonly ttlMs?: number | undefined;
  /** `"fewest"` (default) live leases, or the `"first"` in the list that has room. */
  readonly choice?: "fewest" | "first" | undefined;
}

/** What `Leases.acquire` answers. */
export type Acquired =
  | {
      readonly kind: "leased";
      readonly upstream: string;
      readonly leaseId: string;
      /** Higher than that of every lease before. */
      readonly fence: number;
      readonly expiresMs: number;
      /** Whether this id already held this lease; then nothing has changed. */
      readonly repeated: boolean;
    }
  | { readonly kind: "wait"; readonly retryAfterMs: number }
  | { readonly kind: "empty" };

/** What `Leases.renew` answers. */
export type Renewed =
  | { readonly kind: "renewed"; readonly expiresMs: number; readonly fence: number }
  | { readonly kind: "gone" };

/** What `Leases.release` answers. */
export type Released =
  | { readonly kind: "released"; readonly upstream: string }
  | { readonly kind: "gone" };

/** How long a lease lives where nothing is said. */
const DEFAULT_TTL_MS = 60_000;

/**
 * Leases on upstreams, each with an expiry of its own; in flight is the number of live leases, and
 * nothing else. A holder that dies keeps its place until its lease expires, and no longer.
 */
export class Leases extends Handle<glue.Leases> {
  /** @internal A minifier renames the class. */
  static override readonly name = "Leases";

  constructor(options: LeasesOptions = {}) {
    const { draw } = bounds.checkOptions("options", options);
    const chance = drawn(draw);
    super(() => new glue.Leases(chance));
  }

  /** Leases one of the candidates that has room, or says when to come back. */
  acquire(request: LeaseRequest, now?: number): Acquired {
    const held = this.held;
    const { candidates, leaseId = newId(), ttlMs = DEFAULT_TTL_MS, choice = "fewest" } =
      bounds.checkOptions("request", request);
    bounds.checkList("candidates", candidates, bounds.MAX_UPSTREAMS);
    const all = Array.from(candidates, checkCandidate);
    checkLeaseId(leaseId);
    checkTtl(ttlMs);
    const first = bounds.checkWord("choice", choice, ["fewest", "first"]) === 1;
    const nowMs = bounds.instant(now);
    const upstream = run(() => {
      memory.open();
      memory.putFramed(leaseId);
      for (const candidate of all) {
        memory.putFramed(candidate.upstream);
        memory.putNumber(candidate.maxInFlight);
      }
      const acquired = held.acquire(memory.written(), all.length, first, ttlMs, nowMs);
      memory.close();
      return acquired;
    });
    if (upstream === undefined) {
      if (memory.answer(0) === 2) return { kind: "empty" };
      return { kind: "wait", retryAfterMs: memory.answer(1) };
    }
    return {
      kind: "leased",
      upstream,
      leaseId,
      fence: memory.answer(1),
      expiresMs: memory.answer(2),
      repeated: memory.answer(3) === 1,
    };
  }

  /** Lets a live lease expire `ttlMs` from now, if that is later than it would. */
  renew(leaseId: string, ttlMs: number = DEFAULT_TTL_MS, now?: number): Renewed {
    const held = this.held;
    checkTtl(ttlMs);
    const nowMs = bounds.instant(now);
    this.#withText(checkLeaseId(leaseId), (bytes) => held.renew(bytes, ttlMs, nowMs));
    if (memory.answer(0) === 1) return { kind: "gone" };
    return { kind: "renewed", expiresMs: memory.answer(1), fence: memory.answer(2) };
  }

  /** Ends a lease. Twice, too late or by a stranger it answers `gone` and changes nothing. */
  release(leaseId: string, now?: number): Released {
    const held = this.held;
    const nowMs = bounds.instant(now);
    const upstream = this.#withText(checkLeaseId(leaseId), (bytes) => held.release(bytes, nowMs));
    return upstream === undefined ? { kind: "gone" } : { kind: "released", upstream };
  }

  /** How many live leases an upstream has. */
  inFlight(upstream: string, now?: number): number {
    const held = this.held;
    const nowMs = bounds.instant(now);
    const name = bounds.checkName("upstream", upstream);
    return this.#withText(name, (bytes) => held.inFlight(bytes, nowMs));
  }

  #withText<T>(text: string, call: (bytes: number) => T): T {
    return run(() => {
      memory.open();
      memory.put(text);
      return call(memory.written());
    });
  }
}

/** A copy: what was checked is what is used. */
function checkCandidate(candidate: LeaseCandidate): LeaseCandidate {
  const { upstream, maxInFlight } = bounds.checkOptions("candidate", candidate);
  return {
    upstream: bounds.checkName("upstream", upstream),
    maxInFlight: bounds.checkWhole("maxInFlight", maxInFlight, 1, bounds.MAX_IN_FLIGHT),
  };
}

function checkLeaseId(leaseId: unknown): string {
  return bounds.checkBytes("leaseId", leaseId, 1, bounds.MAX_LEASE_ID_BYTES);
}

function checkTtl(ttlMs: number): void {
  bounds.checkWhole("ttlMs", ttlMs, 1, bounds.MAX_LEASE_TTL_MS);
}

function newId(): string {
  const half = (): string => drawn(undefined).toString(16).padStart(14, "0");
  return half() + half();
}
