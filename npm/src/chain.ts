import * as bounds from "./bounds.js";
import { Handle, asPointsmanError } from "./core/handle.js";
import * as memory from "./core/memory.js";
import { glue } from "./core/start.js";
import { argumentError } from "./errors.js";

/** One entry of a conversation: text, bytes, or several of these, framed by their lengths. */
export type Entry = string | Uint8Array | readonly (string | Uint8Array)[];

/** In which world a chain stands. */
export interface ChainOptions {
  /** A tenant, a model, or several such words: no link is equal to one of another namespace. */
  readonly namespace?: string | readonly string[] | undefined;
  /** Below 2^53, or a bigint below 2^64. Default 0. */
  readonly seed?: number | bigint | undefined;
}

/**
 * One link for each entry, 16 hex digits that stand for that entry and all before it.
 *
 * Two conversations share their first links exactly as far as they share their first entries.
 * Entries are framed by length: `["ab", "c"]`, `["a", "bc"]` and `["abc"]` all end differently.
 * At most 65,535 entries of at most 2^28 bytes. `Chain` hashes only what is new.
 */
export function chain(entries: readonly Entry[], options: ChainOptions = {}): string[] {
  bounds.checkList("entries", entries, bounds.MAX_LINKS);
  const made = new Chain(options);
  try {
    return entries.map((entry) => made.push(entry));
  } finally {
    made.dispose();
  }
}

/** The bytes of all entries together: bytes in UTF-8, not characters. */
export function prefixBytes(entries: readonly Entry[]): number {
  bounds.checkList("entries", entries, bounds.MAX_LINKS);
  return entries.reduce((sum, entry) => sum + entryBytes(entry), 0);
}

/** A `chain` that grows entry by entry and carries its bytes. */
export class Chain extends Handle<glue.Chain> {
  /** @internal A minifier renames the class. */
  static override readonly name = "Chain";

  readonly #links: string[] = [];
  readonly #bytes: number[] = [];
  #total = 0;

  constructor(options: ChainOptions = {}) {
    const { namespace = [], seed = 0 } = bounds.checkOptions("options", options);
    const parts = typeof namespace === "string" ? [namespace] : namespace;
    bounds.checkList("namespace", parts, bounds.MAX_LINKS);
    for (const part of parts) bounds.checkText("namespace", part);
    const [low, high] = bounds.checkSeed(seed);
    super(() => {
      memory.open();
      for (const part of parts) memory.putFramed(part);
      const made = new glue.Chain(memory.written(), parts.length, low, high);
      memory.close();
      return made;
    });
  }

  /** Adds an entry and returns its link. */
  push(entry: Entry): string {
    const held = this.held;
    if (this.#links.length === bounds.MAX_LINKS) {
      const value = `a list of ${bounds.MAX_LINKS + 1}`;
      throw argumentError("entries", value, `a list of at most ${bounds.MAX_LINKS}`);
    }
    checkEntry(entry);
    let bytes: number;
    try {
      memory.open();
      if (isParts(entry)) {
        for (const part of entry) memory.putFramed(part);
        bytes = checkLength(memory.written() - 4 * entry.length);
        held.pushParts(memory.written(), entry.length);
      } else {
        memory.put(entry);
        bytes = checkLength(memory.written());
        held.push(bytes);
      }
      memory.close();
    } catch (error) {
      throw asPointsmanError(error);
    }
    const link = hex(memory.answer(1)) + hex(memory.answer(0));
    this.#links.push(link);
    this.#bytes.push(this.#total += bytes);
    return link;
  }

  /** How many links there are. */
  get length(): number {
    return this.#links.length;
  }

  /** All links so far, the longest prefix last. */
  get links(): string[] {
    return [...this.#links];
  }

  /** For each link, the bytes of all entries that it stands for. */
  get bytes(): number[] {
    return [...this.#bytes];
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Eight hex digits of a whole number below 2^32. */
function hex(half: number): string {
  return byteHex(half >>> 24) + byteHex(half >>> 16) + byteHex(half >>> 8) + byteHex(half);
}

function byteHex(byte: number): string {
  return HEX[byte & 0xff] ?? "";
}

function isParts(entry: Entry): entry is readonly (string | Uint8Array)[] {
  return Array.isArray(entry);
}

function checkEntry(entry: Entry): void {
  if (!isParts(entry)) return checkPart(entry);
  bounds.checkList("entry", entry, bounds.MAX_LINKS);
  for (const part of entry) checkPart(part);
}

function checkPart(part: string | Uint8Array): void {
  if (typeof part === "string" || part instanceof Uint8Array) return;
  throw argumentError("entry", bounds.shown(part), "a string, a Uint8Array, or an array of these");
}

function checkLength(bytes: number): number {
  if (bytes <= bounds.MAX_ENTRY_BYTES) return bytes;
  throw argumentError("entry", `${bytes} bytes long`, `0 to ${bounds.MAX_ENTRY_BYTES} bytes long`);
}

function entryBytes(entry: Entry): number {
  checkEntry(entry);
  const parts = isParts(entry) ? entry : [entry];
  return parts.reduce((sum, part) => sum + (typeof part === "string" ? bounds.utf8Bytes(part) : part.length), 0);
}
