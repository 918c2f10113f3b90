// Makes npm/dist from npm/src and from what `cargo xtask build` left in npm/gen.
import { chmodSync, copyFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { buildCore } from "./core.mjs";
import { declareTypes } from "./declarations.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = (name) => join(root, "dist", name);

// Every entry is one file, so that a bundler can neither split nor lose a part of it.
const entry = (name, from, format) => ({
  entryPoints: [join(root, from)],
  outfile: dist(name),
  bundle: true,
  format,
  target: "es2022",
  minify: true,
  // Node prints the line where an error was thrown.
  lineLimit: 1000,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});

function bundle(name, source, format) {
  return esbuild.build({
    ...entry(name, "src/index.ts", format),
    loader: { ".wasm": "base64" },
    external: ["./core.wasm"],
    inject: [join(root, "src/core/text-codec.ts")],
    plugins: [resolving("source of the core", /^\.\/source\.js$/, { path: join(root, "src/core", source) })],
  });
}

// The tool uses the library as it is published: `index.js` stays outside.
async function bundleTool() {
  await esbuild.build({
    entryPoints: [join(root, "src/cli.ts")],
    outfile: dist("cli.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    charset: "utf8",
    banner: { js: "#!/usr/bin/env node" },
    plugins: [resolving("library as published", /^(\.\.?\/)+index\.js$/, { path: "./index.js", external: true })],
    logLevel: "warning",
  });
  chmodSync(dist("cli.js"), 0o755);
}

function resolving(name, filter, to) {
  return { name, setup: (build) => build.onResolve({ filter }, () => to) };
}

rmSync(dist("."), { recursive: true, force: true });
mkdirSync(dist("."), { recursive: true });
await buildCore();
declareTypes(root);
await Promise.all([
  bundle("index.js", "source.ts", "esm"),
  bundle("index.cjs", "source.ts", "cjs"),
  bundle("wasm.js", "source-wasm.ts", "esm"),
  bundle("wasm.cjs", "source-wasm.ts", "cjs"),
  bundle("js.js", "source-js.ts", "esm"),
  bundle("js.cjs", "source-js.ts", "cjs"),
  bundle("index.workerd.js", "source-workerd.ts", "esm"),
  esbuild.build(entry("redis.js", "src/redis/index.ts", "esm")),
  esbuild.build(entry("redis.cjs", "src/redis/index.ts", "cjs")),
  bundleTool(),
]);
copyFileSync(join(root, "gen/core.wasm"), dist("core.wasm"));
copyFileSync(join(root, "../LICENSE"), join(root, "LICENSE"));
