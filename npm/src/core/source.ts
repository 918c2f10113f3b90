import type { CoreExports } from "./start.js";
import { instantiate as asJavaScript } from "./source-js.js";
import { instantiate as asWebAssembly } from "./source-wasm.js";

/** WebAssembly, or the JavaScript build of the same core where the host refuses it. */
export function instantiate(imports: WebAssembly.Imports): CoreExports {
  try {
    return asWebAssembly(imports);
  } catch {
    return asJavaScript(imports);
  }
}
