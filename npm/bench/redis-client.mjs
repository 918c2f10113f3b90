// Calls a second over one connection of ioredis: `take` beside `return 1`, one call at a time and 50.
// `cargo xtask bench-redis` runs it, with the port of a server and the calls of one round.

import { readFile } from "node:fs/promises";
import { Redis } from "ioredis";

const ROUNDS = 7;
const [port, calls] = process.argv.slice(2).map(Number);
const client = new Redis({ host: "127.0.0.1", port });
const bundle = JSON.parse(await readFile(new URL("../../lua/bundle.json", import.meta.url), "utf8"));
const take = bundle.find(({ name }) => name === "take").source;
const bucket = ["requests", "bucket", 1_000_000_000, 7_000_001, 60_000];

const scripts = {
  "return 1": [await client.script("LOAD", "return 1"), 1, "floor"],
  take: [await client.script("LOAD", take), 1, "client", 0, 0, "", 0, 1, "keep", "full", 1, ...bucket, 1],
};

async function callsInASecond(args, depth) {
  let left = calls;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await client.evalsha(args);
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: depth }, worker));
  return calls / ((performance.now() - begin) / 1000);
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

for (const depth of [1, 50]) {
  const measured = { "return 1": [], take: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, args] of Object.entries(scripts)) {
      const speed = await callsInASecond(args, depth);
      // The first round warms up.
      if (round > 0) measured[name].push(speed);
    }
  }
  const [floor, ours] = Object.values(measured).map(median);
  const [shown, shownFloor] = [ours, floor].map((speed) => Math.round(speed).toLocaleString("en"));
  console.log(
    `ioredis, ${depth} at a time: take ${shown} a second, return 1 ${shownFloor} (${(ours / floor).toFixed(2)})`,
  );
}
client.disconnect();
