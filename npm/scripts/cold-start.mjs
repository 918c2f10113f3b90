// How long the first call of a fresh process takes, beside an empty WebAssembly module padded to
// the size of the core: what any module of that size costs. Medians of several processes each.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";

const RUNS = 11;
const BOUND = 2;
const dist = (name) => new URL(`../dist/${name}`, import.meta.url);
const size = statSync(dist("core.wasm")).size;

const EMPTY = `
  const size = ${size};
  const length = [size & 127 | 128, size >> 7 & 127 | 128, size >> 14];
  const header = [0, 97, 115, 109, 1, 0, 0, 0, 0, ...length, 0];
  const bytes = new Uint8Array(header.length - 1 + size);
  bytes.set(header);
  const before = performance.now();
  new WebAssembly.Instance(new WebAssembly.Module(bytes));
  console.log(performance.now() - before);
`;
const firstCall = (name) => `
  const { pick } = await import(${JSON.stringify(dist(name).href)});
  const before = performance.now();
  pick("session:42", ["acct-1", "acct-2", "acct-3"]);
  console.log(performance.now() - before);
`;
const programs = { "empty module": EMPTY, "index.js": firstCall("index.js"), "wasm.js": firstCall("wasm.js"), "js.js": firstCall("js.js") };

const times = new Map(Object.keys(programs).map((name) => [name, []]));
for (let run = 0; run < RUNS; run++) {
  for (const [name, program] of Object.entries(programs)) {
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
    times.get(name).push(Number(printed));
  }
}
const median = (list) => list.sort((a, b) => a - b)[(RUNS - 1) / 2];
const empty = median(times.get("empty module"));
console.log(`first call       ms   × an empty module of ${size} bytes (bound for index.js: ${BOUND})`);
for (const [name, list] of times) {
  const time = median(list);
  console.log(`${name.padEnd(13)}${time.toFixed(2).padStart(6)}${(time / empty).toFixed(1).padStart(8)}`);
}
