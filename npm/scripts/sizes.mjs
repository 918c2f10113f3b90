// Prints what the package weighs, and fails where a part is heavier than it may be.
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

const BOUNDS = { "core.wasm": 26_000, "index.js": 85_000, "wasm.js": 48_000, "redis.js": 25_500 };

const rows = ["core.wasm", "index.js", "wasm.js", "js.js", "index.workerd.js", "redis.js", "cli.js"].map((name) => {
  const bytes = readFileSync(new URL(`../dist/${name}`, import.meta.url));
  return { name, raw: bytes.length, brotli: brotliCompressSync(bytes).length, bound: BOUNDS[name] };
});
console.log("file               bytes   brotli    bound");
for (const { name, raw, brotli, bound } of rows) {
  console.log(`${name.padEnd(16)}${String(raw).padStart(8)}${String(brotli).padStart(9)}${String(bound ?? "").padStart(9)}`);
}
const heavy = rows.filter(({ brotli, bound }) => brotli > bound);
if (heavy.length > 0) {
  console.error(`too heavy: ${heavy.map(({ name }) => name).join(", ")}`);
  process.exitCode = 1;
}
