import * as bounds from "./bounds.js";
import { Handle, asPointsmanError } from "./core/handle.js";
import * as memory from "./core/memory.js";
import { glue } from "./core/start.js";
import { argumentError } from "./errors.js";

/** One entry of a conversation: text, bytes, or several of these, framed by their lengths. */
export type Entry = string | Uint8Array | readonly (string | Uint8Array)[];

/** In which world a chain stands. */
export interface ChainOptions {
  /**
   * A tenant, a model, or up to 16 such words of at most 2^20 bytes: no link is equal to one of
   * another namespace.
   */
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
    return Array.from(entries, (entry) => made.push(entry));
  } finally {
    made.dispose();
  }
}

/** The bytes of all entries together: bytes in UTF-8, not characters. */
export function prefixBytes(entries: readonly Entry[]): number {
  bounds.checkList("entries", entries, bounds.MAX_LINKS);
  let sum = 0;
  for (const entry of entries) sum += entryBytes(entry);
  return sum;
}

/** The most words of a namespace. */
const MAX_PARTS = 16;

/** A `chain` that grows entry by entry and carries its bytes. */
export class Chain extends Handle<glue.Chain> {
  /** @internal A minifier renames the class. */
  static override readonly name = "Chain";

  readonly #links: string[] = [];
  readonly #bytes: number[] = [];
  #total = 0;

  constructor(options: ChainOptions = {}) {
    const { namespace = [], seed = 0 } = bounds.checkOptions("options", options);
    const given = typeof namespace === "string" ? [namespace] : namespace;
    bounds.checkList("namespace", given, MAX_PARTS);
    const parts = Array.from(given, (part) => bounds.checkBytes("namespace", part, 0, bounds.MAX_KEY_BYTES));
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
    const parts = checkEntry(entry);
    let bytes: number;
    try {
      memory.open();
      if (Array.isArray(parts)) {
        for (const part of parts) memory.putFramed(part);
        bytes = bounds.checkEntryLength(memory.written() - 4 * parts.length);
        held.pushParts(memory.written(), parts.length);
      } else {
        memory.put(parts);
        bytes = bounds.checkEntryLength(memory.written());
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

/** An entry; its parts are copied: what was checked is what is used. */
function checkEntry(entry: Entry): string | Uint8Array | (string | Uint8Array)[] {
  if (!isParts(entry)) return checkPart(entry);
  return Array.from(bounds.checkList("entry", entry, bounds.MAX_LINKS), checkPart);
}

function checkPart(part: string | Uint8Array): string | Uint8Array {
  if (typeof part === "string" || bounds.isBytes(part)) return part;
  throw argumentError("entry", bounds.shown(part), "a string, a Uint8Array, or an array of these");
}

function entryBytes(entry: Entry): number {
  const checked = checkEntry(entry);
  const parts = Array.isArray(checked) ? checked : [checked];
  return parts.reduce<number>((sum, part) => sum + (typeof part === "string" ? bounds.utf8Bytes(part) : bounds.bytesIn(part)), 0);
}
