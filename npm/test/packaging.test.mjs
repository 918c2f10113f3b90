// The package as its users get it: packed, installed into an empty folder, imported and required.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { SESSION_42 } from "./package/answers.mjs";

const npm = fileURLToPath(new URL("..", import.meta.url));
const programs = fileURLToPath(new URL("package", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pointsman-packaging-"));
const packed = {};

before(() => {
  const pack = ["pack", "--json", "--pack-destination", folder];
  const [{ filename, files }] = JSON.parse(execFileSync("npm", pack, { cwd: npm, encoding: "utf8" }));
  packed.files = files;
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const install = ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", join(folder, filename)];
  execFileSync("npm", install, { cwd: folder, stdio: "pipe" });
  cpSync(programs, folder, { recursive: true });
});

after(() => rmSync(folder, { recursive: true }));

/** Runs Node in the folder until it ends by itself, and returns what it printed. */
function run(...args) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.deepEqual({ status, signal, stderr }, { status: 0, signal: null, stderr: "" }, args.join(" "));
  return stdout;
}

const answered = (...args) => JSON.parse(run(...args));

/** The declared names of a folder of `npm/src` that the package declares, both ways. */
const declared = (...names) => names.flatMap((name) => [`dist/types/${name}.d.cts`, `dist/types/${name}.d.ts`]);

test("the tarball holds exactly these files", () => {
  const modules = ["affinity", "chain", "entries", "errors", "index", "leases", "least-used", "limits"];
  modules.push("outcome", "rate-limit-headers", "rotation", "upstreams");
  const inRedis = ["adapters", "affinity", "index", "inspect", "leases", "least-used", "limits", "reply", "rotation"];
  inRedis.push("rules", "script", "shared-state", "taken", "waiting");
  const expected = [
    "LICENSE",
    "README.md",
    "dist/cli.js",
    "dist/core.wasm",
    "dist/core.wasm.d.ts",
    "dist/index.cjs",
    "dist/index.d.cts",
    "dist/index.d.ts",
    "dist/index.js",
    "dist/index.workerd.js",
    "dist/js.cjs",
    "dist/js.js",
    "dist/redis.cjs",
    "dist/redis.d.cts",
    "dist/redis.d.ts",
    "dist/redis.js",
    ...declared("gen/core", "src/core/handle", "src/core/start"),
    ...declared(...modules.map((name) => `src/${name}`)),
    ...declared(...inRedis.map((name) => `src/redis/${name}`)),
    "dist/wasm.cjs",
    "dist/wasm.js",
    "package.json",
  ];
  assert.deepEqual(packed.files.map(({ path }) => path).sort(), expected.sort());
});

test("every entry answers alike, imported and required, and its process ends by itself", () => {
  const first = answered("imports.mjs");
  assert.deepEqual(first.order, SESSION_42);
  assert.equal(first.refused.code, "ARGUMENT");
  for (const entry of ["pointsman", "pointsman/wasm", "pointsman/js"]) {
    assert.deepEqual(answered("imports.mjs", entry), first, entry);
    assert.deepEqual(answered("requires.cjs", entry), first, entry);
  }
});

test("the entry for Workers takes a module that the host compiled", () => {
  const worker = ["--conditions=workerd", "--import", "./workerd-hooks.mjs"];
  const file = answered(...worker, "--eval", 'console.log(JSON.stringify(require.resolve("pointsman")))');
  assert.match(file, /index\.cjs$/);
  const resolved = run(...worker, "--input-type=module", "--eval", 'console.log(import.meta.resolve("pointsman"))');
  assert.match(resolved, /index\.workerd\.js\n$/);
  assert.deepEqual(answered(...worker, "imports.mjs"), answered("imports.mjs"));
});

test("import and require give the same classes", () => {
  assert.equal(run("identity.cjs"), "true\n");
});

test("importing starts nothing, reads no clock and draws nothing", () => {
  for (const entry of ["pointsman", "pointsman/wasm"]) {
    const { atImport, atFirstCall } = answered("quiet-import.mjs", entry);
    assert.deepEqual(atImport, [], entry);
    assert.deepEqual(atFirstCall, ["Instance", "Module"], entry);
  }
  assert.deepEqual(answered("quiet-import.mjs", "pointsman/js"), { atImport: [], atFirstCall: [] });
});

test("every call can be the first of its process", () => {
  for (const name of answered("first-call.mjs")) {
    assert.notEqual(answered("first-call.mjs", name).answer, undefined, name);
  }
});

test("a host without WebAssembly gets the same answers from the JavaScript build", () => {
  const host = "--no-expose-wasm";
  assert.equal(run(host, "--eval", "console.log(typeof WebAssembly)"), "undefined\n");
  const expected = answered("imports.mjs");
  assert.deepEqual(answered(host, "imports.mjs"), expected);
  assert.deepEqual(answered(host, "requires.cjs"), expected);
});

test("the entry with WebAssembly alone can be imported without it, and says at each call what is missing", () => {
  const refusal = "PointsmanError CORE_UNAVAILABLE because of ReferenceError";
  assert.deepEqual(answered("--no-expose-wasm", "unavailable.mjs"), [refusal, refusal]);
});

test("a host without text codecs gets the same answers", () => {
  const expected = answered("imports.mjs");
  for (const entry of ["pointsman", "pointsman/js"]) {
    assert.deepEqual(answered("--import", "./no-text-codecs.mjs", "imports.mjs", entry), expected, entry);
  }
});

test("the entry for Redis answers alike, imported and required, and needs no WebAssembly", () => {
  const expected = answered("redis-imports.mjs");
  const [sent] = expected.sent;
  assert.deepEqual(sent, ["EVALSHA", 40, ["key"], ["1000", "0", "l", "60000", "fewest", "0", "a", "1"]]);
  assert.equal(expected.leased.kind, "leased");
  assert.deepEqual(expected.refused, [true, "REPLY"]);
  assert.deepEqual(answered("redis-requires.cjs"), expected);
  assert.deepEqual(answered("--no-expose-wasm", "redis-imports.mjs"), expected);
  for (const name of ["redis.js", "redis.cjs"]) {
    const text = readFileSync(join(folder, "node_modules/pointsman/dist", name), "utf8");
    assert.doesNotMatch(text, /WebAssembly|from"|require\(/);
  }
});

test("core.wasm is WebAssembly that this host compiles", () => {
  const program = `
    import { readFileSync } from "node:fs";
    const file = new URL(import.meta.resolve("pointsman/core.wasm"));
    console.log(WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(file))).length > 0);
  `;
  assert.equal(run("--input-type=module", "--eval", program), "true\n");
});

test("the tool is installed under its name and tells the version of the package", () => {
  const { version } = JSON.parse(readFileSync(join(npm, "package.json"), "utf8"));
  const tool = join(folder, "node_modules/.bin/pointsman");
  assert.equal(execFileSync(tool, ["--version"], { encoding: "utf8" }), `${version}\n`);
});

for (const [how, file, compilerOptions] of [
  ["an ES module", "uses.mts", { module: "node16", moduleResolution: "node16" }],
  ["a CommonJS module", "uses.cts", { module: "node16", moduleResolution: "node16" }],
  ["a module for a bundler", "uses.ts", { module: "esnext", moduleResolution: "bundler" }],
]) {
  test(`the types hold in ${how}`, () => {
    const project = join(folder, `types-${file.replace(".", "-")}`);
    mkdirSync(project);
    copyFileSync(join(folder, "typed/uses.ts"), join(project, file));
    const strict = { target: "es2020", lib: ["es2020"], types: [], strict: true, skipLibCheck: false, noEmit: true };
    const options = { ...compilerOptions, ...strict, exactOptionalPropertyTypes: true };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: [file] }));
    assert.equal(run(join(npm, "node_modules/typescript/bin/tsc"), "-p", project), "");
  });
}

test("the clients' own types fit the adapters", () => {
  const project = join(folder, "types-clients");
  mkdirSync(project);
  for (const name of ["ioredis", "redis", "@types"]) {
    symlinkSync(join(npm, "node_modules", name), join(folder, "node_modules", name));
  }
  copyFileSync(join(folder, "typed/clients.ts"), join(project, "clients.mts"));
  // The clients' declarations need Node's, and are not ours to check.
  const options = { target: "es2022", module: "node16", types: ["node"], strict: true, skipLibCheck: true, noEmit: true };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["clients.mts"] }));
  assert.equal(run(join(npm, "node_modules/typescript/bin/tsc"), "-p", project), "");
});
