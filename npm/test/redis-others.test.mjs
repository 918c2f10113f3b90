// Clients that reach a server in other ways: the same calls, the same answers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inspect, RedisLeases, RedisLimits } from "../dist/redis.js";
import { OTHER_CLIENTS } from "./redis-clients.mjs";
import { startSentinel, startServer } from "./redis-server.mjs";

const LIMITS = [{ name: "n", capacity: 3, windowMs: 3_600_000 }];
const LAST_VERSION = 2 ** 53 - 1;

let server;
let sentinel;
before(async () => {
  server = await startServer();
  sentinel = await startSentinel(server);
});
after(() => Promise.all([server, sentinel].map((one) => one.stop())));

for (const [client, connect] of Object.entries(OTHER_CLIENTS)) {
  test(`calls over ${client}`, async () => {
    await server.cli("flushall");
    await server.cli("script", "flush");
    const { evaluate, close } = await connect({ port: server.port, sentinel: sentinel.port });
    try {
      const limits = new RedisLimits(evaluate, "limits", LIMITS, { version: LAST_VERSION });
      const takes = await Promise.all([1, 1, 1].map((n) => limits.takeWhenFree({ n })));
      assert.deepEqual(takes.map(({ remaining }) => remaining.n).sort(), [0, 1, 2]);
      // From 2^52 on the scripts tell numbers as text.
      for (const { version } of takes) assert.equal(version, LAST_VERSION);
      assert.equal((await limits.take({ n: 1 })).kind, "wait");
      const leases = new RedisLeases(evaluate, "leases");
      const { leaseId, fence } = await leases.acquire({ candidates: [{ upstream: "\u00e9", maxInFlight: 1 }] });
      const { nowMs, facts } = await inspect(evaluate, "leases");
      assert.ok(fence <= nowMs * 1_000 && fence > (nowMs - 60_000) * 1_000, `${fence} at ${nowMs}`);
      assert.ok(facts.some(([, value]) => value === "\u00e9"));
      assert.deepEqual(await leases.release(leaseId), { kind: "released", upstream: "\u00e9" });
      const prefix = client.includes("prefix") ? "prefix:" : "";
      assert.deepEqual((await server.cli("keys", "*")).split("\n").sort(), [`${prefix}leases`, `${prefix}limits`]);
    } finally {
      close();
    }
  });
}
