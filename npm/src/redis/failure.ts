import { type ErrorCode, PointsmanError } from "../errors.js";

/** The scripts' words, and ours. */
const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ["ARG", "ARGUMENT"],
  ["KEYS", "KEYS"],
  ["TYPE", "TYPE"],
  ["KIND", "KIND"],
  ["FORMAT", "FORMAT"],
  ["DEADLINE", "DEADLINE"],
  ["DATA", "DATA"],
]);

/** First words of replies by which a server says that it cannot serve now. */
const NOT_NOW = new Set([
  "LOADING",
  "BUSY",
  "READONLY",
  "MASTERDOWN",
  "CLUSTERDOWN",
  "TRYAGAIN",
  "NOREPLICAS",
]);

const OURS = /^POINTSMAN_([A-Z]+) ([^]*)$/;
const ARGUMENT = /^(\w+) \(ARGV\[\d+\]\) is (missing|empty|"[^]*"), but must be ([^]*)$/;
// Redis before 7 puts the place in the script before an error that a command raised there.
const FIRST_WORD = /^(?:ERR Error running script .*?: -)?([A-Z][A-Z_]+)(?: |$)/;

// A server that takes no more connections says so in the place of an answer.
const TOO_MANY_CLIENTS = "ERR max number of clients";

/** What a call rejected with, as an error of this package. */
export function asPointsmanError(error: unknown): PointsmanError {
  if (error instanceof PointsmanError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const [, word, rest = ""] = OURS.exec(text) ?? [];
  const code = CODES.get(word ?? "");
  if (code === "ARGUMENT") return refusedArgument(rest, error);
  if (code !== undefined) return new PointsmanError(code, rest, { cause: error });
  const first = FIRST_WORD.exec(text)?.[1];
  const isRefused = first !== undefined && !NOT_NOW.has(first) && !text.startsWith(TOO_MANY_CLIENTS);
  const message = text === "" ? "the client says no more" : text;
  if (isRefused || isMistake(error)) {
    return new PointsmanError("REPLY", `the call failed: ${message}`, { cause: error });
  }
  return new PointsmanError("UNREACHABLE", `Redis cannot be reached: ${message}`, { cause: error });
}

/** Whether an error comes of the program and not of the connection. */
function isMistake(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof RangeError ||
    error instanceof SyntaxError
  );
}

/** The script's refusal of an argument, in the names of this language. */
function refusedArgument(text: string, cause: unknown): PointsmanError {
  const [, name, given, bound] = ARGUMENT.exec(text) ?? [];
  if (name === undefined || given === undefined || bound === undefined) {
    return new PointsmanError("ARGUMENT", text, { cause });
  }
  // To the script everything is text; here numbers are numbers.
  const value = bound.startsWith("a whole number") ? given.replaceAll('"', "") : given;
  const argument = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const details = { argument, value, bound, cause };
  return new PointsmanError("ARGUMENT", `${argument} is ${value}, but must be ${bound}`, details);
}
