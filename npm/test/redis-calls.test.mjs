// Every call of every class, against a real server, over every client. Instants are given, and what is
// expected was calculated by hand.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  inspect,
  RedisAffinity,
  RedisLeases,
  RedisLeastUsed,
  RedisLimits,
  RedisNoRepeat,
  RedisShuffle,
} from "../dist/redis.js";
import { CLIENTS } from "./redis-clients.mjs";
import { startServer } from "./redis-server.mjs";

const NOW = 1_700_000_000_000;
const LIMITS = [
  { name: "requests", capacity: 3, windowMs: 60_000 },
  { name: "tokens", capacity: 1_000, refill: 100, periodMs: 1_000 },
];

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

for (const [client, connect] of Object.entries(CLIENTS)) {
  describe(`over ${client}`, () => {
    let connection;
    let evaluate;
    before(async () => {
      connection = await connect(server.port);
      evaluate = connection.evaluate;
    });
    after(() => connection.close());
    const key = (name) => `${client} ${name} \u00e9\u0000\n`;
    const now = NOW;

    test("limits are taken together or not at all, booked, cancelled and settled", async () => {
      const limits = new RedisLimits(evaluate, key("limits"), LIMITS, { version: 1 });
      const inForce = { version: 1, differs: false };
      const granted = { kind: "granted", takeId: "a", startsAtMs: NOW, startsInMs: 0, ...inForce };
      const first = { ...granted, remaining: { requests: 2, tokens: 100 }, repeated: false };
      assert.deepEqual(await limits.take({ requests: 1, tokens: 900 }, { takeId: "a", now }), first);
      assert.deepEqual(await limits.take({ tokens: 900, requests: 1 }, { takeId: "a", now }), { ...first, repeated: true });
      const wait = { kind: "wait", retryAfterMs: 1_000, limit: "tokens", ...inForce };
      assert.deepEqual(await limits.take({ requests: 1, tokens: 200 }, { now }), wait);
      assert.deepEqual(await limits.take({ tokens: 200 }, { maxWaitMs: 999, now }), wait);
      assert.deepEqual(await limits.take({ tokens: 1_001 }, { now }), { kind: "never", limit: "tokens", ...inForce });
      assert.deepEqual(await limits.take({ tokens: 200 }, { takeId: "b", maxWaitMs: 1_000, now }), {
        ...granted,
        takeId: "b",
        startsAtMs: NOW + 1_000,
        startsInMs: 1_000,
        remaining: { requests: 2, tokens: 0 },
        repeated: false,
      });
      assert.deepEqual(await limits.cancel("b", { now }), { kind: "returned" });
      assert.deepEqual(await limits.cancel("b", { now }), { kind: "returned" });
      assert.deepEqual(await limits.take({ tokens: 200 }, { takeId: "b", now }), { kind: "gone", ...inForce });
      assert.deepEqual(await limits.cancel("a", { now }), { kind: "started" });
      assert.deepEqual(await limits.cancel("c", { now }), { kind: "gone" });
      const settled = { kind: "settled", version: 1, remaining: { requests: 2, tokens: 600 } };
      assert.deepEqual(await limits.settle("a", { tokens: 400 }, { now }), settled);
      settled.remaining = { requests: 3, tokens: 1_000 };
      assert.deepEqual(await limits.settle("a", { tokens: 0, requests: 0 }, { now }), settled);
      assert.deepEqual(await limits.settle("b", { tokens: 0 }, { now }), { kind: "gone" });
    });

    test("a worker with older limits goes by those in force, or is told them", async () => {
      const declared = (version, ...limits) => new RedisLimits(evaluate, key("rules"), limits, { version });
      const [requests, tokens] = LIMITS;
      const [older, newer] = [declared(1, requests, tokens), declared(2, { ...tokens, capacity: 500 })];
      const taken = { kind: "granted", takeId: "t", startsAtMs: NOW, startsInMs: 0, repeated: false };
      const take = (limits, costs, takeId) => limits.take(costs, { takeId, now });
      assert.deepEqual(await take(older, { requests: 1, tokens: 100 }, "t"), {
        ...taken,
        remaining: { requests: 2, tokens: 900 },
        version: 1,
        differs: false,
      });
      // 100 were taken, and that is kept: 400 of the new 500 are left, of which 50 go.
      const under2 = { ...taken, version: 2, remaining: { tokens: 350 } };
      assert.deepEqual(await take(newer, { tokens: 50 }, "u"), { ...under2, takeId: "u", differs: false });
      const under2Told = { ...under2, takeId: "v", remaining: { tokens: 340 }, differs: true };
      assert.deepEqual(await take(older, { requests: 1, tokens: 10 }, "v"), under2Told);
      const limits = [{ ...tokens, capacity: 500 }];
      assert.deepEqual(await take(older, { requests: 1 }, "w"), { kind: "reconfigure", version: 2, limits });
      assert.deepEqual(await older.settle("v", { requests: 1, tokens: 0 }, { now }), {
        kind: "settled",
        version: 2,
        remaining: { tokens: 350 },
      });
      const stranger = declared(1, requests);
      assert.deepEqual(await take(stranger, { requests: 1 }, "x"), { kind: "reconfigure", version: 2, limits });
      const sameVersion = declared(2, { ...tokens, capacity: 700 });
      const told = { ...under2, takeId: "y", remaining: { tokens: 349 }, differs: true };
      assert.deepEqual(await take(sameVersion, { tokens: 1 }, "y"), told);
      // A repeat from one who does not know the rules in force: what is left has no names here.
      assert.deepEqual((await take(stranger, { requests: 1 }, "y")).remaining, {});
    });

    test("what is left is told for sixteen limits, by any names", async () => {
      const names = Array.from({ length: 15 }, (_, at) => `\u540d ${at}`);
      const many = [...names, "__proto__"].map((name, at) => ({ name, capacity: 2 ** 53 - 1 - at, windowMs: 1 }));
      const limits = new RedisLimits(evaluate, key("many"), many, { version: 0, inherit: "full", start: "empty" });
      const costs = Object.fromEntries(many.map(({ name }) => [name, 1]));
      const { remaining } = await limits.take(costs, { now });
      const left = Object.fromEntries(many.map(({ name, capacity }) => [name, capacity - 1]));
      assert.deepEqual(remaining, left);
      assert.equal(Object.keys(remaining).length, 16);
    });

    test("the least used is picked and counted, and a newer list comes into force by itself", async () => {
      const declare = (upstreams, more) => new RedisLeastUsed(evaluate, key("used"), upstreams, { draw: 0, ...more });
      const used = declare(["a", "b"], { version: 1, weights: [2, 1] });
      const inForce = { version: 1, differs: false };
      const picked = (upstream, count) => ({ kind: "upstream", upstream, count, repeated: false, ...inForce });
      assert.deepEqual(await used.pick(["b"], { requestId: "r", now }), picked("a", 1));
      assert.deepEqual(await used.pick([], { requestId: "r", now }), { ...picked("a", 1), repeated: true });
      assert.deepEqual(await used.pick([], { now }), picked("b", 1));
      assert.deepEqual(await used.pick(["a", "b"], { now }), { kind: "all_excluded", ...inForce });
      const recorded = { kind: "recorded", count: 6, repeated: false, ...inForce };
      assert.deepEqual(await used.record("b", 5, { requestId: "s", now }), recorded);
      assert.deepEqual(await used.record("b", 5, { requestId: "s", now }), { ...recorded, repeated: true });
      assert.deepEqual(await used.record("c", 1, { now }), { kind: "unknown_upstream", ...inForce });
      assert.deepEqual(await used.configure({ now }), { kind: "same", version: 1 });
      const newer = declare(["c"], { version: 2 });
      // Those that are not listed leave first, so that there is no least count of others to join at.
      assert.deepEqual(await newer.pick([], { now }), { ...picked("c", 1), version: 2, differs: false });
      const told = { kind: "upstream", upstream: "c", count: 2, repeated: false, version: 2, differs: true };
      assert.deepEqual(await used.pick([], { now }), told);
      assert.deepEqual(await used.configure({ now }), { kind: "older", version: 2 });
      const other = declare(["d"], { version: 2 });
      const upstreams = [{ upstream: "c", weight: 1 }];
      assert.deepEqual(await other.configure({ now }), { kind: "other", version: 2, upstreams });
      assert.deepEqual(await other.pick([], { now }), { ...told, count: 3 });
      const none = declare([], { version: 3 });
      assert.deepEqual(await none.pick([], { now }), { kind: "empty", version: 3, differs: false });
    });

    test("counts that were lost are configured anew, by all who ask at once", async () => {
      const used = new RedisLeastUsed(evaluate, key("lost"), ["a"], { version: 7 });
      assert.equal((await used.pick([], { now })).count, 1);
      await connection.client.del(key("lost"));
      const picks = await Promise.all([1, 2, 3, 4].map(() => used.pick([], { now })));
      assert.deepEqual(picks.map(({ count }) => count).sort(), [1, 2, 3, 4]);
      await connection.client.del(key("lost"));
      assert.equal((await used.record("a", 3, { now })).count, 3);
      // Somebody with an older list is first after a loss; the newer one takes over at its next call.
      await connection.client.del(key("lost"));
      const older = new RedisLeastUsed(evaluate, key("lost"), ["b"], { version: 6 });
      await older.configure({ now });
      const pick = ({ upstream, version, differs }) => [upstream, version, differs];
      assert.deepEqual(pick(await used.pick([], { now })), ["b", 6, true]);
      assert.deepEqual(pick(await used.pick([], { now })), ["a", 7, false]);
    });

    test("leases are acquired, renewed and released, each by its id", async () => {
      const leases = new RedisLeases(evaluate, key("leases"), { draw: 0 });
      const candidates = [
        { upstream: "a", maxInFlight: 1 },
        { upstream: "b", maxInFlight: 1 },
      ];
      const acquire = (leaseId) => leases.acquire({ candidates, leaseId, ttlMs: 500, choice: "first" }, { now });
      const fence = NOW * 1_000;
      const leased = { kind: "leased", expiresMs: NOW + 500, expiresInMs: 500, repeated: false };
      assert.deepEqual(await acquire("1"), { ...leased, upstream: "a", leaseId: "1", fence });
      assert.deepEqual(await acquire("1"), { ...leased, upstream: "a", leaseId: "1", fence, repeated: true });
      assert.deepEqual(await acquire("2"), { ...leased, upstream: "b", leaseId: "2", fence: fence + 1 });
      assert.deepEqual(await acquire("3"), { kind: "wait", retryAfterMs: 500 });
      assert.deepEqual(await leases.renew("2", 800, { now }), {
        kind: "renewed",
        fence: fence + 1,
        expiresMs: NOW + 800,
        expiresInMs: 800,
      });
      assert.deepEqual(await leases.release("2", { now }), { kind: "released", upstream: "b" });
      assert.deepEqual(await leases.release("2", { now }), { kind: "gone" });
      assert.deepEqual(await leases.renew("2", undefined, { now }), { kind: "gone" });
      const again = await leases.acquire({ candidates }, { now });
      assert.deepEqual([again.kind, again.upstream, again.expiresInMs], ["leased", "b", 60_000]);
      assert.match(again.leaseId, /^[0-9a-f]{28}$/);
      assert.deepEqual(await leases.acquire({ candidates: [] }, { now }), { kind: "empty" });
    });

    test("a shuffle returns each once, and the same again for the same id", async () => {
      const shuffle = new RedisShuffle(evaluate, key("shuffle"), { noBoundaryRepeat: true, keepMs: 1_000 });
      const next = (requestId) => shuffle.next(["a", "b", "a"], { requestId, draw: 0, now });
      assert.deepEqual(await next("1"), { kind: "upstream", upstream: "a", repeated: false });
      assert.deepEqual(await next("2"), { kind: "upstream", upstream: "b", repeated: false });
      assert.deepEqual(await next("2"), { kind: "upstream", upstream: "b", repeated: true });
      assert.deepEqual(await shuffle.next([], { requestId: "2", now }), { kind: "upstream", upstream: "b", repeated: true });
      assert.deepEqual(await next("3"), { kind: "upstream", upstream: "a", repeated: false });
      assert.deepEqual(await shuffle.next([], { now }), { kind: "empty" });
    });

    test("the previous one does not come again, by its name or by its exit", async () => {
      const noRepeat = (name, options) => new RedisNoRepeat(evaluate, key(name), options);
      const chosen = (upstream, repeats = false) => ({ kind: "upstream", upstream, repeats, repeated: false });
      const waiting = noRepeat("wait", { onlyOne: "wait", gapMs: 70 });
      assert.deepEqual(await waiting.next(["a"], { requestId: "r", now }), chosen("a"));
      assert.deepEqual(await waiting.next(["a"], { requestId: "r", now }), { ...chosen("a"), repeated: true });
      assert.deepEqual(await waiting.next(["a"], { now }), { kind: "wait", retryAfterMs: 70 });
      const reusing = noRepeat("reuse", { onlyOne: "reuse" });
      assert.deepEqual(await reusing.next(["a"], { now }), chosen("a"));
      assert.deepEqual(await reusing.next(["a"], { now }), chosen("a", true));
      assert.deepEqual(await reusing.next(["a", { upstream: "b", weight: 1 }], { now }), chosen("b"));
      const byExit = noRepeat("exit", { by: "exit" });
      const listed = [{ upstream: "a", exit: "x" }, { upstream: "b" }];
      assert.equal(await byExit.observe("b", "x", { now }), undefined);
      assert.deepEqual(await byExit.next([listed[0]], { now }), chosen("a"));
      assert.deepEqual(await byExit.next(listed, { now }), { kind: "no_different" });
      assert.deepEqual(await byExit.next([], { now }), { kind: "empty" });
    });

    test("a conversation is remembered by its links, also where they take several trips", async () => {
      const affinity = new RedisAffinity(evaluate, key("affinity"), { maxLinks: 2, ttlMs: 1_000 });
      const links = Array.from({ length: 65_535 }, (_, at) => at.toString(16).padStart(16, "0"));
      assert.deepEqual(await affinity.recall(links, { now }), { kind: "nothing" });
      assert.deepEqual(await affinity.remember(links.slice(0, 3), "a", { now }), { kind: "remembered", size: 1 });
      assert.deepEqual(await affinity.recall(links, { now }), { kind: "recalled", upstream: "a", links: 3 });
      assert.deepEqual(await affinity.remember(links, "b", { now }), { kind: "remembered", size: 2 });
      assert.deepEqual(await affinity.recall(links, { now }), { kind: "recalled", upstream: "b", links: 65_535 });
      assert.deepEqual(await affinity.remember(links.slice(0, 9), "c", { now }), { kind: "remembered", size: 2 });
      assert.deepEqual(await affinity.recall(links.slice(0, 8), { now }), { kind: "nothing" });
      assert.deepEqual(await affinity.recall(links, { now: NOW + 1_000 }), { kind: "nothing" });
      for (const ignored of [affinity.remember([], "a", { now }), affinity.remember(links, "", { now })]) {
        assert.deepEqual(await ignored, { kind: "ignored" });
      }
    });

    test("inspect tells what a key holds, and that nothing is there", async () => {
      assert.deepEqual(await inspect(evaluate, key("nothing"), { now }), { kind: "unknown" });
      const families = { limits: "take", used: "used", leases: "lease", shuffle: "shuffle", wait: "repeat", affinity: "links" };
      for (const [name, kind] of Object.entries(families)) {
        const { facts, ...rest } = await inspect(evaluate, key(name), { now: NOW + 1_000 });
        const version = { take: 1, used: 3 }[kind] ?? 0;
        assert.deepEqual(rest, { kind, nowMs: NOW + 1_000, version });
        assert.ok(facts.length > 0);
        for (const [word, value] of facts) {
          assert.match(word, /^[a-z_]+$/);
          assert.match(typeof value, /^(?:string|number)$/);
        }
      }
    });

    test("an instant that is not given is the server's, and ids and draws are drawn", async () => {
      const limits = new RedisLimits(evaluate, key("clock"), LIMITS, { version: 1 });
      const before = Date.now();
      const first = await limits.take({ requests: 1 });
      const second = await limits.take({ requests: 1 });
      assert.ok(first.startsAtMs >= before - 1 && second.startsAtMs <= Date.now() + 1);
      assert.match(first.takeId, /^[0-9a-f]{28}$/);
      assert.notEqual(first.takeId, second.takeId);
      assert.deepEqual(second.remaining, { requests: 1, tokens: 1_000 });
      const many = Array.from({ length: 1_024 }, (_, at) => `upstream ${at}`);
      const shuffle = new RedisShuffle(evaluate, key("drawn"));
      const chosen = await Promise.all(Array.from({ length: 64 }, () => shuffle.next(many)));
      const isListOrder = chosen.every(({ upstream }, at) => upstream === many[at]);
      assert.equal(new Set(chosen.map(({ upstream }) => upstream)).size, 64);
      assert.ok(!isListOrder);
    });
  });
}
