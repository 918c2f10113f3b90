// The memory that both sides see: it grows under their hands, it comes back, and a core that
// trapped is replaced.
import assert from "node:assert/strict";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { spawnSync } from "node:child_process";
import { openLibrary } from "./memory/open-core.mjs";

const LIST = Array.from({ length: 300 }, (_, at) => `upstream-${at}`);

for (const build of ["index", "js"]) {
  const p = await import(`../dist/${build}.js`);

  test(`answers stay right while the memory grows (dist/${build}.js)`, () => {
    const upstreams = new p.Upstreams(LIST);
    const order = [...upstreams.indices("k")];
    const chain = new p.Chain();
    const links = [chain.push("first")];
    const tables = [];
    for (let round = 1; round <= 12; round++) {
      const table = new p.AffinityTable({ maxLinks: 100_000 });
      for (let at = 0; at < 4_000; at++) table.remember(p.chain([`${round} ${at}`]), `u${at}`, 0);
      tables.push(table);
      // A text of 2^round kB, and one of three bytes a character.
      links.push(chain.push("x".repeat(2 ** round * 1024)), chain.push("漢".repeat(2 ** round * 300)));
      assert.deepEqual([...upstreams.indices("k")], order);
      assert.equal(table.recall(p.chain([`${round} 3999`]), 1), "u3999");
    }
    assert.deepEqual(chain.links, links);
    assert.equal(new Set(links).size, links.length);
    const again = ["first"];
    for (let round = 1; round <= 12; round++) {
      again.push("x".repeat(2 ** round * 1024), new TextEncoder().encode("漢".repeat(2 ** round * 300)));
    }
    assert.deepEqual(p.chain(again), links);
    for (const table of [...tables, chain, upstreams]) table.dispose();
  });

  test(`a view of indices is made anew when the memory has grown (dist/${build}.js)`, () => {
    const upstreams = new p.Upstreams(LIST);
    const before = upstreams.order("k", 5);
    const grown = Array.from({ length: 60 }, (_, at) => new p.Upstreams(LIST.map((name) => `${name} ${at}`)));
    p.chain(["y".repeat(3_000_000)]);
    assert.deepEqual(upstreams.order("k", 5), before);
    assert.deepEqual(Array.from(upstreams.indices("k").subarray(0, 5), (index) => LIST[index]), before);
    for (const one of grown) one.dispose();
  });
}

for (const source of ["source.ts", "source-js.ts"]) {
  test(`after a trap new objects work, and old ones say that they are lost (${source})`, async () => {
    const p = await openLibrary(source);
    const old = new p.Upstreams(["a", "b"]);
    const leases = new p.Leases({ draw: 0 });
    p.chain(["x".repeat(5_000_000)]);
    p.abandon();
    const crashed = { name: "PointsmanError", code: "CORE_CRASHED" };
    assert.throws(() => old.pick("k"), crashed);
    assert.throws(() => leases.inFlight("a", 0), crashed);
    const fresh = new p.Upstreams(["a", "b"]);
    assert.equal(fresh.pick("k"), p.pick("k", ["a", "b"]));
    old.dispose();
    assert.equal(fresh.pick("k"), p.pick("k", ["a", "b"]));
    assert.deepEqual(p.chain(["y".repeat(5_000_000)]).length, 1);
  });
}

test("forgotten objects are collected, and those of a core that trapped do no harm", { timeout: 120_000 }, () => {
  const program = fileURLToPath(new URL("memory/collect.mjs", import.meta.url));
  const child = spawnSync(process.execPath, ["--expose-gc", program], { encoding: "utf8" });
  assert.equal(child.status, 0, child.stderr);
  const { first, last } = JSON.parse(child.stdout);
  assert.ok(last <= first * 1.5, `grew from ${first} to ${last} bytes`);
});
