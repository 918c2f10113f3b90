// What a Worker's bundler does with an import of a .wasm file: a module that is compiled already.
import { register } from "node:module";

const hooks = `
  import { fileURLToPath } from "node:url";
  export async function load(url, context, next) {
    if (!url.endsWith(".wasm")) return next(url, context);
    const source = \`import { readFileSync } from "node:fs";
      export default new WebAssembly.Module(readFileSync(\${JSON.stringify(fileURLToPath(url))}));\`;
    return { format: "module", shortCircuit: true, source };
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
