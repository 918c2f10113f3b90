// Every argument of every call in Redis, given what is of another type, cannot be sent as it is, or is
// out of its range: refused by its name, before anything was written.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  inspect,
  PointsmanError,
  RedisAffinity,
  RedisLeases,
  RedisLeastUsed,
  RedisLimits,
  RedisNoRepeat,
  RedisShuffle,
} from "../dist/redis.js";
import { CLIENTS } from "./redis-clients.mjs";
import { startServer } from "./redis-server.mjs";

const NUMBERS = [Number.NaN, -1, -0.5, 1.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, 1e21];
const OTHERS = [null, true, Symbol("s"), 5n, "5", "", [], {}, () => 5, new Date(0), new String("a"), "\ud800", "a\udc00b"];
const GARBAGE = [...NUMBERS, 0, 1, ...OTHERS];

const wellFormed = (value) => typeof value === "string" && value.isWellFormed();
const filled = (value) => wellFormed(value) && value !== "";
const list = (value) => Array.isArray(value);
const object = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
// The letters of a `String` are keys.
const empty = (value) => object(value) && Object.keys(value).length === 0;
const whole = (min, max) => (value) => Number.isInteger(value) && value >= min && value <= max;
const none = () => false;
const instant = whole(1, 9_007_199_254_740);
const [ms, safe] = [whole(0, 9_007_199_254_740), whole(0, Number.MAX_SAFE_INTEGER)];
const positive = whole(1, Number.MAX_SAFE_INTEGER);
const keep = whole(1_000, 34_560_000_000);
const timeout = whole(1, 2 ** 31 - 1);
const now = 1_700_000_000_000;
const LIMIT = { name: "n", capacity: 9, refill: 1, periodMs: 1 };
const WINDOW = { name: "n", capacity: 9, windowMs: 1 };
const LINK = "0123456789abcdef";
const CANDIDATE = { upstream: "a", maxInFlight: 1 };
const atOnce = async () => ["gone", 1, now, 0];

