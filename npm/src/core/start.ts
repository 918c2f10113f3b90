import * as glue from "../../gen/core.js";
import { PointsmanError } from "../errors.js";
// Which file this is, the build decides for each entry.
import { instantiate } from "./source.js";

export { glue };

/** What an instance of the core exports, besides what the glue calls. */
export interface CoreExports {
  readonly memory: { readonly buffer: ArrayBuffer };
}

let running: CoreExports | undefined;
let generations = 0;

/** The core, started at the first call, at once. */
export function core(): CoreExports {
  return running ?? start();
}

/** Which instance of the core this is: an object of an earlier one is lost. */
export function generation(): number {
  return generations;
}

/** Gives up an instance that trapped; the next call starts another. */
export function abandon(): void {
  running = undefined;
  generations += 1;
}

function start(): CoreExports {
  try {
    running = instantiate({ "./core_bg.js": glue });
  } catch (cause) {
    const message = "the core could not be started: neither as WebAssembly nor as JavaScript";
    throw new PointsmanError("CORE_UNAVAILABLE", message, { cause });
  }
  glue.__wbg_set_wasm(running);
  return running;
}
