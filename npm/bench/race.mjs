// Contestants run in turn, round after round, so that a busy machine slows all of them alike: the
// ratios hold where the times do not.

import { inspect } from "node:util";

/** How long one contestant runs in one round, in nanoseconds. */
const TURN = 1_500_000;
const WARM_UP = 12 * TURN;
const ROUNDS = process.argv.includes("--quick") ? 5 : 25;

/**
 * Times what each contestant does with the items, and prints medians. The first one is ours.
 *
 * @param {string} title
 * @param {readonly unknown[]} items Each contestant must answer some of them differently.
 * @param {Record<string, (item: any) => unknown>} contestants
 * @param {{ bytes?: number }} [options] Bytes of an item, where throughput is of interest.
 */
export function race(title, items, contestants, { bytes } = {}) {
  const runners = Object.entries(contestants).map(([name, call]) => runner(name, call, items));
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of runners) one.times.push(one.turn(one.calls) / one.calls);
  }
  const throughput = bytes === undefined ? "" : "GB/s".padStart(9);
  console.log(`\n${title.padEnd(46)}${"ns a call".padStart(12)}${"times ours".padStart(12)}${throughput}`);
  for (const { name, times } of runners) {
    const ratio = median(times.map((time, round) => time / runners[0].times[round]));
    const speed = bytes === undefined ? "" : (bytes / median(times)).toFixed(2).padStart(9);
    const time = median(times).toFixed(1).padStart(12);
    console.log(`  ${name.padEnd(44)}${time}${ratio.toFixed(2).padStart(12)}${speed}`);
  }
}

function runner(name, call, items) {
  const first = inspect(call(items[0]));
  if (items.every((item) => inspect(call(item)) === first)) {
    throw new Error(`${name} answers every item with ${first}`);
  }
  // A function of its own for each contestant, or the engine would share what it learns of one.
  const loop = new Function(
    "call",
    "items",
    "calls",
    "let last; for (let i = 0, at = 0; i < calls; i++) {" +
      " last = call(items[at]); at = at + 1 === items.length ? 0 : at + 1; } return last;",
  );
  const turn = (calls) => {
    const start = process.hrtime.bigint();
    const last = loop(call, items, calls);
    const time = Number(process.hrtime.bigint() - start);
    if (last === undefined) throw new Error(`${name} has stopped answering`);
    return time;
  };
  let calls = 1;
  for (let spent = 0, time = 0; spent < WARM_UP && time < TURN * 8; spent += time) {
    time = turn(calls);
    if (time < TURN) calls *= 2;
  }
  return { name, turn, calls, times: [] };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
