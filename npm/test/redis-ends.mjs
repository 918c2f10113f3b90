// Waits, gives up, fails and times out over one client, then closes it: nothing may be left behind.
import assert from "node:assert/strict";
import { RedisLimits } from "../dist/redis.js";
import { CLIENTS } from "./redis-clients.mjs";

const [client, port] = process.argv.slice(2);
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
const LIMITS = [{ name: "n", capacity: 1, refill: 1, periodMs: 50 }];

const { evaluate, close } = await CLIENTS[client](Number(port));
const idle = timers();
const limits = new RedisLimits(evaluate, `${client} ends`, LIMITS, { version: 1, timeoutMs: 60_000 });
await Promise.all([1, 2, 3].map(() => limits.takeWhenFree({ n: 1 })));
const controller = new AbortController();
const givenUp = Array.from({ length: 20 }, () => limits.takeWhenFree({ n: 1 }, { signal: controller.signal }));
await limits.take({ n: 1 });
controller.abort();
for (const { status } of await Promise.allSettled(givenUp)) assert.equal(status, "rejected");
// What gives their places back is still under way, in its time.
while (timers() > idle) await new Promise((turn) => setImmediate(turn));
await assert.rejects(limits.take({ n: -1 }), { code: "ARGUMENT" });
assert.equal(timers(), idle);

const nowhere = new RedisLimits(() => new Promise(() => {}), "k", LIMITS, { version: 1, timeoutMs: 5 });
await assert.rejects(nowhere.take({ n: 1 }), { code: "UNREACHABLE" });
const late = new RedisLimits(
  () => new Promise((_, reject) => setImmediate(reject, new Error(`port ${port}`))),
  "k",
  LIMITS,
  { version: 1, timeoutMs: 1 },
);
await Promise.allSettled([late.take({ n: 1 }), late.take({ n: 1 })]);
assert.equal(timers(), idle);
close();
console.log("ends");
