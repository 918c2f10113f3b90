// Every argument that cannot be used is named, with its value and its bound: `bad-input.json`,
// which the tests in Rust read too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const { cases } = JSON.parse(readFileSync(new URL("../../tests/bad-input.json", import.meta.url), "utf8"));

const camel = (name) => (name === "now_ms" ? "now" : name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()));

function value(given) {
  if (typeof given !== "object") return given;
  if (Array.isArray(given)) return given.map(value);
  if (given.repeat !== undefined) return given.repeat.repeat(given.times);
  if (given.list !== undefined) return Array.from({ length: given.count }, (_, at) => `${given.list}${at}`);
  return Object.fromEntries(Object.entries(given).map(([name, inner]) => [camel(name), value(inner)]));
}

// What each call is made on, the call, and what must be the same after it.
function calls(library) {
  const { AffinityTable, Leases, LeastUsed, Limits, NoRepeat, Shuffle, TokenBucket, Upstreams, WindowLimit } = library;
  const object = (make, call, look = () => undefined) => ({ make, call, look });
  const made = (make) => object(() => undefined, (_, args) => make(args));
  const upstreams = ({ upstreams, weights }) => new Upstreams(upstreams, { weights });
  const leastUsed = ({ upstreams, draw }) => new LeastUsed(upstreams, { draw });
  const counts = (table, { upstreams }) => upstreams.map((name) => table.count(name));
  const take = (limit, { cost, maxWaitMs, now }) =>
    maxWaitMs === undefined ? limit.take(cost, now) : limit.reserve(cost, maxWaitMs, now);
  const left = (limit) => limit.remaining(0);
  const leases = () => new Leases({ draw: 0 });
  const inFlight = (table) => table.inFlight("a", 0);
  return {
    pick: made(({ key, upstreams }) => library.pick(key, upstreams)),
    order: made(({ key, upstreams }) => library.order(key, upstreams)),
    chain: made(({ entries }) => library.chain(entries)),
    random: made(({ upstreams, draw }) => library.random(upstreams, draw)),
    weighted_random: made(({ upstreams, weights, draw }) => library.weightedRandom(upstreams, weights, draw)),
    upstreams: made(upstreams),
    upstreams_pick: object(upstreams, (list, { key }) => list.pick(key), (list) => list.order("k")),
    upstreams_with: object(upstreams, (list, { name, weight }) => list.with(name, weight), (list) => list.order("k")),
    upstreams_without: object(upstreams, (list, { name }) => list.without(name), (list) => list.order("k")),
    shuffle: object(() => new Shuffle(), (shuffle, { upstreams, draw }) => shuffle.next(upstreams, draw)),
    affinity: made((options) => new AffinityTable(options)),
    recall: object((options) => new AffinityTable(options), (table, { links, now }) => table.recall(links, now), (table) => table.size),
    remember: object((options) => new AffinityTable(options), (table, { links, upstream, now }) => table.remember(links, upstream, now), (table) => table.size),
    no_repeat: made(({ candidates, draw, now, gapMs }) =>
      new NoRepeat(gapMs === undefined ? {} : { onlyOne: "wait", gapMs }).next(candidates, draw, now),
    ),
    observe: object(() => new NoRepeat(), (rotation, { upstream, exit }) => rotation.observe(upstream, exit)),
    least_used: made(leastUsed),
    least_used_add: object(leastUsed, (table, { upstream, weight }) => table.add(upstream, { weight }), counts),
    least_used_record: object(leastUsed, (table, { upstream, times }) => table.record(upstream, times), counts),
    bucket: made((options) => new TokenBucket(options)),
    bucket_take: object((options) => new TokenBucket(options), take, left),
    window: made((options) => new WindowLimit(options)),
    window_take: object((options) => new WindowLimit(options), take, left),
    limits: made(({ limits, costs }) => new Limits(Array(limits).fill({ capacity: 10, windowMs: 1000 })).take(costs, 0)),
    leases: made((options) => new Leases(options)),
    acquire: object(leases, (table, { now, ...request }) => table.acquire(request, now), inFlight),
    renew: object(leases, (table, { leaseId, ttlMs, now }) => table.renew(leaseId, ttlMs, now), inFlight),
    release: object(leases, (table, { leaseId, now }) => table.release(leaseId, now), inFlight),
    in_flight: object(leases, (table, { upstream, now }) => table.inFlight(upstream, now), inFlight),
  };
}

for (const build of ["index", "js"]) {
  const library = await import(`../dist/${build}.js`);
  const known = calls(library);

  test(`every bad argument is named with its value and its bound (dist/${build}.js)`, () => {
    assert.ok(cases.length >= 86);
    for (const { name, call, args, error } of cases) {
      assert.ok(known[call] !== undefined, `${name}: no such call`);
      const { make, call: act, look } = known[call];
      const given = value(args);
      const object = make(given);
      const before = look(object, given);
      const expected = { name: "PointsmanError", code: "ARGUMENT", ...error, argument: camel(error.argument) };
      const message = `${expected.argument} is ${error.value}, but must be ${error.bound}`;
      assert.throws(() => act(object, given), { ...expected, message }, name);
      assert.deepEqual(look(object, given), before, `${name}: it changed something`);
    }
  });
}
