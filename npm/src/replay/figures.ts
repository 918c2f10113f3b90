import type { PolicyName } from "./policies.js";
import type { Run, Sample, World } from "./simulate.js";

/** What a cached token costs, and one that is not, beside one of a vendor without a cache. */
const HIT_PRICE = 0.1;
const UNCACHED_PRICE = 1.25;

/** What a policy did, as means over the seeds. All shares are of 1. */
export interface Figures {
  readonly policy: PolicyName;
  readonly hitRate: number;
  /** The hit rate beside the best one; `undefined` where nothing could have been hit. */
  readonly shareOfAchievable: number | undefined;
  /** Mean of the busiest upstream's load beside the mean load: 1 is even. */
  readonly balance: number;
  readonly overLimit: number;
  /** What the input costs; 1 is what it costs without any cache. */
  readonly inputCost: number;
  /** The share of all requests that each upstream got. */
  readonly sent: readonly number[];
  /** The load over time under the first seed. */
  readonly samples: readonly Sample[];
}

/** The figures of one policy from its runs, one a seed. */
export function figuresOf(
  policy: PolicyName,
  runs: readonly Run[],
  world: World,
  achievable: number,
): Figures {
  const hitRate = mean(runs.map(hitRateOf));
  const requests = world.requests.length;
  return {
    policy,
    hitRate,
    shareOfAchievable: achievable === 0 ? undefined : hitRate / achievable,
    balance: mean(runs.map((run) => mean(run.samples.map((sample) => spread(sample, world.weights))))),
    overLimit: mean(runs.map((run) => run.overLimit / requests)),
    inputCost: HIT_PRICE * hitRate + UNCACHED_PRICE * (1 - hitRate),
    sent: world.weights.map((_, at) => mean(runs.map((run) => (run.sent[at] ?? 0) / requests))),
    samples: runs[0]?.samples ?? [],
  };
}

/** The busiest upstream's requests in flight for its weight, beside the mean. */
function spread(sample: Sample, weights: readonly number[]): number {
  const loads = sample.inFlight.map((count, at) => count / (weights[at] ?? 1));
  return (Math.max(...loads) * sum(weights)) / sum(sample.inFlight);
}

function hitRateOf(run: Run): number {
  return run.inputTokens === 0 ? 0 : run.hitTokens / run.inputTokens;
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
