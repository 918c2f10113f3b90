import { argumentError } from "./errors.js";

/** The largest instant and the longest time, in milliseconds. */
export const MAX_MS = 9_007_199_254_740;
/** The largest whole number that is exact everywhere: 2^53 - 1. */
export const MAX_WHOLE = Number.MAX_SAFE_INTEGER;
/** The longest affinity key, in bytes: 2^20. */
export const MAX_KEY_BYTES = 1_048_576;
/** The longest name of an upstream or of an exit, in bytes. */
export const MAX_NAME_BYTES = 255;
/** The longest lease id, in bytes. */
export const MAX_LEASE_ID_BYTES = 128;
/** The most limits that can be taken together. */
export const MAX_LIMITS = 16;
/** The largest number of upstreams, and of other things in one list. */
export const MAX_UPSTREAMS = 65_535;
/** The largest weight. */
export const MAX_WEIGHT = 65_535;
/** The longest life of a lease: 24 hours. */
export const MAX_LEASE_TTL_MS = 86_400_000;
/** The most leases that one upstream can hold at a time. */
export const MAX_IN_FLIGHT = 1_000;
/** The longest chain, in links. */
export const MAX_LINKS = 65_535;
/** The longest entry of a chain, in bytes: 2^28. */
export const MAX_ENTRY_BYTES = 268_435_456;
/** The largest memory of an affinity table, in links: 2^24. */
export const MAX_TABLE_LINKS = 16_777_216;

/** A whole number from `min` to `max`. */
export function checkWhole(argument: string, value: unknown, min: number, max: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  throw argumentError(argument, shown(value), `a whole number from ${min} to ${max}`);
}

/** An instant or a time in milliseconds. */
export function checkMs(argument: string, value: unknown): number {
  return checkWhole(argument, value, 0, MAX_MS);
}

/** The instant that was given, or this one. */
export function instant(now: unknown): number {
  return now === undefined ? Date.now() : checkMs("now", now);
}

/** A string. */
export function checkText(argument: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw argumentError(argument, shown(value), "a string");
}

/** An affinity key. */
export function checkKey(value: unknown): string {
  return checkBytes("key", value, 1, MAX_KEY_BYTES);
}

/** An array of at most `max` things. */
export function checkList<T>(argument: string, value: readonly T[], max: number): readonly T[] {
  if (!Array.isArray(value)) throw argumentError(argument, shown(value), "an array");
  if (value.length > max) {
    throw argumentError(argument, `a list of ${value.length}`, `a list of at most ${max}`);
  }
  return value;
}

/** A string of a length in UTF-8 bytes. */
export function checkBytes(argument: string, value: unknown, min: number, max: number): string {
  const text = checkText(argument, value);
  // Each unit takes at most three bytes, and at least one.
  if (text.length >= min && text.length * 3 <= max) return text;
  const bytes = text.length > max ? text.length : utf8Bytes(text);
  if (bytes >= min && bytes <= max) return text;
  const shown = bytes === 0 ? "empty" : `${bytes} bytes long`;
  throw argumentError(argument, shown, `${min} to ${max} bytes long`);
}

/** Control characters, Unicode's category Cc. Written out, it is compiled in no time. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** A name of an upstream or of an exit: 1 to 255 bytes without control characters. */
export function checkName(argument: string, value: unknown): string {
  const name = checkBytes(argument, value, 1, MAX_NAME_BYTES);
  if (CONTROL.test(name)) {
    throw argumentError(argument, shown(name), "free of control characters");
  }
  return name;
}

/** A list of names, copied: what was checked is what is used. */
export function checkNames(argument: string, names: readonly string[]): readonly string[] {
  return Array.from(checkList(argument, names, MAX_UPSTREAMS), (name) => checkName("upstream", name));
}

// What every typed array has, as it is and not as a subclass says it is. Who asks for none of it, as
// `pointsman/redis`, is built without it.
const ofTyped = (name: PropertyKey): (() => unknown) | undefined =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name)?.get;
const nameOfTyped = /* @__PURE__ */ ofTyped(Symbol.toStringTag);
const lengthOfTyped = /* @__PURE__ */ ofTyped("length");

/**
 * Whether a value is a `Uint8Array`, of any realm, whatever its class says of itself, whose buffer
 * was not handed to another thread.
 */
export function isBytes(value: unknown): value is Uint8Array {
  return nameOfTyped?.call(value) === "Uint8Array" && !isDetached(value);
}

function isDetached(array: unknown): boolean {
  if (lengthOfTyped?.call(array) !== 0) return false;
  try {
    Uint8Array.prototype.at.call(array, 0);
    return false;
  } catch {
    return true;
  }
}

/** The length of an entry in bytes. */
export function checkEntryLength(bytes: number): number {
  if (bytes <= MAX_ENTRY_BYTES) return bytes;
  throw argumentError("entry", `${bytes} bytes long`, `0 to ${MAX_ENTRY_BYTES} bytes long`);
}

/** How many bytes an array has. */
export function bytesIn(array: Uint8Array): number {
  return Number(lengthOfTyped?.call(array));
}

/** The bytes of a string in UTF-8, a lone surrogate counting as U+FFFD. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** A list of one for each of `count` others. */
export function checkOneForEach(argument: string, list: readonly unknown[], of: string, count: number): void {
  checkList(argument, list, MAX_UPSTREAMS);
  if (list.length === count) return;
  throw argumentError(argument, `a list of ${list.length}`, `a list of ${count}, one for each ${of}`);
}

/** A weight for each of `count` upstreams, copied. */
export function checkWeights(weights: readonly number[], count: number): readonly number[] {
  checkOneForEach("weights", weights, "upstream", count);
  return Array.from(weights, (weight) => checkWhole("weight", weight, 0, MAX_WEIGHT));
}

/** An options object. */
export function checkOptions<T extends object>(argument: string, value: T): T {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw argumentError(argument, shown(value), "an object");
}

/** One of some fixed words: its place among them. */
export function checkWord(argument: string, value: unknown, words: readonly unknown[]): number {
  const at = words.findIndex((word) => word === value);
  if (at >= 0) return at;
  const bound = words.map((word) => JSON.stringify(word)).join(" or ");
  throw argumentError(argument, shown(value), bound);
}

/** A seed as its lower and upper 32 bits. */
export function checkSeed(value: unknown): [number, number] {
  if (typeof value === "bigint" && value >= 0n && value < 2n ** 64n) {
    return [Number(value & 0xffffffffn), Number(value >> 32n)];
  }
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) {
    return [value >>> 0, Math.floor(value / 2 ** 32)];
  }
  const bound = `a whole number from 0 to ${MAX_WHOLE}, or a bigint below 2^64`;
  throw argumentError("seed", shown(value), bound);
}

/** How many characters of a text an error shows. */
const SHOWN = 40;

/** A value as it is shown in an error: short. */
export function shown(value: unknown): string {
  if (typeof value === "string") {
    const characters = [...value.slice(0, 2 * SHOWN + 2)];
    const cut = characters.slice(0, SHOWN).join("") + (characters.length > SHOWN ? "…" : "");
    return `"${cut.replaceAll(new RegExp(CONTROL, "g"), "\ufffd")}"`;
  }
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  if (typeof value === "function") return "a function";
  const text = typeof value === "bigint" ? `${value}n` : String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
