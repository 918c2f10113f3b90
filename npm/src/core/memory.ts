import { MAX_LINKS, bytesIn, checkEntryLength } from "../bounds.js";
import { core, glue } from "./start.js";
import type { CoreExports } from "./start.js";

// Arguments and answers lie in the core's memory; these are views of it. The memory is replaced
// whenever it grows, so every access goes through `refresh`, and the views are made in one place.

const encoder = new TextEncoder();

/** Strings up to this many units are copied by hand: faster than the encoder. */
const SHORT = 24;
/** Room for arguments that is kept; more is given back after an unusually long one. */
const KEPT_BYTES = 1 << 20;

let instance: CoreExports | undefined;
/** Whether a memory that grows detaches its views; that of the JavaScript build does not. */
let detaches = false;
let buffer: ArrayBuffer | undefined;
let bytes = new Uint8Array(0);
let numbers = new Float64Array(0);
let version = 0;
let room = 0;
let end = 0;

/** Begins a call: no arguments yet. */
export function open(): void {
  end = 0;
  if (isReplaced()) refresh();
}

/** Ends a call that may have had unusually long arguments. */
export function close(): void {
  if (room > KEPT_BYTES) {
    glue.shrinkArguments(KEPT_BYTES);
    room = 0;
  }
}

/** How many bytes of arguments there are. */
export function written(): number {
  return end;
}

/** Adds a number from 0 to 2^32 - 1. */
export function putNumber(value: number): void {
  reserve(4);
  bytes[end] = value;
  bytes[end + 1] = value >>> 8;
  bytes[end + 2] = value >>> 16;
  bytes[end + 3] = value >>> 24;
  end += 4;
}

/** Adds a number from 0 to 2^53 - 1. */
export function putWhole(value: number): void {
  putNumber(value >>> 0);
  putNumber(Math.floor(value / 2 ** 32));
}

/** Adds a string in UTF-8 or bytes as they are; a lone surrogate counts as U+FFFD. */
export function put(value: string | Uint8Array): void {
  if (typeof value !== "string") {
    const length = checkEntryLength(bytesIn(value));
    reserve(length);
    bytes.set(value, end);
    end += length;
  } else if (value.length > SHORT || !putAscii(value)) {
    encode(value);
  }
}

/** Adds a string or bytes behind their length. */
export function putFramed(value: string | Uint8Array): void {
  const at = end;
  end += 4;
  put(value);
  const after = end;
  end = at;
  putNumber(after - at - 4);
  end = after;
}

/** One of the numbers that the core answered. */
export function answer(at: number): number {
  if (isReplaced()) refresh();
  return numbers[at] ?? Number.NaN;
}

/** Rises whenever the memory was replaced: a view of an earlier version is of no use. */
export function versionOfViews(): number {
  if (isReplaced()) refresh();
  return version;
}

/** A view of `count` whole numbers in the core's memory, of the version that it has now. */
export function view(pointer: number, count: number): Uint32Array {
  return new Uint32Array(core().memory.buffer, pointer, count);
}

function putAscii(value: string): boolean {
  reserve(value.length);
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    if (unit > 0x7f) return false;
    bytes[end + at] = unit;
  }
  end += value.length;
  return true;
}

function encode(value: string): void {
  const worst = value.length * 3;
  checkEntryLength(value.length);
  reserve(worst > KEPT_BYTES ? value.length + 4 : worst);
  for (let rest = value; ; reserve(Math.max(rest.length * 3, 4))) {
    const result = encoder.encodeInto(rest, end === 0 ? bytes : bytes.subarray(end));
    end += result.written;
    if (result.read === rest.length) return;
    rest = rest.slice(result.read);
  }
}

function reserve(more: number): void {
  if (end + more > room) {
    // All arguments together, of which the lengths before them do not count.
    checkEntryLength(end + more - 4 * MAX_LINKS);
    room = Math.max(2 ** Math.ceil(Math.log2(end + more)), 4096);
    refresh();
  }
}

// Reading `memory.buffer` takes longer than a whole `pick`: ask the views where that is enough.
function isReplaced(): boolean {
  if (core() !== instance) return true;
  return detaches ? bytes.length === 0 : core().memory.buffer !== buffer;
}

function refresh(): void {
  const now = core();
  if (now !== instance) {
    instance = now;
    // What was reserved belonged to another instance.
    room = end;
    detaches = typeof WebAssembly === "object" && now.memory instanceof WebAssembly.Memory;
  }
  room = Math.max(room, 4096);
  const begin = glue.reserveArguments(room);
  const answers = glue.answerNumbers();
  buffer = now.memory.buffer;
  bytes = new Uint8Array(buffer, begin, room);
  numbers = new Float64Array(buffer, answers, 16);
  version += 1;
}
