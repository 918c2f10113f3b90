// What JavaScript's types let through: every argument of every function, given each value that is
// of another type, not a number, fractional, negative, infinite or too large.
import assert from "node:assert/strict";
import test from "node:test";

const NUMBERS = [Number.NaN, -1, -0.5, 1.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, 1e21];
const OTHERS = [null, true, Symbol("s"), 5n, "5", "", [], {}, () => 5, new Date(0)];
const GARBAGE = [...NUMBERS, 0, 1, ...OTHERS];

const text = (value) => typeof value === "string";
const filled = (value) => text(value) && value !== "";
const list = (value) => Array.isArray(value);
const object = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const whole = (min, max) => (value) => Number.isInteger(value) && value >= min && value <= max;
const [none, ms] = [() => false, whole(0, 9_007_199_254_740)];
const [safe, positive] = [whole(0, Number.MAX_SAFE_INTEGER), whole(1, Number.MAX_SAFE_INTEGER)];
const seed = (value) => safe(value) || (typeof value === "bigint" && value >= 0n);
const LINK = "0123456789abcdef";

// [what it is, the call with one argument left open, which garbage is good there]
function openings(p) {
  const upstreams = new p.Upstreams(["a", "b"]);
  const table = new p.AffinityTable();
  const shuffle = new p.Shuffle();
  const noRepeat = new p.NoRepeat();
  const leastUsed = new p.LeastUsed(["a"], { draw: 0 });
  const leases = new p.Leases({ draw: 0 });
  const bucket = new p.TokenBucket({ capacity: 9, refill: 1, periodMs: 1 });
  const window = new p.WindowLimit({ capacity: 9, windowMs: 1 });
  const limits = new p.Limits([{ capacity: 9, windowMs: 1 }]);
  const grant = bucket.take(1, 0);
  const candidates = [{ upstream: "a", maxInFlight: 1 }];
  const limit = { capacity: 9, refill: 1, periodMs: 1 };
  const lease = (more) => leases.acquire({ candidates, leaseId: "l", ...more }, 0);
  return [
    ["pick key", (v) => p.pick(v, ["a"]), filled],
    ["pick upstreams", (v) => p.pick("k", v), list],
    ["pick upstream", (v) => p.pick("k", [v]), filled],
    ["pick options", (v) => p.pick("k", ["a"], v), object],
    ["pick weights", (v) => p.pick("k", [], { weights: v }), list],
    ["pick weight", (v) => p.pick("k", ["a"], { weights: [v] }), whole(0, 65_535)],
    ["pick seed", (v) => p.pick("k", ["a"], { seed: v }), seed],
    ["order key", (v) => p.order(v, ["a"]), filled],
    ["order upstreams", (v) => p.order("k", v), list],
    ["Upstreams upstreams", (v) => new p.Upstreams(v), list],
    ["Upstreams options", (v) => new p.Upstreams(["a"], v), object],
    ["Upstreams.pick key", (v) => upstreams.pick(v), filled],
    ["Upstreams.order key", (v) => upstreams.order(v), filled],
    ["Upstreams.order limit", (v) => upstreams.order("k", v), whole(0, 2)],
    ["Upstreams.indices key", (v) => upstreams.indices(v), filled],
    ["Upstreams.with name", (v) => upstreams.with(v), filled],
    ["Upstreams.with weight", (v) => upstreams.with("a", v), whole(0, 65_535)],
    ["Upstreams.without name", (v) => upstreams.without(v), none],
    ["chain entries", (v) => p.chain(v), list],
    ["chain entry", (v) => p.chain([v]), (v) => text(v) || list(v)],
    ["chain part", (v) => p.chain([["a", v]]), text],
    ["chain options", (v) => p.chain(["a"], v), object],
    ["chain namespace", (v) => p.chain(["a"], { namespace: v }), (v) => text(v) || list(v)],
    ["chain seed", (v) => p.chain(["a"], { seed: v }), seed],
    ["prefixBytes entries", (v) => p.prefixBytes(v), list],
    ["prefixBytes entry", (v) => p.prefixBytes([v]), (v) => text(v) || list(v)],
    ["logSpaced links", (v) => p.logSpaced(v), whole(0, 65_535)],
    ["AffinityTable options", (v) => new p.AffinityTable(v), object],
    ["AffinityTable maxLinks", (v) => new p.AffinityTable({ maxLinks: v }), whole(0, 2 ** 24)],
    ["AffinityTable ttlMs", (v) => new p.AffinityTable({ ttlMs: v }), (v) => ms(v) && v > 0],
    ["recall links", (v) => table.recall(v, 0), list],
    ["recall link", (v) => table.recall([v], 0), none],
    ["recall now", (v) => table.recall([LINK], v), ms],
    ["remember links", (v) => table.remember(v, "a", 0), list],
    ["remember upstream", (v) => table.remember([LINK], v, 0), text],
    ["remember now", (v) => table.remember([LINK], "a", v), ms],
    ["random upstreams", (v) => p.random(v, 0), list],
    ["random draw", (v) => p.random(["a"], v), safe],
    ["weightedRandom weights", (v) => p.weightedRandom([], v, 0), list],
    ["weightedRandom weight", (v) => p.weightedRandom(["a"], [v], 0), whole(0, 65_535)],
    ["RoundRobin.next upstreams", (v) => new p.RoundRobin().next(v), list],
    ["Shuffle options", (v) => new p.Shuffle(v), object],
    ["Shuffle noBoundaryRepeat", (v) => new p.Shuffle({ noBoundaryRepeat: v }), (v) => v === true],
    ["Shuffle.next upstreams", (v) => shuffle.next(v, 0), list],
    ["Shuffle.next draw", (v) => shuffle.next(["a"], v), safe],
    ["NoRepeat options", (v) => new p.NoRepeat(v), object],
    ["NoRepeat by", (v) => new p.NoRepeat({ by: v }), none],
    ["NoRepeat onlyOne", (v) => new p.NoRepeat({ onlyOne: v }), none],
    ["NoRepeat gapMs", (v) => new p.NoRepeat({ onlyOne: "wait", gapMs: v }), ms],
    ["NoRepeat.next candidates", (v) => noRepeat.next(v, 0, 0), list],
    ["NoRepeat.next candidate", (v) => noRepeat.next([v], 0, 0), filled],
    ["NoRepeat.next exit", (v) => noRepeat.next([{ upstream: "a", exit: v }], 0, 0), filled],
    ["NoRepeat.next weight", (v) => noRepeat.next([{ upstream: "a", weight: v }], 0, 0), whole(0, 65_535)],
    ["NoRepeat.next now", (v) => noRepeat.next(["a"], 0, v), ms],
    ["observe upstream", (v) => noRepeat.observe(v, "x"), filled],
    ["observe exit", (v) => noRepeat.observe("a", v), filled],
    ["LeastUsed upstreams", (v) => new p.LeastUsed(v, { draw: 0 }), list],
    ["LeastUsed options", (v) => new p.LeastUsed([], v), object],
    ["LeastUsed draw", (v) => new p.LeastUsed([], { draw: v }), safe],
    ["LeastUsed.add upstream", (v) => new p.LeastUsed([], { draw: 0 }).add(v), filled],
    ["LeastUsed.add weight", (v) => new p.LeastUsed([], { draw: 0 }).add("b", { weight: v }), whole(0, 65_535)],
    ["LeastUsed.add join", (v) => new p.LeastUsed([], { draw: 0 }).add("b", { join: v }), none],
    ["LeastUsed.remove upstream", (v) => leastUsed.remove(v), filled],
    ["LeastUsed.pick excluded", (v) => leastUsed.pick(v), list],
    ["LeastUsed.count upstream", (v) => leastUsed.count(v), filled],
    ["LeastUsed.record times", (v) => new p.LeastUsed(["a"], { draw: 0 }).record("a", v), safe],
    ["TokenBucket options", (v) => new p.TokenBucket(v), none],
    ["TokenBucket capacity", (v) => new p.TokenBucket({ ...limit, capacity: v }), positive],
    ["TokenBucket refill", (v) => new p.TokenBucket({ ...limit, refill: v }), positive],
    ["TokenBucket periodMs", (v) => new p.TokenBucket({ ...limit, periodMs: v }), (v) => ms(v) && v > 0],
    ["TokenBucket start", (v) => new p.TokenBucket({ ...limit, start: v }), none],
    ["TokenBucket.take cost", (v) => bucket.take(v, 0), positive],
    ["TokenBucket.take now", (v) => bucket.take(1, v), ms],
    ["TokenBucket.reserve maxWaitMs", (v) => bucket.reserve(1, v, 0), ms],
    ["TokenBucket.remaining now", (v) => bucket.remaining(v), ms],
    ["Grant.settle actual", (v) => grant.settle(v, 0), safe],
    ["Grant.settle now", (v) => grant.settle(1, v), ms],
    ["Grant.cancel now", (v) => grant.cancel(v), ms],
    ["WindowLimit windowMs", (v) => new p.WindowLimit({ capacity: 1, windowMs: v }), (v) => ms(v) && v > 0],
    ["WindowLimit.take cost", (v) => window.take(v, 0), positive],
    ["Limits limits", (v) => new p.Limits(v), none],
    ["Limits limit", (v) => new p.Limits([v]), none],
    ["Limits.take costs", (v) => limits.take(v, 0), none],
    ["Limits.take cost", (v) => limits.take([v], 0), positive],
    ["Leases options", (v) => new p.Leases(v), object],
    ["Leases draw", (v) => new p.Leases({ draw: v }), safe],
    ["acquire request", (v) => leases.acquire(v, 0), none],
    ["acquire candidates", (v) => lease({ candidates: v }), list],
    ["acquire candidate", (v) => lease({ candidates: [v] }), none],
    ["acquire maxInFlight", (v) => lease({ candidates: [{ upstream: "a", maxInFlight: v }] }), whole(1, 1_000)],
    ["acquire leaseId", (v) => lease({ leaseId: v }), filled],
    ["acquire ttlMs", (v) => lease({ ttlMs: v }), whole(1, 86_400_000)],
    ["acquire choice", (v) => lease({ choice: v }), none],
    ["acquire now", (v) => leases.acquire({ candidates, leaseId: "l" }, v), ms],
    ["renew leaseId", (v) => leases.renew(v, 1, 0), filled],
    ["renew ttlMs", (v) => leases.renew("l", v, 0), whole(1, 86_400_000)],
    ["release leaseId", (v) => leases.release(v, 0), filled],
    ["inFlight upstream", (v) => leases.inFlight(v, 0), filled],
  ];
}

