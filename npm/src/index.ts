export { AffinityTable, logSpaced } from "./affinity.js";
export type { AffinityTableOptions } from "./affinity.js";
export { Chain, chain, prefixBytes } from "./chain.js";
export type { ChainOptions, Entry } from "./chain.js";
export { entriesOf } from "./entries.js";
export type { ChatRequest } from "./entries.js";
export { PointsmanError } from "./errors.js";
export type { ErrorCode } from "./errors.js";
export { Leases } from "./leases.js";
export type {
  Acquired,
  LeaseCandidate,
  LeaseRequest,
  LeasesOptions,
  Released,
  Renewed,
} from "./leases.js";
export { LeastUsed } from "./least-used.js";
export type { Join, JoinOptions, LeastUsedOptions, Picked } from "./least-used.js";
export { Limits, TokenBucket, WindowLimit } from "./limits.js";
export type {
  Grant,
  Grants,
  Limit,
  Taken,
  TakenTogether,
  TokenBucketOptions,
  WindowLimitOptions,
} from "./limits.js";
export { outcomeOf, remainingOf } from "./outcome.js";
export type { Answer, Outcome, OutcomeOptions } from "./outcome.js";
export type { AnswerHeaders, Remaining } from "./rate-limit-headers.js";
export { NoRepeat, RoundRobin, Shuffle, random, weightedRandom } from "./rotation.js";
export type { Candidate, Different, NoRepeatOptions, ShuffleOptions } from "./rotation.js";
export { Upstreams, order, pick } from "./upstreams.js";
export type { OrderOptions } from "./upstreams.js";
