// Prints what the peers send to Redis, as JSON: recorded from their own calls, so that nothing of
// theirs stands in this repository. `cargo xtask bench-redis` runs it.

import { Ratelimit } from "@upstash/ratelimit";
import limiters from "rate-limiter-flexible";
import semaphores from "redis-semaphore";

const MANY = 1_000_000_000;

/** The first call of `ask` over a client that knows no script and grants everything. */
async function recorded(clientOf, ask) {
  const calls = [];
  await ask(clientOf(calls));
  return calls;
}

const noScript = async () => {
  throw new Error("NOSCRIPT");
};

const ioredisLike = (calls) => ({
  defineCommand(name, { lua, numberOfKeys }) {
    this[name] = async (args) => {
      calls.push({ script: lua, keys: args.slice(0, numberOfKeys), args: args.slice(numberOfKeys) });
      return [1, 1000];
    };
  },
  evalsha: noScript,
  async eval(script, count, ...args) {
    calls.push({ script, keys: args.slice(0, count), args: args.slice(count) });
    return 1;
  },
  async zrem(...args) {
    calls.push({ command: ["ZREM", ...args] });
    return 1;
  },
});

const upstashLike = (calls) => ({
  evalsha: noScript,
  async eval(script, keys, args) {
    // A flag that only Upstash's own server knows.
    calls.push({ script: script.replace(/^#!lua flags=allow-key-locking\n/, ""), keys, args });
    return [1, 1, 1];
  },
});

async function flexible() {
  const ask = (client) =>
    new limiters.RateLimiterRedis({ storeClient: client, points: MANY, duration: 3600 }).consume("bench");
  return recorded(ioredisLike, ask);
}

async function upstash(limiter) {
  const ask = (redis) =>
    new Ratelimit({ redis, limiter, ephemeralCache: false, prefix: "upstash" }).limit("bench");
  return recorded(upstashLike, ask);
}

async function semaphore() {
  const ask = async (client) => {
    const options = { identifier: "lease-__id__", lockTimeout: 60_000, refreshInterval: 0 };
    const one = new semaphores.Semaphore(client, "bench", 1000, options);
    await one.acquire();
    await one.release();
  };
  return recorded(ioredisLike, ask);
}

const peers = [
  { name: "rate-limiter-flexible consume", calls: await flexible() },
  { name: "@upstash/ratelimit fixedWindow", calls: await upstash(Ratelimit.fixedWindow(MANY, "1 h")) },
  { name: "@upstash/ratelimit slidingWindow", calls: await upstash(Ratelimit.slidingWindow(MANY, "1 h")) },
  { name: "@upstash/ratelimit tokenBucket", calls: await upstash(Ratelimit.tokenBucket(MANY, "1 s", MANY)) },
  { name: "redis-semaphore acquire + release", calls: await semaphore() },
];
const text = ({ script, keys, args, command }) =>
  command ? { command: command.map(String) } : { script, keys, args: args.map(String) };
console.log(JSON.stringify(peers.map(({ name, calls }) => ({ name, calls: calls.map(text) }))));