// [what it is, the argument that the error names (unless several can be), the call with one argument
// left open, what is good there]
function openings(evaluate) {
  const take = (more, key = "take") => new RedisLimits(evaluate, key, [LIMIT], { version: 1, ...more });
  const limits = (limit, key = "limit") => new RedisLimits(evaluate, `${key} ${next()}`, [limit], { version: 1 });
  const used = (more = {}, upstreams = ["a"]) => new RedisLeastUsed(evaluate, `used ${next()}`, upstreams, { version: 1, ...more });
  const counted = new RedisLeastUsed(evaluate, "used", ["a"], { version: 1 });
  const leases = (more) => new RedisLeases(evaluate, "leases", more);
  const lease = (more) => leases({}).acquire({ candidates: [CANDIDATE], leaseId: "l", ...more }, { now });
  const shuffle = (more) => new RedisShuffle(evaluate, "shuffle", more);
  const noRepeat = (more) => new RedisNoRepeat(evaluate, "no-repeat", more);
  const affinity = (more) => new RedisAffinity(evaluate, "affinity", more);
  let count = 0;
  const next = () => (count += 1);
  const costs = { n: 1 };
  return [
    ["evaluate", "evaluate", (v) => new RedisLeases(v, "k").release("l"), none],
    ["key", "key", (v) => new RedisLeases(evaluate, v).release("l", { now }), filled],
    ["options", "options", (v) => leases(v).release("l", { now }), object],
    // A server that answers at once: a real one may need longer than the millisecond that is good here.
    ["timeoutMs", "timeoutMs", (v) => new RedisLeases(atOnce, "k", { timeoutMs: v }).release("l", { now }), timeout],
    ["options of a call", "options", (v) => leases().release("l", v), object],
    ["now", "now", (v) => leases().release("l", { now: v }), instant],
    ["inspect options", "options", (v) => inspect(evaluate, "k", v), object],
    ["inspect now", "now", (v) => inspect(evaluate, "k", { now: v }), instant],
    ["Limits limits", undefined, (v) => new RedisLimits(evaluate, "k", v, { version: 1 }).take(costs, { now }), none],
    ["Limits limit", undefined, (v) => limits(v).take(costs, { now }), none],
    ["Limits options", undefined, (v) => new RedisLimits(evaluate, "k", [LIMIT], v).take(costs, { now }), none],
    ["name", "name", (v) => limits({ ...LIMIT, name: v }).take({ [String(v ?? "")]: 1 }, { now }), filled],
    ["capacity", "capacity", (v) => limits({ ...LIMIT, capacity: v }).take(costs, { now }), positive],
    ["refill", "refill", (v) => limits({ ...LIMIT, refill: v }).take(costs, { now }), positive],
    ["periodMs", "periodMs", (v) => limits({ ...LIMIT, periodMs: v }).take(costs, { now }), (v) => ms(v) && v > 0],
    ["windowMs", undefined, (v) => limits({ ...WINDOW, windowMs: v }).take(costs, { now }), (v) => ms(v) && v > 0],
    ["start of one limit", "start", (v) => limits({ ...LIMIT, start: v }).take(costs, { now }), none],
    ["version of limits", "version", (v) => take({ version: v }, `take ${next()}`).take(costs, { now }), safe],
    ["inherit", "inherit", (v) => take({ inherit: v }).take(costs, { now }), none],
    ["start", "start", (v) => take({ start: v }).take(costs, { now }), none],
    ["onUnreachable", "onUnreachable", (v) => take({ onUnreachable: v }).take(costs, { now }), none],
    ["take costs", undefined, (v) => take().take(v, { now }), none],
    ["take cost", undefined, (v) => take().take({ n: v }, { now }), positive],
    ["take options", "options", (v) => take().take(costs, v), object],
    ["takeId", "takeId", (v) => take().take(costs, { takeId: v, now }), filled],
    ["maxWaitMs", "maxWaitMs", (v) => take().take(costs, { maxWaitMs: v, now }), ms],
    ["takeWhenFree options", "options", (v) => take({}, `when ${next()}`).takeWhenFree(costs, v), object],
    ["takeWhenFree maxWaitMs", "maxWaitMs", (v) => take({}, `when ${next()}`).takeWhenFree(costs, { maxWaitMs: v }), ms],
    ["takeWhenFree signal", "signal", (v) => take({}, `when ${next()}`).takeWhenFree(costs, { signal: v }), none],
    ["cancel takeId", "takeId", (v) => take().cancel(v, { now }), filled],
    ["settle takeId", "takeId", (v) => take().settle(v, costs, { now }), filled],
    ["settle actual", undefined, (v) => take().settle("t", v, { now }), empty],
    ["settle one actual", "actual", (v) => take().settle("t", { n: v }, { now }), safe],
    ["LeastUsed upstreams", "upstreams", (v) => used({}, v).pick([], { now }), list],
    ["LeastUsed upstream", "upstream", (v) => used({}, [v]).pick([], { now }), filled],
    ["LeastUsed version", "version", (v) => used({ version: v }).pick([], { now }), safe],
    ["LeastUsed weights", "weights", (v) => used({ weights: v }, []).pick([], { now }), list],
    ["LeastUsed weight", "weight", (v) => used({ weights: [v] }).pick([], { now }), whole(0, 65_535)],
    ["LeastUsed join", "join", (v) => used({ join: v }).pick([], { now }), none],
    ["LeastUsed keepMs", "keepMs", (v) => used({ keepMs: v }).pick([], { now }), keep],
    ["LeastUsed draw", "draw", (v) => used({ draw: v }).pick([], { now }), safe],
    ["pick excluded", "excluded", (v) => counted.pick(v, { now }), list],
    ["pick excluded upstream", "excluded", (v) => counted.pick([v], { now }), filled],
    ["pick requestId", "requestId", (v) => counted.pick([], { requestId: v, now }), filled],
    ["record upstream", "upstream", (v) => counted.record(v, 1, { now }), filled],
    ["record requestId", "requestId", (v) => counted.record("a", 1, { requestId: v, now }), filled],
    ["record times", "times", (v) => counted.record("a", v, { now }), safe],
    ["Leases draw", "draw", (v) => leases({ draw: v }).acquire({ candidates: [CANDIDATE] }, { now }), safe],
    ["acquire request", undefined, (v) => leases().acquire(v, { now }), none],
    ["acquire candidates", "candidates", (v) => lease({ candidates: v }), list],
    ["acquire candidate", undefined, (v) => lease({ candidates: [v] }), none],
    ["acquire upstream", "upstream", (v) => lease({ candidates: [{ ...CANDIDATE, upstream: v }] }), filled],
    ["acquire maxInFlight", "maxInFlight", (v) => lease({ candidates: [{ ...CANDIDATE, maxInFlight: v }] }), whole(1, 1_000)],
    ["acquire leaseId", "leaseId", (v) => lease({ leaseId: v }), filled],
    ["acquire ttlMs", "ttlMs", (v) => lease({ ttlMs: v }), whole(1, 86_400_000)],
    ["acquire choice", "choice", (v) => lease({ choice: v }), none],
    ["renew leaseId", "leaseId", (v) => leases().renew(v, 1, { now }), filled],
    ["renew ttlMs", "ttlMs", (v) => leases().renew("l", v, { now }), whole(1, 86_400_000)],
    ["release leaseId", "leaseId", (v) => leases().release(v, { now }), filled],
    ["Shuffle noBoundaryRepeat", "noBoundaryRepeat", (v) => shuffle({ noBoundaryRepeat: v }).next([], { now }), (v) => v === true],
    ["Shuffle keepMs", "keepMs", (v) => shuffle({ keepMs: v }).next(["a"], { now }), keep],
    ["Shuffle upstreams", "upstreams", (v) => shuffle().next(v, { now }), list],
    ["Shuffle upstream", "upstream", (v) => shuffle().next([v], { now }), filled],
    ["Shuffle requestId", "requestId", (v) => shuffle().next(["a"], { requestId: v, now }), filled],
    ["Shuffle draw", "draw", (v) => shuffle().next(["a"], { draw: v, now }), safe],
    ["NoRepeat by", "by", (v) => noRepeat({ by: v }).next(["a"], { now }), none],
    ["NoRepeat onlyOne", "onlyOne", (v) => noRepeat({ onlyOne: v }).next(["a"], { now }), none],
    ["NoRepeat gapMs", "gapMs", (v) => noRepeat({ onlyOne: "wait", gapMs: v }).next(["a"], { now }), ms],
    ["NoRepeat keepMs", "keepMs", (v) => noRepeat({ keepMs: v }).next(["a"], { now }), keep],
    ["NoRepeat candidates", "candidates", (v) => noRepeat().next(v, { now }), list],
    ["NoRepeat candidate", undefined, (v) => noRepeat().next([v], { now }), filled],
    ["NoRepeat upstream", "upstream", (v) => noRepeat().next([{ upstream: v }], { now }), filled],
    ["NoRepeat exit", "exit", (v) => noRepeat().next([{ upstream: "a", exit: v }], { now }), wellFormed],
    ["NoRepeat weight", "weight", (v) => noRepeat().next([{ upstream: "a", weight: v }], { now }), whole(0, 65_535)],
    ["NoRepeat requestId", "requestId", (v) => noRepeat().next(["a"], { requestId: v, now }), filled],
    ["NoRepeat draw", "draw", (v) => noRepeat().next(["a"], { draw: v, now }), safe],
    ["observe upstream", "upstream", (v) => noRepeat().observe(v, "x", { now }), filled],
    ["observe exit", "exit", (v) => noRepeat().observe("a", v, { now }), filled],
    ["Affinity maxLinks", "maxLinks", (v) => affinity({ maxLinks: v }).remember([LINK], "a", { now }), whole(0, 2 ** 24)],
    ["Affinity ttlMs", "ttlMs", (v) => affinity({ ttlMs: v }).remember([LINK], "a", { now }), (v) => ms(v) && v > 0],
    ["recall links", "links", (v) => affinity().recall(v, { now }), list],
    ["recall link", "link", (v) => affinity().recall([v], { now }), none],
    ["remember links", "links", (v) => affinity().remember(v, "a", { now }), list],
    ["remember link", "link", (v) => affinity().remember([v], "a", { now }), (v) => v === ""],
    ["remember upstream", "upstream", (v) => affinity().remember([LINK], v, { now }), wellFormed],
  ];
}

