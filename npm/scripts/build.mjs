// Makes npm/dist from npm/src and from what `cargo xtask build` left in npm/gen.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const gen = (name) => join(root, "gen", name);
const dist = (name) => join(root, "dist", name);
const binaryen = join(root, "node_modules/binaryen/bin");

// Features are named: an engine loads no module that uses one which it does not know.
const SIMD = ["--enable-simd", "--enable-bulk-memory", "--enable-sign-ext", "--enable-nontrapping-float-to-int"];
const SHRINK = ["-Oz", "--converge", "--strip-debug", "--strip-producers", "--strip-target-features"];

const run = (program, ...args) => execFileSync(process.execPath, [join(binaryen, program), ...args]);
const optimise = (from, to, features) =>
  run("wasm-opt", gen(from), "-o", gen(to), "--mvp-features", "--enable-mutable-globals", ...features, ...SHRINK);

// What `wasm2js` writes starts itself; cut it down to a function that can be called when needed.
function asFunction(source) {
  const begin = source.indexOf("var bufferView;");
  const end = source.lastIndexOf("var retasmFunc = asmFunc(");
  if (begin < 0 || end < begin) throw new Error("wasm2js writes a form that is not known here");
  return `${source.slice(begin, end)}\nexport const instantiate = asmFunc;\n`;
}

function buildCore() {
  optimise("core.bound.wasm", "core.wasm", SIMD);
  optimise("core.base.wasm", "core.base.opt.wasm", []);
  run("wasm2js", gen("core.base.opt.wasm"), "-O", "--mvp-features", "--enable-mutable-globals", "-o", gen("core-js.raw.js"));
  writeFileSync(gen("core-js.js"), asFunction(readFileSync(gen("core-js.raw.js"), "utf8")));
  writeFileSync(gen("core-js.d.ts"), "export const instantiate: (imports: WebAssembly.Imports) => unknown;\n");
  new WebAssembly.Module(readFileSync(gen("core.wasm")));
}

// Every entry is one file, so that a bundler can neither split nor lose a part of it.
function bundle(name, source, format) {
  const chosen = source === "default" ? [] : [[/core[\\/]source\.js$/, `source-${source}.ts`]];
  return esbuild.build({
    entryPoints: [join(root, "src/index.ts")],
    outfile: dist(name),
    bundle: true,
    format,
    target: "es2022",
    minify: true,
    charset: "utf8",
    legalComments: "none",
    loader: { ".wasm": "base64" },
    external: ["./core.wasm"],
    inject: [join(root, "src/core/text-codec.ts")],
    plugins: [sourceOf(chosen)],
    logLevel: "warning",
  });
}

function sourceOf(chosen) {
  return {
    name: "source of the core",
    setup(build) {
      build.onResolve({ filter: /^\.\/source\.js$/ }, (imported) => {
        const [file] = chosen.map(([, name]) => name);
        return { path: join(imported.resolveDir, file ?? "source.ts") };
      });
    },
  };
}

// The tool uses the library as it is published: `index.js` stays outside.
function bundleTool() {
  return esbuild.build({
    entryPoints: [join(root, "src/cli.ts")],
    outfile: dist("cli.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    charset: "utf8",
    banner: { js: "#!/usr/bin/env node" },
    logLevel: "warning",
    plugins: [
      {
        name: "library as published",
        setup(build) {
          build.onResolve({ filter: /^(\.\.?\/)+index\.js$/ }, () => ({ path: "./index.js", external: true }));
        },
      },
    ],
  });
}

function declareTypes() {
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", root], { stdio: "inherit" });
  const folder = dist("types/src");
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".d.ts"))) {
    const text = readFileSync(join(folder, name), "utf8");
    writeFileSync(dist(name), text);
    writeFileSync(dist(name.replace(".d.ts", ".d.cts")), text.replaceAll(/(from "\.[^"]*)\.js"/g, '$1.cjs"'));
  }
  rmSync(dist("types"), { recursive: true });
  const module = "declare const module: WebAssembly.Module;\nexport default module;\n";
  writeFileSync(dist("core.wasm.d.ts"), module);
}

rmSync(dist("."), { recursive: true, force: true });
mkdirSync(dist("."), { recursive: true });
buildCore();
declareTypes();
const entries = ["default", "wasm", "js"].flatMap((source) =>
  ["js", "cjs"].map((end) => [`${source === "default" ? "index" : source}.${end}`, source, end === "js" ? "esm" : "cjs"]),
);
await Promise.all([
  ...entries.map(([name, source, format]) => bundle(name, source, format)),
  bundle("index.workerd.js", "workerd", "esm"),
  bundleTool(),
]);
copyFileSync(gen("core.wasm"), dist("core.wasm"));
copyFileSync(join(root, "../LICENSE"), join(root, "LICENSE"));
