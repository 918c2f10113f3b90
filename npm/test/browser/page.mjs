// What each page runs: which build started can be told by whether WebAssembly was instantiated.
import { answersOf } from "/test/answers.mjs";

let instances = 0;
WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(module, imports) {
    super(module, imports);
    instances += 1;
  }
};

const EMPTY = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);

function refusesWebAssembly() {
  try {
    new WebAssembly.Module(EMPTY);
    return false;
  } catch {
    return true;
  }
}

const core = await import(new URLSearchParams(location.search).get("entry"));
const atImport = instances;
const answers = answersOf(core);
globalThis.outcome = { answers, atImport, instances, refuses: refusesWebAssembly() };
