// Makes the declarations in npm/dist: what the entries reach, once for `import` (.d.ts) and once for
// `require` (.d.cts).
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The entries that have declarations of their own. */
const ENTRIES = { index: "src/index", redis: "src/redis/index" };

const IMPORTED = /(from "|import\(")(\.[^"]*)\.js"/g;

/** Checks all types, then writes the declarations that are part of the package. */
export function declareTypes(root) {
  const emitted = join(root, "gen/types");
  rmSync(emitted, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", root], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
  const from = (file) => (file.startsWith("gen/") ? join(root, `${file}.d.ts`) : join(emitted, `${file}.d.ts`));
  const types = join(root, "dist/types");
  for (const [file, text] of reached(Object.values(ENTRIES), from)) {
    mkdirSync(dirname(join(types, file)), { recursive: true });
    writeFileSync(join(types, `${file}.d.ts`), text);
    writeFileSync(join(types, `${file}.d.cts`), text.replaceAll(IMPORTED, '$1$2.cjs"'));
  }
  for (const [entry, file] of Object.entries(ENTRIES)) {
    writeFileSync(join(root, `dist/${entry}.d.ts`), `export * from "./types/${file}.js";\n`);
    writeFileSync(join(root, `dist/${entry}.d.cts`), `export * from "./types/${file}.cjs";\n`);
  }
  const module = "declare const module: WebAssembly.Module;\nexport default module;\n";
  writeFileSync(join(root, "dist/core.wasm.d.ts"), module);
}

function reached(entries, from) {
  const files = new Map();
  for (const queue = [...entries]; queue.length > 0; ) {
    const file = queue.pop();
    if (files.has(file)) continue;
    const text = readFileSync(from(file), "utf8");
    files.set(file, text);
    for (const [, , imported] of text.matchAll(IMPORTED)) queue.push(join(dirname(file), imported));
  }
  return files;
}
