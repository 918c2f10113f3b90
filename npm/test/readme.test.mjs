// The JavaScript that the READMEs print runs as it is printed, in an empty folder with the package.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { startServer } from "./redis-server.mjs";

// What each block prints.
const PRINTED = [
  ["../../README.md", /^true\n\[ 'acct-\d', 'acct-\d', 'acct-\d' \]\n$/],
  ["../README.md", /^acct-\d \d{16}\n$/, /^granted\n$/, /^throttled\n\[ \{ limit: 'tokens', remaining: 900 \} \]\n$/],
];

for (const [readme, ...printed] of PRINTED) {
  test(`the JavaScript in ${readme} runs as it is printed`, async () => {
    const text = readFileSync(new URL(readme, import.meta.url), "utf8");
    const blocks = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block);
    assert.equal(blocks.length, printed.length);
    const server = await startServer();
    const folder = mkdtempSync(join(tmpdir(), "pointsman-readme-"));
    try {
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(fileURLToPath(new URL("..", import.meta.url)), join(folder, "node_modules/pointsman"));
      const ioredis = fileURLToPath(new URL("../node_modules/ioredis", import.meta.url));
      symlinkSync(ioredis, join(folder, "node_modules/ioredis"));
      for (const [at, block] of blocks.entries()) {
        writeFileSync(join(folder, "start.mjs"), block.replace(":6379", `:${server.port}`));
        const run = spawnSync(process.execPath, ["start.mjs"], { cwd: folder, encoding: "utf8" });
        assert.equal(run.status, 0, run.stderr);
        assert.match(run.stdout, printed[at]);
      }
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
}
