// The JavaScript that the READMEs print runs as it is printed, in an empty folder with the package.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const PRINTED = [
  ["../../README.md", /^true\n\[ 'acct-\d', 'acct-\d', 'acct-\d' \]\n$/],
  ["../README.md", /^acct-\d \d{16}\n$/],
];

for (const [readme, printed] of PRINTED) {
  test(`the JavaScript in ${readme} runs as it is printed`, () => {
    const text = readFileSync(new URL(readme, import.meta.url), "utf8");
    const blocks = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block);
    assert.equal(blocks.length, 1);
    const folder = mkdtempSync(join(tmpdir(), "pointsman-readme-"));
    try {
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(fileURLToPath(new URL("..", import.meta.url)), join(folder, "node_modules/pointsman"));
      writeFileSync(join(folder, "start.mjs"), blocks[0]);
      const run = spawnSync(process.execPath, ["start.mjs"], { cwd: folder, encoding: "utf8" });
      assert.equal(run.status, 0, run.stderr);
      assert.match(run.stdout, printed);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