const shown = (value) => `${typeof value} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`;

for (const build of ["index", "js"]) {
  const library = await import(`../dist/${build}.js`);

  test(`no argument of another type or out of its range passes (dist/${build}.js)`, () => {
    for (const [what, call, good] of openings(library)) {
      for (const value of GARBAGE) {
        const where = `${what}: ${shown(value)}`;
        if (good(value)) assert.doesNotThrow(() => call(value), where);
        else {
          assert.throws(() => call(value), (error) => {
            assert.ok(error instanceof library.PointsmanError, `${where}: ${error}`);
            assert.equal(error.code, "ARGUMENT", where);
            assert.equal(error.message, `${error.argument} is ${error.value}, but must be ${error.bound}`, where);
            return true;
          }, where);
        }
      }
    }
  });

  test(`an object that was disposed of says so, whatever it is asked (dist/${build}.js)`, () => {
    const p = library;
    const limit = { capacity: 1, refill: 1, periodMs: 1 };
    const objects = [
      [new p.Upstreams(["a"]), [(o) => o.pick("k"), (o) => o.order("k"), (o) => o.indices("k")]],
      [new p.Chain(), [(o) => o.push("a")]],
      [new p.AffinityTable(), [(o) => o.recall([]), (o) => o.remember([], "a"), (o) => o.size, (o) => o.evictedLive]],
      [new p.RoundRobin(), [(o) => o.next([])]],
      [new p.Shuffle(), [(o) => o.next([])]],
      [new p.NoRepeat(), [(o) => o.next([]), (o) => o.observe("a", "x")]],
      [new p.LeastUsed(), [(o) => o.add("a"), (o) => o.remove("a"), (o) => o.pick(), (o) => o.count("a"), (o) => o.record("a")]],
      [new p.Leases(), [(o) => o.acquire({ candidates: [] }), (o) => o.renew("l"), (o) => o.release("l"), (o) => o.inFlight("a")]],
      [new p.Limits([limit]), [(o) => o.take([1]), (o) => o.reserve([1], 0), (o) => o.remaining()]],
      [new p.TokenBucket(limit), [(o) => o.take(), (o) => o.reserve(1, 0), (o) => o.remaining()]],
      [new p.WindowLimit({ capacity: 1, windowMs: 1 }), [(o) => o.take(), (o) => o.remaining()]],
    ];
    for (const [object, calls] of objects) {
      object.dispose();
      object.dispose();
      object[Symbol.dispose]();
      for (const call of calls) assert.throws(() => call(object), { name: "PointsmanError", code: "DISPOSED" });
    }
    const bucket = new p.TokenBucket(limit);
    const grant = bucket.take(1, 0);
    bucket.dispose();
    assert.throws(() => grant.settle(0), { code: "DISPOSED" });
  });

  test(`what is allowed does what is promised (dist/${build}.js)`, () => {
    const p = library;
    assert.deepEqual(p.order("k", []), []);
    assert.equal(p.pick("k", []), undefined);
    const twice = p.order("k", ["x", "x", "y"]);
    assert.deepEqual([...twice].sort(), [0, 1, 2]);
    assert.equal(twice.indexOf(1) - twice.indexOf(0), 1);
    assert.deepEqual(p.chain([]), []);
    assert.equal(p.prefixBytes([]), 0);
    assert.deepEqual(p.chain(["\ud800"]), p.chain(["\ufffd"]));
    assert.deepEqual(p.chain(["é"]), p.chain([new Uint8Array([0xc3, 0xa9])]));
    assert.equal(new p.LeastUsed().pick().kind, "empty");
    assert.equal(p.random([]), undefined);
  });

  test(`values that change, lie or are gone do no harm (dist/${build}.js)`, () => {
    const p = library;
    const upstreams = new p.Upstreams(["a", "b"]);
    const refused = { name: "PointsmanError", code: "ARGUMENT" };
    let reads = 0;
    const changing = { upstream: "a", get maxInFlight() { return reads++ === 0 ? 1 : 5_000; } };
    assert.equal(new p.Leases().acquire({ candidates: [changing] }).kind, "leased");
    const detached = new Uint8Array(8);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    assert.throws(() => p.chain([detached]), { ...refused, argument: "entry" });
    assert.deepEqual(p.chain([new Uint8Array(0)]), p.chain([""]));
    class Lying extends Uint8Array {
      get length() { return 100; }
    }
    assert.deepEqual(p.chain([new Lying([1, 2, 3])]), p.chain([new Uint8Array([1, 2, 3])]));
    assert.equal(p.prefixBytes([new Lying([1, 2, 3])]), 3);
    for (const sparse of [[, "b"], ["a", , "b"]]) {
      assert.throws(() => p.chain(sparse), refused);
      assert.throws(() => p.prefixBytes(sparse), refused);
      assert.throws(() => p.pick("k", sparse), refused);
      assert.throws(() => new p.NoRepeat().next(sparse), refused);
    }
    assert.throws(() => new p.Limits([, { capacity: 1, windowMs: 1 }]), refused);
    assert.throws(() => new p.TokenBucket({ capacity: 1, refill: 1, periodMs: 1, windowMs: 1 }), refused);
    const part = new Uint8Array(2 ** 27);
    assert.throws(() => p.chain([[part, part, "x"]]), { ...refused, argument: "entry" });
    assert.equal(upstreams.pick("k"), p.pick("k", ["a", "b"]));
  });
}
