// The library with one more export: `abandon`, what it does after a trap of the core.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The library over one source of the core: "source.ts", "source-js.ts". */
export async function openLibrary(source) {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-open-"));
  try {
    const outfile = join(folder, "open.mjs");
    const path = join(root, "src/core", source);
    const contents = `export * from "./src/index.ts"; export { abandon } from "./src/core/start.ts";`;
    const chosen = { name: "source", setup: (build) => build.onResolve({ filter: /^\.\/source\.js$/ }, () => ({ path })) };
    await esbuild.build({
      stdin: { contents, resolveDir: root },
      outfile,
      bundle: true,
      format: "esm",
      loader: { ".wasm": "base64" },
      plugins: [chosen],
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
