// Makes and forgets many objects, lets the core trap in between, and prints how large the core's
// memory was early and late: with garbage collection, it stays as large as it was.
import { setImmediate as turn } from "node:timers/promises";
import { openLibrary } from "./open-core.mjs";

const memories = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = new Proxy(Instance, {
  construct(target, args) {
    const instance = Reflect.construct(target, args);
    memories.push(instance.exports.memory);
    return instance;
  },
});

const { Upstreams, abandon } = await openLibrary("source.ts");
const LIST = Array.from({ length: 300 }, (_, at) => `upstream-${at}`);

async function make(count) {
  for (let at = 0; at < count; at++) {
    new Upstreams(LIST).pick("k");
    if (at % 20 === 0) {
      globalThis.gc();
      await turn();
    }
  }
  return memories.at(-1).buffer.byteLength;
}

const first = await make(200);
// As after a trap: from here on another instance runs, and objects of the old one are collected.
abandon();
const last = await make(2_000);
if (memories.length !== 2) throw new Error(`${memories.length} instances instead of 2`);
console.log(JSON.stringify({ first, last }));
