import * as bounds from "../bounds.js";
import type { LeaseCandidate, LeaseRequest, Released } from "../leases.js";
import { LEASE, LEASE_RELEASE, LEASE_RENEW } from "./bundle.js";
import { drawn, newId } from "./chance.js";
import { each, text, whole } from "./encode.js";
import type { Evaluate } from "./script.js";
import { type CallOptions, type RedisOptions, SharedState } from "./shared-state.js";

/** How leases are shared. */
export interface RedisLeasesOptions extends RedisOptions {
  /** Where the first round of a fresh key begins: below 2^53. Default: drawn at each call. */
  readonly draw?: number | undefined;
}

/** What `RedisLeases.acquire` answers. */
export type Acquired =
  | {
      readonly kind: "leased";
      readonly upstream: string;
      readonly leaseId: string;
      /** Higher than that of every lease before. */
      readonly fence: number;
      /** From this instant of the server's clock on it is gone, unless it is renewed. */
      readonly expiresMs: number;
      /** The same as a time from the call on, for a clock of one's own. */
      readonly expiresInMs: number;
      /** Whether this id already held this lease; then nothing has changed. */
      readonly repeated: boolean;
    }
  | { readonly kind: "wait"; readonly retryAfterMs: number }
  | { readonly kind: "empty" };

/** What `RedisLeases.renew` answers. */
export type Renewed =
  | {
      readonly kind: "renewed";
      readonly fence: number;
      /** Its expiry, on the server's clock. */
      readonly expiresMs: number;
      /** The same as a time from the call on. */
      readonly expiresInMs: number;
    }
  | { readonly kind: "gone" };

/** How long a lease lives where nothing is said. */
const DEFAULT_TTL_MS = 60_000;

/**
 * `Leases` for many workers, under one key in Redis. One round trip a call; at most 1,024
 * candidates. A worker that dies keeps its places until its leases expire, and no longer.
 */
export class RedisLeases {
  readonly #state: SharedState;
  readonly #draw: number | undefined;

  constructor(evaluate: Evaluate, key: string, options: RedisLeasesOptions = {}) {
    this.#state = new SharedState(evaluate, key, options);
    const { draw } = options;
    if (draw !== undefined) whole("draw", draw);
    this.#draw = draw;
  }

  /** Leases one of the candidates that has room, or says when to come back. */
  async acquire(request: LeaseRequest, options: CallOptions = {}): Promise<Acquired> {
    const given = bounds.checkOptions("request", request);
    const { candidates, leaseId = newId(), ttlMs = DEFAULT_TTL_MS, choice = "fewest" } = given;
    const args = [text("leaseId", leaseId), whole("ttlMs", ttlMs), text("choice", choice), drawn(this.#draw)];
    const reply = await this.#state.call(LEASE, [...args, ...each("candidates", candidates, encoded)], options);
    switch (reply.word) {
      case "leased": {
        const [upstream, fence, expiresMs, repeated] = [reply.name(), reply.whole(), reply.whole(), reply.flag()];
        const expiresInMs = expiresMs - reply.nowMs;
        return reply.all({ kind: "leased", upstream, leaseId, fence, expiresMs, expiresInMs, repeated });
      }
      case "wait":
        return reply.all({ kind: "wait", retryAfterMs: reply.whole() });
      case "empty":
        return reply.all({ kind: "empty" });
      default:
        throw reply.unknown();
    }
  }

  /** Lets a live lease expire `ttlMs` from now, if that is later than it would. */
  async renew(leaseId: string, ttlMs: number = DEFAULT_TTL_MS, options: CallOptions = {}): Promise<Renewed> {
    const reply = await this.#state.call(LEASE_RENEW, [text("leaseId", leaseId), whole("ttlMs", ttlMs)], options);
    switch (reply.word) {
      case "renewed": {
        const [fence, expiresMs] = [reply.whole(), reply.whole()];
        return reply.all({ kind: "renewed", fence, expiresMs, expiresInMs: expiresMs - reply.nowMs });
      }
      case "gone":
        return reply.all({ kind: "gone" });
      default:
        throw reply.unknown();
    }
  }

  /** Ends a lease. Twice, too late or by a stranger it answers `gone` and changes nothing. */
  async release(leaseId: string, options: CallOptions = {}): Promise<Released> {
    const reply = await this.#state.call(LEASE_RELEASE, [text("leaseId", leaseId)], options, "welcome");
    switch (reply.word) {
      case "released":
        return reply.all({ kind: "released", upstream: reply.name() });
      case "gone":
        return reply.all({ kind: "gone" });
      default:
        throw reply.unknown();
    }
  }
}

function encoded(candidate: LeaseCandidate): [string, string] {
  const { upstream, maxInFlight } = bounds.checkOptions("candidate", candidate);
  return [text("upstream", upstream), whole("maxInFlight", maxInFlight)];
}