/** A key is refused by the script, and what may be called is told apart by what it answers. */
function codeOf(what, value) {
  if (what === "key" && value === "") return "KEYS";
  return what === "evaluate" && typeof value === "function" ? "REPLY" : "ARGUMENT";
}

const shown = (value) => `${typeof value} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`;

/** A call as a promise, also where a constructor throws. */
const attempt = async (call, value) => call(value);

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test("no argument of another type or out of its range passes", async () => {
  const { evaluate, client, close } = await CLIENTS.ioredis(server.port);
  const writes = async () => /^rdb_changes_since_last_save:(\d+)/m.exec(await client.info("persistence"))[1];
  try {
    for (const [what, argument, call, good] of openings(evaluate)) {
      for (const value of GARBAGE) {
        const where = `${what}: ${shown(value)}`;
        if (good(value)) {
          await attempt(call, value);
          continue;
        }
        const before = await writes();
        const error = await attempt(call, value).then(() => assert.fail(where), (thrown) => thrown);
        assert.ok(error instanceof PointsmanError, `${where}: ${error}`);
        assert.equal(error.code, codeOf(what, value), `${where}: ${error}`);
        if (argument !== undefined && error.code === "ARGUMENT") {
          assert.equal(error.argument, argument, `${where}: ${error.message}`);
          assert.equal(error.message, `${argument} is ${error.value}, but must be ${error.bound}`);
        }
        assert.equal(await writes(), before, where);
      }
    }
  } finally {
    close();
  }
});

