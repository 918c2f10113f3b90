import { LeastUsed, RoundRobin, Upstreams, random, weightedRandom } from "../index.js";
import type { Draws } from "./draws.js";
import { LoadCounts } from "./load-counts.js";
import type { Request } from "./log.js";
import { TablePolicy } from "./table-policy.js";

/** What a policy knows when it begins. */
export interface Setting {
  readonly upstreams: readonly string[];
  /** A share for each upstream. Those policies follow it that `FOLLOWS_WEIGHTS` names. */
  readonly weights: readonly number[];
  readonly draws: Draws;
  readonly seed: number;
  /** How long a table remembers a link. */
  readonly memoryTtlMs: number;
  /** The links of the blocks. */
  readonly links: readonly string[];
}

/** What a policy is asked. */
export interface Question {
  readonly request: Request;
  readonly session: string;
  readonly leaseId: string;
}

/** Decides by the library alone; here is only what is handed to it. */
export interface Policy {
  /** The upstream that gets the request. */
  choose(question: Question): string;
  /** The request has ended. */
  ended(leaseId: string, nowMs: number): void;
  /** Frees what the policy holds in the library. */
  dispose(): void;
}

/** The policies, in the order in which they are shown. */
export const POLICIES = {
  random: randomly,
  round_robin: roundRobin,
  least_used: leastUsed,
  least_in_flight: leastInFlight,
  two_choices: twoChoices,
  rendezvous: rendezvous,
  rendezvous_bounded: rendezvousBounded,
  table_last: (setting: Setting) => new TablePolicy(setting, "last"),
  table_log: (setting: Setting) => new TablePolicy(setting, "log"),
} as const satisfies Record<string, (setting: Setting) => Policy>;

export type PolicyName = keyof typeof POLICIES;

/** The policies to which a weight means something. */
export const FOLLOWS_WEIGHTS: readonly PolicyName[] = [
  "random",
  "least_used",
  "rendezvous",
  "rendezvous_bounded",
];

/** How far above the mean the bounded rendezvous lets an upstream go. */
const BOUND = 1.25;

export function isPolicyName(name: string): name is PolicyName {
  return Object.hasOwn(POLICIES, name);
}

function stateless(choose: (question: Question) => string, dispose = (): void => {}): Policy {
  return { choose, ended: () => {}, dispose };
}

/** By weight, if there are weights. */
function randomly({ upstreams, weights, draws }: Setting): Policy {
  const equal = weights.every((weight) => weight === weights[0]);
  if (equal) return stateless(() => present(random(upstreams, draws.next())));
  return stateless(() => present(weightedRandom(upstreams, weights, draws.next())));
}

function roundRobin({ upstreams }: Setting): Policy {
  const rotation = new RoundRobin();
  return stateless(
    () => present(rotation.next(upstreams)),
    () => rotation.dispose(),
  );
}

function leastUsed({ upstreams, weights, draws }: Setting): Policy {
  const counts = new LeastUsed(upstreams, { weights, draw: draws.next() });
  return stateless(
    () => {
      const picked = counts.pick();
      return present(picked.kind === "upstream" ? picked.upstream : undefined);
    },
    () => counts.dispose(),
  );
}

function leastInFlight({ upstreams, draws }: Setting): Policy {
  const counts = new LoadCounts(upstreams, draws.next());
  return counted(counts, ({ leaseId, request }) => counts.fewest(leaseId, request.timeMs));
}

/** Two upstreams by chance, which may be the same one; the one with fewer in flight. */
function twoChoices({ upstreams, draws }: Setting): Policy {
  const counts = new LoadCounts(upstreams, draws.next());
  return counted(counts, ({ leaseId, request }) => {
    const two = [draws.next(), draws.next()].map((draw) => present(random(upstreams, draw)));
    return counts.fewestOf(two, leaseId, request.timeMs);
  });
}

function rendezvous({ upstreams, weights, seed }: Setting): Policy {
  const handle = new Upstreams(upstreams, { weights, seed });
  return stateless(
    ({ session }) => present(handle.pick(session)),
    () => handle.dispose(),
  );
}

/** The first in the key's order that has fewer in flight than 1.25 of its share, this one included. */
function rendezvousBounded({ upstreams, weights, seed, draws }: Setting): Policy {
  const handle = new Upstreams(upstreams, { weights, seed });
  const counts = new LoadCounts(upstreams, draws.next());
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = new Map(upstreams.map((name, at) => [name, (weights[at] ?? 0) / all]));
  return counted(
    counts,
    ({ session, leaseId, request }) => {
      const bound = (name: string): number =>
        Math.ceil(BOUND * (counts.size + 1) * (shares.get(name) ?? 0));
      return counts.first(handle.order(session), leaseId, request.timeMs, bound);
    },
    () => handle.dispose(),
  );
}

function counted(
  counts: LoadCounts,
  choose: (question: Question) => string,
  dispose = (): void => {},
): Policy {
  return {
    choose,
    ended: (leaseId, nowMs) => counts.end(leaseId, nowMs),
    dispose: () => {
      counts.dispose();
      dispose();
    },
  };
}

function present(upstream: string | undefined): string {
  if (upstream === undefined) throw new Error("there is no upstream");
  return upstream;
}
