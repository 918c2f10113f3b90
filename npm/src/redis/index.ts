export { PointsmanError } from "../errors.js";
export type { ErrorCode } from "../errors.js";
export type { LeaseCandidate, LeaseRequest, Released } from "../leases.js";
export type { Join } from "../least-used.js";
export type { Candidate } from "../rotation.js";
export { fromIoredis, fromNodeRedis } from "./adapters.js";
export type { IoredisClient, NodeRedisClient } from "./adapters.js";
export { RedisAffinity } from "./affinity.js";
export type { Recalled, RedisAffinityOptions, Remembered } from "./affinity.js";
export { inspect } from "./inspect.js";
export type { Inspected } from "./inspect.js";
export { RedisLeases } from "./leases.js";
export type { Acquired, RedisLeasesOptions, Renewed } from "./leases.js";
export { RedisLeastUsed } from "./least-used.js";
export type { Configured, Picked, Recorded, RedisLeastUsedOptions } from "./least-used.js";
export { RedisLimits } from "./limits.js";
export type { RedisLimitsOptions, TakeOptions, WaitOptions } from "./limits.js";
export { RedisNoRepeat, RedisShuffle } from "./rotation.js";
export type {
  Different,
  DrawOptions,
  RedisNoRepeatOptions,
  RedisShuffleOptions,
  Shuffled,
} from "./rotation.js";
export type { Costs, RedisLimit } from "./rules.js";
export type { Evaluate } from "./script.js";
export type { CallOptions, RedisOptions, RequestOptions } from "./shared-state.js";
export type { Cancelled, Settled, Taken } from "./taken.js";
export type { Signal } from "./waiting.js";
