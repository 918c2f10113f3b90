// Rendezvous order as a whole, in both builds: shares, and independence of the caller's list.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import * as javascript from "../dist/js.js";
import * as webassembly from "../dist/index.js";

const ACCOUNTS = Array.from({ length: 8 }, (_, index) => `acct-${index + 1}`);
const UNLIKE = ["openai/eu", "10.0.0.7:8080", "б", "a name of many more bytes than the rest"];
const BY_FIRST_BYTE = Array.from("abcdefgh", (first) => `${first}cct-1`);

/** Random whole numbers below a bound (mulberry32): of POINTSMAN_SEED, or of a fresh seed. */
function draws(context) {
  const seed = Number(process.env.POINTSMAN_SEED ?? randomInt(2 ** 32));
  assert.ok(Number.isSafeInteger(seed) && seed >= 0, "POINTSMAN_SEED is a whole number");
  context.diagnostic(`POINTSMAN_SEED=${seed}`);
  let state = seed >>> 0;
  const below = (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) % bound;
  };
  return { below, replay: `replay with POINTSMAN_SEED=${seed}` };
}

function identities(core, key, list) {
  const order = core.order(key, list);
  assert.deepEqual([...order].sort((a, b) => a - b), list.map((_, index) => index));
  return order.map((index) => list[index]);
}

for (const [build, core] of Object.entries({ webassembly, javascript })) {
  test(`first and second choices of 20,000 sessions are even in the ${build} build`, () => {
    for (const names of [ACCOUNTS, UNLIKE, BY_FIRST_BYTE]) {
      const upstreams = new core.Upstreams(names);
      const counts = [new Map(), new Map()];
      for (let number = 0; number < 20_000; number++) {
        const choices = upstreams.order(`session-${number}`, 2);
        assert.equal(choices.length, 2);
        counts.forEach((count, at) => count.set(choices[at], (count.get(choices[at]) ?? 0) + 1));
      }
      const mean = 20_000 / names.length;
      for (const count of counts) {
        assert.deepEqual([...count.keys()].sort(), [...names].sort());
        for (const [name, keys] of count) {
          assert.ok(keys >= 0.9 * mean && keys <= 1.1 * mean, `${name}: ${keys} of ${mean}`);
        }
      }
      upstreams.dispose();
    }
  });

  test(`the order does not depend on how the list is arranged in the ${build} build`, (context) => {
    const { below, replay } = draws(context);
    for (let round = 0; round < 100_000; round++) {
      const list = Array.from({ length: 1 + below(9) }, (_, number) => {
        return `${["a", "б", "日", "🙂"][below(4)]}${number}-${below(100)}`;
      });
      const key = String(below(2 ** 32));
      const before = identities(core, key, list);
      for (let at = list.length - 1; at > 0; at--) {
        const other = below(at + 1);
        [list[at], list[other]] = [list[other], list[at]];
      }
      assert.deepEqual(identities(core, key, list), before, `${list}, ${replay}`);
    }
  });

  test(`a lone surrogate counts as U+FFFD in the ${build} build`, () => {
    for (const lone of ["\ud800", "\udc00"]) {
      assert.deepEqual(core.order(`k${lone}`, ACCOUNTS), core.order("k\ufffd", ACCOUNTS));
      const [names, replaced] = [[...ACCOUNTS, `a${lone}b`], [...ACCOUNTS, "a\ufffdb"]];
      assert.deepEqual(core.order("session:42", names), core.order("session:42", replaced));
      assert.deepEqual(core.chain([`${lone}x`]), core.chain(["\ufffdx"]));
    }
  });
}
