import base64 from "../../gen/core.wasm";
import type { CoreExports } from "./start.js";

/** WebAssembly, from bytes in this file. */
export function instantiate(imports: WebAssembly.Imports): CoreExports {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports);
  return instance.exports as unknown as CoreExports;
}
