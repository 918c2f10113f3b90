// The package in a browser, as raw ES modules: the same answers as here under every policy.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import * as core from "../dist/index.js";
import { openSite } from "./browser/site.mjs";
import { answersOf } from "./package/answers.mjs";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let site;
let browser;

before(async () => {
  assert.ok(existsSync(CHROMIUM), `${CHROMIUM} is missing: apt-get install -y --no-install-recommends chromium`);
  site = await openSite();
  // Chromium has no sandbox for root.
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, chromiumSandbox: process.getuid?.() !== 0 });
});

after(async () => {
  await browser?.close();
  await site?.close();
});

/** Opens a page and returns its outcome, or throws what the page threw. */
async function outcomeOf(policy, entry) {
  const page = await browser.newPage();
  const failed = new Promise((_, reject) => page.on("pageerror", reject));
  await page.goto(site.url(policy, entry));
  await Promise.race([page.waitForFunction(() => globalThis.outcome !== undefined), failed]);
  const outcome = await page.evaluate(() => globalThis.outcome);
  await page.close();
  return outcome;
}

const expected = JSON.parse(JSON.stringify(answersOf(core)));

for (const [sentence, policy, entry, started] of [
  ["without a policy, WebAssembly answers", "open", "index.js", { instances: 1, refuses: false }],
  ["under 'wasm-unsafe-eval', WebAssembly answers", "wasm", "index.js", { instances: 1, refuses: false }],
  ["under a strict policy, the JavaScript build answers", "strict", "index.js", { instances: 0, refuses: true }],
  ["js.js answers under a strict policy", "strict", "js.js", { instances: 0, refuses: true }],
  ["js.js uses no WebAssembly where it could", "open", "js.js", { instances: 0, refuses: false }],
  ["wasm.js answers where WebAssembly is allowed", "wasm", "wasm.js", { instances: 1, refuses: false }],
]) {
  test(sentence, async () => {
    const { answers, ...rest } = await outcomeOf(policy, entry);
    assert.deepEqual(rest, { atImport: 0, ...started });
    assert.deepEqual(JSON.parse(JSON.stringify(answers)), expected);
  });
}

test("under a strict policy, wasm.js can be imported and says at the first call what is missing", async () => {
  await assert.rejects(outcomeOf("strict", "wasm.js"), /CORE_UNAVAILABLE|could not be started/);
});
