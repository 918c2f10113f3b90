import { Damage, shown } from "./failure.js";

/** The latest instant that the library knows. */
const MAX_MS = 9_007_199_254_740;
const BOUND = `whole milliseconds from 0 to ${MAX_MS}, or text such as 2024-05-01T12:00:00.250Z`;
const TEXT =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** Milliseconds from a number, or from ISO 8601 text; text without a zone is UTC. */
export function parseTime(field: string, value: unknown): number {
  const timeMs = typeof value === "string" ? fromText(value.trim()) : value;
  if (typeof timeMs === "number" && Number.isInteger(timeMs) && timeMs >= 0 && timeMs <= MAX_MS) {
    return timeMs;
  }
  throw new Damage(`${field} is ${shown(value)}, but must be ${BOUND}`);
}

function fromText(text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  const [, year, month, day, hour, minute, second = "0", fraction = "", zone = "Z"] =
    TEXT.exec(text) ?? [];
  if (year === undefined) return NaN;
  const date = [Number(year), Number(month), Number(day)] as const;
  const clock = [Number(hour), Number(minute), Number(second)] as const;
  const ms = Number(fraction.padEnd(3, "0").slice(0, 3));
  const utc = new Date(Date.UTC(date[0], date[1] - 1, date[2], ...clock, ms));
  // Date.UTC rolls 30 February over to March; such a day is no day.
  const exists = utc.getUTCMonth() + 1 === date[1] && utc.getUTCDate() === date[2];
  const inRange = clock[0] < 24 && clock[1] < 60 && clock[2] < 60;
  return exists && inRange ? utc.getTime() - offsetMs(zone) : NaN;
}

function offsetMs(zone: string): number {
  if (zone.toUpperCase() === "Z") return 0;
  const digits = zone.replace(":", "");
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5));
  return (digits.startsWith("-") ? -minutes : minutes) * 60_000;
}
