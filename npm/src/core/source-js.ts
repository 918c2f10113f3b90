import { instantiate as asmInstantiate } from "../../gen/core-js.js";
import type { CoreExports } from "./start.js";

/** The JavaScript build. */
export function instantiate(imports: WebAssembly.Imports): CoreExports {
  return asmInstantiate(imports) as CoreExports;
}
