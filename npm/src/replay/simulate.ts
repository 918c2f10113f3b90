import { PromptCache } from "./cache.js";
import { Draws } from "./draws.js";
import { InFlight } from "./in-flight.js";
import type { Request } from "./log.js";
import { POLICIES, type PolicyName } from "./policies.js";
import { RequestRate } from "./request-rate.js";

/** Every so many requests the load is looked at. */
const SAMPLE_EVERY = 20;
/** The model of a request's duration: a start, a prefill and a decode. */
const START_MS = 500;
const UNCACHED_TOKENS_A_MS = 10;
const OUTPUT_TOKEN_MS = 20;

/** The traffic and the upstreams that every policy is tried on. */
export interface World {
  readonly requests: readonly Request[];
  readonly sessions: readonly string[];
  readonly links: readonly string[];
  readonly weights: readonly number[];
  /** Requests a minute, for each upstream. */
  readonly limits: readonly number[];
  readonly cacheTtlMs: number;
  readonly memoryTtlMs: number;
}

/** The load at one instant. */
export interface Sample {
  readonly timeMs: number;
  /** Requests in flight, for each upstream. */
  readonly inFlight: readonly number[];
}

/** What one policy did with the traffic. */
export interface Run {
  readonly hitTokens: number;
  readonly inputTokens: number;
  readonly overLimit: number;
  /** Requests that each upstream got. */
  readonly sent: readonly number[];
  readonly samples: readonly Sample[];
}

/** Sends all requests through a policy. `step` is told how many are done. */
export function simulate(
  world: World,
  name: PolicyName,
  seed: number,
  step: (done: number) => void = () => {},
): Run {
  const { requests, weights } = world;
  const upstreams = weights.map((_, at) => `upstream-${at + 1}`);
  const places = new Map(upstreams.map((upstream, at) => [upstream, at]));
  const caches = upstreams.map(() => new PromptCache(world.cacheTtlMs));
  const rates = world.limits.map((limit) => new RequestRate(limit));
  const sent = upstreams.map(() => 0);
  const inFlight = new InFlight(upstreams.length);
  const samples: Sample[] = [];
  const totals = { hitTokens: 0, inputTokens: 0, overLimit: 0 };
  const policy = POLICIES[name]({ ...world, upstreams, draws: new Draws(seed), seed });
  try {
    requests.forEach((request, at) => {
      const { timeMs, inputTokens } = request;
      inFlight.end(timeMs, (leaseId) => policy.ended(leaseId, timeMs));
      const leaseId = `${at}`;
      const session = world.sessions[at] ?? leaseId;
      const upstream = places.get(policy.choose({ request, session, leaseId })) ?? 0;
      const hit = caches[upstream]?.use(request) ?? 0;
      inFlight.start({ upstream, leaseId, endMs: timeMs + durationMs(request, hit) });
      totals.hitTokens += hit;
      totals.inputTokens += inputTokens;
      totals.overLimit += rates[upstream]?.record(timeMs) === true ? 1 : 0;
      sent[upstream] = (sent[upstream] ?? 0) + 1;
      if (isSampled(at, requests.length)) samples.push({ timeMs, inFlight: [...inFlight.counts] });
      step(at + 1);
    });
  } finally {
    policy.dispose();
  }
  return { ...totals, sent, samples };
}

function durationMs(request: Request, hit: number): number {
  const uncached = request.inputTokens - hit;
  return START_MS + uncached / UNCACHED_TOKENS_A_MS + request.outputTokens * OUTPUT_TOKEN_MS;
}

/** Each 20th request; in a shorter log the last. */
function isSampled(at: number, requests: number): boolean {
  return (at + 1) % SAMPLE_EVERY === 0 || (requests < SAMPLE_EVERY && at + 1 === requests);
}
