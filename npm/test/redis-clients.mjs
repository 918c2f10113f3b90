// The clients that the suite runs over, each with its adapter.
import { Cluster, Redis } from "ioredis";
import { createClient, createClientPool, createCluster, createSentinel } from "redis";
import { fromIoredis, fromNodeRedis } from "../dist/redis.js";

// Errors of a connection come through the calls that fail by them.
const quiet = () => {};

async function nodeRedis(port, more) {
  const reconnectStrategy = () => 20;
  const client = createClient({ ...more, socket: { host: "127.0.0.1", port, reconnectStrategy } });
  client.on("error", quiet);
  await client.connect();
  return { evaluate: fromNodeRedis(client), client, close: () => client.destroy() };
}

/** Name, and how to connect to a port: `{ evaluate, close }`. */
export const CLIENTS = {
  ioredis: async (port) => {
    const client = new Redis({ host: "127.0.0.1", port, retryStrategy: () => 20 });
    client.on("error", quiet);
    return { evaluate: fromIoredis(client), client, close: () => client.disconnect() };
  },
  "node-redis": (port) => nodeRedis(port, {}),
  "node-redis with RESP2": (port) => nodeRedis(port, { RESP: 2 }),
};

/** The same for a cluster. */
export const CLUSTER_CLIENTS = {
  "ioredis' cluster": async (ports) => {
    const client = new Cluster(ports.map((port) => ({ host: "127.0.0.1", port })));
    client.on("error", quiet);
    return { evaluate: fromIoredis(client), client, close: () => client.disconnect() };
  },
  "node-redis' cluster": async (ports) => {
    const client = createCluster({ rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })) });
    client.on("error", quiet);
    await client.connect();
    return { evaluate: fromNodeRedis(client), client, close: () => client.destroy() };
  },
};

/** The same for what else the adapters take: from the port of a server, and that of its Sentinel. */
export const OTHER_CLIENTS = {
  "ioredis with a prefix, automatic pipelines and numbers as strings": async ({ port }) => {
    const more = { keyPrefix: "prefix:", enableAutoPipelining: true, stringNumbers: true };
    const client = new Redis({ host: "127.0.0.1", port, ...more });
    return { evaluate: fromIoredis(client), close: () => client.disconnect() };
  },
  "ioredis over Sentinel": async ({ sentinel }) => {
    const client = new Redis({ sentinels: [{ host: "127.0.0.1", port: sentinel }], name: "main" });
    return { evaluate: fromIoredis(client), close: () => client.disconnect() };
  },
  "node-redis over Sentinel": async ({ sentinel }) => {
    const client = createSentinel({ name: "main", sentinelRootNodes: [{ host: "127.0.0.1", port: sentinel }] });
    client.on("error", quiet);
    await client.connect();
    return { evaluate: fromNodeRedis(client), close: () => client.destroy() };
  },
  "a pool of node-redis": async ({ port }) => {
    const pool = createClientPool({ url: `redis://127.0.0.1:${port}` });
    pool.on("error", quiet);
    await pool.connect();
    return { evaluate: fromNodeRedis(pool), close: () => pool.destroy() };
  },
};
