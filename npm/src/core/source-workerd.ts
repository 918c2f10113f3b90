// A module that the host compiled: Workers compile none at run time.
import module from "./core.wasm";
import type { CoreExports } from "./start.js";

/** WebAssembly, from a module that the host compiled. */
export function instantiate(imports: WebAssembly.Imports): CoreExports {
  const instance = new WebAssembly.Instance(module as unknown as WebAssembly.Module, imports);
  return instance.exports as unknown as CoreExports;
}
