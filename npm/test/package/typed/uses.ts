import { type Acquired, Leases, PointsmanError, TokenBucket, Upstreams, order, pick } from "pointsman";
import { chain } from "pointsman/js";
import { type Evaluate, RedisLimits, type Taken } from "pointsman/redis";
import { chain as chainInWasm } from "pointsman/wasm";

const indices: number[] = order("session:42", ["a", "b"], { weights: [1, 2], seed: 7n });
const chosen: string | undefined = pick("session:42", ["a", "b"]);
const links: string[] = chain(["system", ["role", "text"], new Uint8Array(3)], { namespace: "tenant" });
const sameLinks: string[] = chainInWasm(links);

const upstreams = new Upstreams(["a", "b"]);
upstreams[Symbol.dispose]();
const taken = new TokenBucket({ capacity: 10, refill: 1, periodMs: 1000 }).take();
const waits: number = taken.kind === "wait" ? taken.retryAfterMs : 0;
const leased: Acquired = new Leases().acquire({ candidates: [{ upstream: "a", maxInFlight: 1 }] });
const upstream: string | undefined = leased.kind === "leased" ? leased.upstream : undefined;

const evaluate: Evaluate = async () => [];
const shared = new RedisLimits(evaluate, "key", [{ name: "requests", capacity: 60, windowMs: 60_000 }], { version: 1 });
const took: Promise<Taken> = shared.takeWhenFree({ requests: 1 });
const waitsAtRedis = (answer: Taken): number => (answer.kind === "wait" ? answer.retryAfterMs : 0);

const refused = (error: unknown): boolean => error instanceof PointsmanError && error.code === "ARGUMENT";

// @ts-expect-error A key is a string.
order(42, ["a"]);
// @ts-expect-error A grant has no time to wait: types tell outcomes apart.
taken.retryAfterMs;
// @ts-expect-error Rules have a version.
new RedisLimits(evaluate, "key", [], {});

export { chosen, indices, refused, sameLinks, took, upstream, waits, waitsAtRedis };
