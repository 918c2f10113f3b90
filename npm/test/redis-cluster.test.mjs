// A cluster of three: every key goes to its own node, and each node learns the scripts by itself.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { RedisLeases, RedisLimits } from "../dist/redis.js";
import { CLUSTER_CLIENTS } from "./redis-clients.mjs";
import { startCluster } from "./redis-server.mjs";

const KEYS = 40;

let servers = [];
before(async () => {
  servers = await startCluster();
});
after(() => Promise.all(servers.map((server) => server.stop())));

for (const [client, connect] of Object.entries(CLUSTER_CLIENTS)) {
  test(`calls over ${client} reach the node of their key`, async () => {
    const { evaluate, close } = await connect(servers.map(({ port }) => port));
    try {
      for (const server of servers) await server.cli("flushall");
      for (let turn = 1; turn <= 3; turn++) {
        for (const server of servers) await server.cli("script", "flush");
        const takes = Array.from({ length: KEYS }, async (_, at) => {
          const limits = new RedisLimits(evaluate, `limits ${at}`, [{ name: "n", capacity: 9, windowMs: 3_600_000 }], { version: 1 });
          return (await limits.take({ n: 1 })).remaining;
        });
        for (const remaining of await Promise.all(takes)) assert.deepEqual(remaining, { n: 9 - turn });
      }
      const leases = new RedisLeases(evaluate, "leases");
      const { leaseId } = await leases.acquire({ candidates: [{ upstream: "a", maxInFlight: 1 }] });
      assert.deepEqual(await leases.release(leaseId), { kind: "released", upstream: "a" });
      const sizes = await Promise.all(servers.map((server) => server.cli("dbsize")));
      assert.equal(sizes.reduce((sum, size) => sum + Number(size), 0), KEYS + 1);
      for (const size of sizes) assert.ok(Number(size) > 0, `keys: ${sizes}`);
    } finally {
      close();
    }
  });
}
