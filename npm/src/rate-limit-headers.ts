import { MAX_MS } from "./bounds.js";

/**
 * Headers of an answer: a `Headers` of fetch, a `Map`, or an object as Node's `http` has it. Names may
 * be in any case.
 */
export type AnswerHeaders =
  | { forEach(each: (value: string, name: string) => void): void }
  | Readonly<Record<string, string | readonly string[] | number | undefined>>;

/** What an upstream says is left of one of its limits. */
export interface Remaining {
  /** As the upstream calls it: `requests`, `tokens`, `input-tokens`; `requests` where it says no name. */
  readonly limit: string;
  /** How much may still be used, 0 or more. */
  readonly remaining: number;
  /** When it is whole again, in milliseconds since 1970; missing where that is not said. */
  readonly resetsAtMs?: number;
}

/** Header names in lower case, and their values. */
export type Fields = ReadonlyMap<string, string>;

export function fieldsOf(headers: AnswerHeaders | undefined): Fields {
  const fields = new Map<string, string>();
  const add = (value: unknown, name: string): void => {
    if (value !== undefined && value !== null) fields.set(name.toLowerCase(), String(value).trim());
  };
  if (typeof headers?.forEach === "function") headers.forEach(add);
  else for (const [name, value] of Object.entries(headers ?? {})) add(value, name);
  return fields;
}

/**
 * The instant until which the upstream asks to be left alone; `undefined` where it does not say. It is
 * never before `now`: 0 seconds are no time at all.
 *
 * `retry-after-ms` counts before `Retry-After`; without either, the reset of a limit of which nothing
 * is left, the latest of several.
 */
export function retryAt(fields: Fields, now: number): number | undefined {
  const inMs = Number(fields.get("retry-after-ms") || NaN);
  if (inMs >= 0) return bounded(now + inMs, now);
  const asked = instantOf(fields.get("retry-after"), fields, now);
  if (asked !== undefined) return asked;
  const resets = remainingIn(fields, now).filter(({ remaining }) => remaining === 0);
  return resets.reduce<number | undefined>(
    (latest, { resetsAtMs }) => (resetsAtMs === undefined ? latest : Math.max(latest ?? 0, resetsAtMs)),
    undefined,
  );
}

const OWN = /^(?:anthropic-ratelimit|x-ratelimit|x-rate-limit|ratelimit)-(.+)$/;
const SAID = /^(?:(remaining|reset)(?:-(.+))?|(.+)-(remaining|reset))$/;

/**
 * What is left of each limit: `x-ratelimit-remaining-requests` and the like (OpenAI and many others),
 * `anthropic-ratelimit-requests-remaining`, `x-ratelimit-remaining`, and `RateLimit: "name";r=…;t=…`
 * (the draft of an Internet standard, its older `limit=…, remaining=…, reset=…` too).
 */
export function remainingIn(fields: Fields, now: number): Remaining[] {
  const left = new Map<string, { remaining?: number; resetsAtMs?: number }>();
  const tell = (limit: string, word: string, value: string | undefined): void => {
    const known = left.get(limit) ?? {};
    left.set(limit, known);
    const number = /^-?\d+(?:\.\d+)?$/.test(value ?? "") ? Number(value) : NaN;
    const at = word === "reset" ? instantOf(value, fields, now) : undefined;
    if (at !== undefined) known.resetsAtMs = at;
    // Some say -1 when more was used than there is.
    if (word === "remaining" && !Number.isNaN(number)) known.remaining = Math.max(0, Math.floor(number));
  };
  for (const [name, value] of fields) {
    const [, before, behind, limit, word] = SAID.exec(OWN.exec(name)?.[1] ?? "") ?? [];
    const said = before ?? word;
    if (said !== undefined) tell(behind ?? limit ?? "requests", said, value);
  }
  for (const item of fields.get("ratelimit")?.match(/(?:"[^"]*"|[^",])+/g) ?? []) {
    const name = /^\s*"([^"]*)"/.exec(item)?.[1] ?? "requests";
    const said = (word: RegExp): string | undefined => word.exec(item)?.[1];
    tell(name, "remaining", said(/\b(?:r|remaining)\s*=\s*(\d+)/));
    tell(name, "reset", said(/\b(?:t|reset)\s*=\s*(\d+)/));
  }
  return [...left].flatMap(([limit, { remaining, ...reset }]) =>
    remaining === undefined ? [] : [{ limit, remaining, ...reset }],
  );
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const DURATION = /^(?:\d+(?:\.\d+)?(?:d|h|ms|m|s))+$/;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)$/;
/** A number of seconds from here on is an instant since 1970, and from the second on one of milliseconds. */
const [EPOCH_S, EPOCH_MS] = [1e9, 1e11];

/**
 * The instant that a header tells: seconds from now, a duration (`12ms`, `6m0s`, `1.5s`), seconds or
 * milliseconds since 1970, an HTTP date (RFC 9110, all three forms) or RFC 3339; `undefined` for
 * anything else.
 *
 * A date is told by the upstream's clock. Where the answer has a `Date`, that is what it is compared
 * with, so that a clock which is wrong here does no harm.
 */
function instantOf(text: string | undefined, fields: Fields, now: number): number | undefined {
  if (text === undefined || text === "") return undefined;
  const since = (instantMs: number): number => {
    const theirs = httpDate(fields.get("date") ?? "", now);
    return bounded(instantMs + (Number.isNaN(theirs) ? 0 : now - theirs), now);
  };
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (number < EPOCH_S) return bounded(now + number * 1_000, now);
    return since(number < EPOCH_MS ? number * 1_000 : number);
  }
  if (DURATION.test(text)) {
    let ms = 0;
    for (const [, number, unit] of text.matchAll(/([\d.]+)([a-z]+)/g)) ms += Number(number) * (UNITS[unit ?? ""] ?? 0);
    return bounded(now + ms, now);
  }
  const date = RFC_3339.test(text) ? Date.parse(text.replace(" ", "T").toUpperCase()) : httpDate(text, now);
  return Number.isNaN(date) ? undefined : since(date);
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const IMF_OR_850 = /^[A-Z][a-z]+, (\d\d)[ -]([A-Z][a-z]{2})[ -](\d{4}|\d\d) (\d\d):(\d\d):(\d\d) GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})$/;

/** An HTTP date in milliseconds since 1970, NaN if it is none. */
function httpDate(text: string, now: number): number {
  const [, day, month, year, ...time] = IMF_OR_850.exec(text) ?? [];
  if (month !== undefined) return utc(year, month, day, time, now);
  const [, named, date, hour, minute, second, full] = ASCTIME.exec(text) ?? [];
  return utc(full, named, date, [hour, minute, second], now);
}

function utc(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  time: readonly (string | undefined)[],
  now: number,
): number {
  const at = MONTHS.indexOf(month ?? "");
  if (at < 0) return NaN;
  const [hour, minute, second] = time.map(Number);
  let full = Number(year);
  if (year?.length === 2) {
    // More than 50 years ahead means the past (RFC 9110).
    const thisYear = new Date(now).getUTCFullYear();
    full += thisYear - (thisYear % 100);
    if (full > thisYear + 50) full -= 100;
  }
  return Date.UTC(full, at, Number(day), hour, minute, second);
}

/** Rounded up to a whole millisecond that the library can have, and not before now. */
function bounded(instantMs: number, now: number): number {
  return Math.max(now, Math.min(Math.ceil(instantMs), MAX_MS));
}