test("values that change or are not there do no harm", async () => {
  const sent = [];
  const evaluate = async (_command, _script, _keys, args) => {
    sent.push(args);
    return ["empty", 1, now, 0];
  };
  let reads = 0;
  const changing = { upstream: "a", get maxInFlight() { return reads++ === 0 ? 1 : 5_000; } };
  const leases = new RedisLeases(evaluate, "k", { draw: 4 });
  await leases.acquire({ candidates: [changing], leaseId: "l" }, { now });
  assert.deepEqual(sent, [[String(now), "0", "l", "60000", "fewest", "4", "a", "1"]]);
  const limits = new RedisLimits(evaluate, "k", [WINDOW], { version: 1 });
  const refused = { name: "PointsmanError", code: "ARGUMENT" };
  for (const sparse of [[, "b"], ["a", , "b"]]) {
    await assert.rejects(new RedisShuffle(evaluate, "k").next(sparse), refused);
    await assert.rejects(new RedisNoRepeat(evaluate, "k").next(sparse), refused);
  }
  await assert.rejects(limits.take({ other: 1 }), { ...refused, argument: "limit", value: '"other"' });
  await assert.rejects(limits.take({ toString: 1 }), refused);
  await assert.rejects(leases.acquire({ candidates: new Array(65_536) }), { ...refused, argument: "candidates" });
  assert.throws(() => new RedisLimits(evaluate, "k", [{ ...LIMIT, windowMs: 1 }], { version: 1 }), refused);
  assert.equal(sent.length, 1);
});
