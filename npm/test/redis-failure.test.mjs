// What goes wrong between a worker and a real server: scripts forgotten, replies lost, restarts, a
// server that hangs.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
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
import { startProxy } from "./redis-proxy.mjs";
import { startServer } from "./redis-server.mjs";

const ONE = [{ name: "requests", capacity: 5, windowMs: 3_600_000 }];
const LEASABLE = { candidates: [{ upstream: "a", maxInFlight: 2 }] };
const TIMEOUT_MS = 150;

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

for (const [client, connect] of Object.entries(CLIENTS)) {
  describe(`over ${client}`, () => {
    let proxy;
    let connection;
    let evaluate;
    before(async () => {
      proxy = await startProxy(server.port);
      connection = await connect(proxy.port);
      evaluate = connection.evaluate;
    });
    after(async () => {
      connection.close();
      await proxy.close();
    });
    const key = (name) => `${client} ${name}`;
    const limitsAt = (name, more) => new RedisLimits(evaluate, key(name), ONE, { version: 1, ...more });

    test("scripts that the server forgot are sent again", async () => {
      const limits = limitsAt("flush");
      for (const left of [4, 3, 2]) {
        await server.cli("script", "flush");
        assert.deepEqual((await limits.take({ requests: 1 })).remaining, { requests: left });
      }
    });

    test("a call whose reply was lost counts once, whoever repeats it", async () => {
      const used = new RedisLeastUsed(evaluate, key("used"), ["a"], { version: 1 });
      const leases = new RedisLeases(evaluate, key("leases"));
      const shuffle = new RedisShuffle(evaluate, key("shuffle"));
      const noRepeat = new RedisNoRepeat(evaluate, key("no-repeat"));
      const limits = limitsAt("lost");
      await used.configure();
      const calls = {
        take: (takeId) => limits.take({ requests: 1 }, { takeId }),
        lease: (leaseId) => leases.acquire({ ...LEASABLE, leaseId }),
        pick: (requestId) => used.pick([], { requestId }),
        record: (requestId) => used.record("a", 10, { requestId }),
        next: (requestId) => shuffle.next(["a", "b"], { requestId }),
        different: (requestId) => noRepeat.next(["a", "b"], { requestId }),
      };
      for (const [what, call] of Object.entries(calls)) {
        // So that the script is known and the call is one command.
        await call(`${what} first`);
        proxy.loseReplyTo(`${what} lost`);
        // ioredis sends it again by itself; with node-redis the program does.
        const answer = await call(`${what} lost`).catch((error) => {
          assert.equal(error.code, "UNREACHABLE");
          return call(`${what} lost`);
        });
        assert.equal(answer.repeated, true, what);
      }
      assert.deepEqual((await limits.take({ requests: 1 })).remaining, { requests: 2 });
      assert.equal((await leases.acquire(LEASABLE)).kind, "wait");
      assert.equal((await used.pick()).count, 23);
    });

    test("what gives back may be sent twice", async () => {
      const limits = limitsAt("back");
      const leases = new RedisLeases(evaluate, key("back leases"));
      await limits.take({ requests: 5 }, { takeId: "t" });
      await limits.settle("t", { requests: 3 });
      await limits.cancel("none");
      await leases.acquire({ ...LEASABLE, leaseId: "l" });
      await leases.release("none");
      const twice = async (id, call) => {
        proxy.loseReplyTo(id);
        return call().catch(call);
      };
      const settled = { kind: "settled", version: 1, remaining: { requests: 4 } };
      assert.deepEqual(await twice("\r\nt\r\n", () => limits.settle("t", { requests: 1 })), settled);
      const booked = await limits.take({ requests: 5 }, { takeId: "booked", maxWaitMs: 3_600_000 });
      assert.equal(booked.kind, "granted");
      assert.deepEqual(await twice("booked", () => limits.cancel("booked")), { kind: "returned" });
      assert.deepEqual(await twice("\r\nl\r\n", () => leases.release("l")), { kind: "gone" });
    });

    test("a server that hangs ends no call later than its time, and runs none of them late", async () => {
      const limits = limitsAt("hangs", { timeoutMs: TIMEOUT_MS });
      const open = limitsAt("hangs", { timeoutMs: TIMEOUT_MS, onUnreachable: "open" });
      const leases = new RedisLeases(evaluate, key("hanging leases"), { timeoutMs: TIMEOUT_MS });
      await leases.acquire({ ...LEASABLE, leaseId: "l" });
      for (const one of [limits, open]) await one.take({ requests: 1 });
      server.pause();
      try {
        const taken = limits.take({ requests: 1 });
        const opened = open.take({ requests: 1 });
        const leased = leases.acquire({ ...LEASABLE, leaseId: "late" });
        const released = leases.release("l");
        const late = { name: "PointsmanError", code: "UNREACHABLE", message: /no answer within 150 ms$/ };
        for (const call of [taken, leased, released]) await assert.rejects(call, late);
        const { kind, error } = await opened;
        assert.deepEqual([kind, error.code], ["open", "UNREACHABLE"]);
        // The deadline is up to a round trip after the timeout.
        await pause(TIMEOUT_MS);
      } finally {
        server.resume();
      }
      // On the same connection, so behind those that were late.
      const after = limitsAt("hangs");
      assert.deepEqual((await after.take({ requests: 1 })).remaining, { requests: 2 });
      // No lease was made late; one was released late, which is right at any time.
      const again = new RedisLeases(evaluate, key("hanging leases"));
      assert.deepEqual(await again.release("late"), { kind: "gone" });
      assert.deepEqual(await again.release("l"), { kind: "gone" });
    });

    test("after a restart that lost everything the next call works", async () => {
      const [limits, open] = [{}, { onUnreachable: "open" }].map((more) => limitsAt("restart", { timeoutMs: TIMEOUT_MS, ...more }));
      const used = new RedisLeastUsed(evaluate, key("restart used"), ["a"], { version: 1 });
      const affinity = new RedisAffinity(evaluate, key("restart affinity"));
      for (const [one, left] of [[limits, 4], [open, 3]]) {
        assert.deepEqual((await one.take({ requests: 1 })).remaining, { requests: left });
      }
      assert.equal((await used.pick()).count, 1);
      await server.stop();
      await assert.rejects(limits.take({ requests: 1 }), { code: "UNREACHABLE" });
      assert.equal((await open.take({ requests: 1 })).kind, "open");
      // What the client still holds comes too late then, and does not count.
      await pause(TIMEOUT_MS);
      await server.start();
      const patient = limitsAt("restart");
      assert.deepEqual((await patient.take({ requests: 1 })).remaining, { requests: 4 });
      assert.equal((await used.pick()).count, 1);
      assert.deepEqual(await affinity.recall(["0123456789abcdef"]), { kind: "nothing" });
    });

    test("a key that holds something else is refused, and stays as it is", async () => {
      const write = (name, ...command) => server.cli(command[0], key(name), ...command.slice(1));
      await write("text", "set", "x");
      await write("hash", "hset", "field", "x");
      await write("format", "hset", "s", "take 2 0 0");
      await write("damaged", "hset", "s", "take 1 x");
      await new RedisShuffle(evaluate, key("other")).next(["a"]);
      const codes = { text: "TYPE", hash: "FORMAT", format: "FORMAT", damaged: "DATA", other: "KIND" };
      for (const [name, code] of Object.entries(codes)) {
        const open = limitsAt(name, { onUnreachable: "open" });
        const dump = await server.cli("dump", key(name));
        await assert.rejects(open.take({ requests: 1 }), { code }, name);
        assert.equal(await server.cli("dump", key(name)), dump);
      }
      await assert.rejects(inspect(evaluate, key("text")), { code: "TYPE" });
      await assert.rejects(inspect(evaluate, ""), { code: "KEYS" });
    });
  });
}
