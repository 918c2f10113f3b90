// Makes npm/gen/core.wasm and npm/gen/core-js.js from the two modules of `cargo xtask build`.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const gen = (name) => fileURLToPath(new URL(`../gen/${name}`, import.meta.url));
const binaryen = new URL("../node_modules/binaryen/", import.meta.url);

// Features are named: an engine loads no module that uses one which it does not know.
const BASE = ["--mvp-features", "--enable-mutable-globals"];
const SIMD = ["--enable-simd", "--enable-bulk-memory", "--enable-sign-ext", "--enable-nontrapping-float-to-int"];
const SHRINK = ["-Oz", "--converge", "--strip-debug", "--strip-producers", "--strip-target-features"];

const execute = promisify(execFile);
const run = (tool, ...args) => execute(process.execPath, [fileURLToPath(new URL(`bin/${tool}`, binaryen)), ...args]);
const optimise = (from, to, features) => run("wasm-opt", gen(from), "-o", gen(to), ...BASE, ...features, ...SHRINK);

/** Makes both, unless they were made of the very same inputs; then has the host start each once. */
export async function buildCore() {
  const inputs = ["core.bound.wasm", "core.base.wasm"].map(gen);
  const self = fileURLToPath(import.meta.url);
  const digest = digestOf([...inputs, self, fileURLToPath(new URL("package.json", binaryen))]);
  const outputs = ["core.wasm", "core-js.js", "core-js.d.ts"].map(gen);
  const known = outputs.every(existsSync) && existsSync(gen("core.digest"));
  if (known && readFileSync(gen("core.digest"), "utf8") === digest) return;
  await Promise.all([
    optimise("core.bound.wasm", "core.wasm", SIMD),
    optimise("core.base.wasm", "core.base.opt.wasm", []).then(asJavaScript),
  ]);
  await startBoth();
  writeFileSync(gen("core.digest"), digest);
}

async function asJavaScript() {
  await run("wasm2js", gen("core.base.opt.wasm"), "-O", ...BASE, "-o", gen("core-js.raw.js"));
  writeFileSync(gen("core-js.js"), asFunction(readFileSync(gen("core-js.raw.js"), "utf8")));
  writeFileSync(gen("core-js.d.ts"), "export const instantiate: (imports: WebAssembly.Imports) => unknown;\n");
}

// What `wasm2js` writes starts itself; cut it down to a function that can be called when needed.
function asFunction(source) {
  const begin = source.indexOf("var bufferView;");
  const end = source.lastIndexOf("var retasmFunc = asmFunc(");
  if (begin < 0 || end < begin) throw new Error("wasm2js writes a form that is not known here");
  return `${source.slice(begin, end)}\nexport const instantiate = asmFunc;\n`;
}

async function startBoth() {
  const imports = { "./core_bg.js": await import(pathToFileURL(gen("core.js"))) };
  const { instantiate } = await import(pathToFileURL(gen("core-js.js")));
  const module = new WebAssembly.Module(readFileSync(gen("core.wasm")));
  const asWebAssembly = Object.keys(new WebAssembly.Instance(module, imports).exports).sort();
  const inJavaScript = Object.keys(instantiate(imports)).sort();
  if (`${asWebAssembly}` !== `${inJavaScript}`) {
    throw new Error(`the two builds differ:\n${asWebAssembly}\n${inJavaScript}`);
  }
}

function digestOf(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest("hex");
}
