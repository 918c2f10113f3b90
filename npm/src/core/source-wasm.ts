import base64 from "../../gen/core.wasm";
import type { CoreExports } from "./start.js";

/** WebAssembly, from bytes in this file. */
export function instantiate(imports: WebAssembly.Imports): CoreExports {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(decoded()), imports);
  return instance.exports as unknown as CoreExports;
}

/** What hosts have to decode base64 with; where they have neither, a loop is most of a cold start. */
interface Host {
  readonly Uint8Array: { fromBase64?(text: string): Uint8Array<ArrayBuffer> };
  readonly Buffer?: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
}

function decoded(): Uint8Array<ArrayBuffer> {
  const host = globalThis as unknown as Host;
  if (host.Uint8Array.fromBase64 !== undefined) return host.Uint8Array.fromBase64(base64);
  if (host.Buffer !== undefined) return host.Buffer.from(base64, "base64");
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
