import { Chain } from "../index.js";
import { Damage, shown } from "./failure.js";
import type { Request } from "./log.js";
import type { Prefixes } from "./prefixes.js";
import { parseTime } from "./time.js";

/** The longest prompt, in tokens. */
export const MAX_INPUT = 10_000_000;
/** The longest answer, in tokens. */
export const MAX_OUTPUT = 1_000_000;
/** Tokens of an answer whose length the log does not give. */
export const DEFAULT_OUTPUT = 256;
/** Tokens of a prompt of which the log gives a key and no length. */
export const DEFAULT_KEY_INPUT = 1_024;
/** Bytes of text that count as a token where the log gives no length. */
const BYTES_A_TOKEN = 4;
/** The blocks of a prompt of which the log gives only a key. */
const KEY_BLOCK = 512;
const MAX_BLOCKS = 65_535;
const MAX_KEY = 1_048_576;

type Fields = Record<string, unknown>;
type Prompt = Pick<Request, "inputTokens" | "blocks" | "ends" | "fullBlocks">;

/** A request from a line of JSON: Mooncake's fields, or `time` with key, entries or hash_ids. */
export function parseJsonLine(line: string, prefixes: Prefixes, blockTokens: number): Request {
  const fields = parseObject(line);
  const timeField = "timestamp" in fields ? "timestamp" : "time";
  const key = fields["key"] === undefined ? undefined : parseKey(fields["key"]);
  const given = optionalTokens("input_length", fields["input_length"], MAX_INPUT);
  return {
    timeMs: parseTime(timeField, fields[timeField]),
    outputTokens: optionalTokens("output_length", fields["output_length"], MAX_OUTPUT) ?? DEFAULT_OUTPUT,
    key,
    ...parsePrompt(fields, key, given, prefixes, blockTokens),
  };
}

/** A number of tokens. */
export function tokens(field: string, value: unknown, most: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new Damage(`${field} is ${shown(value)}, but must be a whole number from 0 to ${most}`);
}

function optionalTokens(field: string, value: unknown, most: number): number | undefined {
  return value === undefined ? undefined : tokens(field, value, most);
}

function parseObject(line: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Damage(`is not JSON: ${shown(line)}`);
  }
  if (isFields(value)) return value;
  throw new Damage(`is ${shown(value)}, but must be a JSON object`);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseKey(value: unknown): string {
  if (typeof value === "string" && value !== "" && Buffer.byteLength(value) <= MAX_KEY) return value;
  throw new Damage(`key is ${shown(value)}, but must be a string of 1 to ${MAX_KEY} bytes`);
}

function parsePrompt(
  fields: Fields,
  key: string | undefined,
  given: number | undefined,
  prefixes: Prefixes,
  blockTokens: number,
): Prompt {
  const { hash_ids: hashIds, entries } = fields;
  if (hashIds !== undefined && entries !== undefined) {
    throw new Damage("has both hash_ids and entries, but must have one of them");
  }
  if (hashIds !== undefined) return fromHashIds(blockNames(hashIds), given, prefixes, blockTokens);
  if (entries !== undefined) return fromEntries(texts(entries), given, prefixes);
  if (key !== undefined) return fromKey(key, given ?? DEFAULT_KEY_INPUT, prefixes);
  throw new Damage("has none of hash_ids, entries and key, but must have one of them");
}

function fromHashIds(
  names: readonly string[],
  given: number | undefined,
  prefixes: Prefixes,
  blockTokens: number,
): Prompt {
  const inputTokens = given ?? names.length * blockTokens;
  const most = Math.ceil(inputTokens / blockTokens);
  if (names.length > most) {
    throw new Damage(`hash_ids has ${names.length} blocks, but an input_length of ${inputTokens} has at most ${most}`);
  }
  return {
    inputTokens,
    blocks: Int32Array.from(names, (name) => prefixes.number("id", name)),
    ends: Int32Array.from(names, (_, at) => Math.min((at + 1) * blockTokens, inputTokens)),
    fullBlocks: Math.min(Math.floor(inputTokens / blockTokens), names.length),
  };
}

function fromEntries(entries: readonly string[], given: number | undefined, prefixes: Prefixes): Prompt {
  const chain = new Chain();
  try {
    for (const entry of entries) chain.push(entry);
    const bytes = chain.bytes;
    const all = bytes.at(-1) ?? 0;
    const inputTokens = given ?? tokens("the length of entries in tokens", Math.ceil(all / BYTES_A_TOKEN), MAX_INPUT);
    return {
      inputTokens,
      blocks: Int32Array.from(chain.links, (link) => prefixes.number("link", link)),
      // A given length is shared out over the entries by their bytes.
      ends: Int32Array.from(bytes, (end) => (all === 0 ? 0 : Math.floor((inputTokens * end) / all))),
      fullBlocks: entries.length,
    };
  } finally {
    chain.dispose();
  }
}

/** Requests of one key are taken to share one prompt, as far as the shorter of them reaches. */
function fromKey(key: string, inputTokens: number, prefixes: Prefixes): Prompt {
  const fullBlocks = Math.floor(inputTokens / KEY_BLOCK);
  const places = Array.from({ length: fullBlocks }, (_, at) => at);
  return {
    inputTokens,
    blocks: Int32Array.from(places, (at) => prefixes.number("key", `${at} ${key}`)),
    ends: Int32Array.from(places, (at) => (at + 1) * KEY_BLOCK),
    fullBlocks,
  };
}

function blockNames(value: unknown): string[] {
  return list("hash_ids", value).map((id, at) => {
    if (typeof id === "string" || Number.isSafeInteger(id)) return `${id}`;
    throw new Damage(`hash_ids[${at}] is ${shown(id)}, but must be a whole number or a string`);
  });
}

function texts(value: unknown): string[] {
  return list("entries", value).map((entry, at) => {
    if (typeof entry === "string") return entry;
    throw new Damage(`entries[${at}] is ${shown(entry)}, but must be a string`);
  });
}

function list(field: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Damage(`${field} is ${shown(value)}, but must be an array`);
  if (value.length <= MAX_BLOCKS) return value;
  throw new Damage(`${field} has ${value.length} members, but must have at most ${MAX_BLOCKS}`);
}
