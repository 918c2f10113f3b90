import { type ErrorCode, PointsmanError } from "../errors.js";

const OURS = /^POINTSMAN_(ARG|KEYS|TYPE|KIND|FORMAT|DEADLINE|DATA) ([^]*)$/;
const ARGUMENT = /^(\w+) \(ARGV\[\d+\]\) is (missing|empty|"[^]*"), but must be ([^]*)$/;
// Redis before 7 puts the place in the script before an error that a command raised there.
const FIRST_WORD = /^(?:ERR Error running script .*?: -)?([A-Z][A-Z_]+)(?: |$)/;

// By these a server says that it cannot serve now.
const NOT_NOW = /^(?:LOADING|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS)$/;
const TOO_MANY_CLIENTS = "ERR max number of clients";

/** Errors that come of the program and not of the connection. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError];

/** What a call rejected with, as an error of this package. */
export function asPointsmanError(error: unknown): PointsmanError {
  if (error instanceof PointsmanError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const [, word, rest = ""] = OURS.exec(text) ?? [];
  if (word === "ARG") return refusedArgument(rest, error);
  if (word !== undefined) return new PointsmanError(word as ErrorCode, rest, { cause: error });
  const first = FIRST_WORD.exec(text)?.[1];
  const isRefused = first !== undefined && !NOT_NOW.test(first) && !text.startsWith(TOO_MANY_CLIENTS);
  const message = text === "" ? "the client says no more" : text;
  if (isRefused || MISTAKES.some((mistake) => error instanceof mistake)) {
    return new PointsmanError("REPLY", `the call failed: ${message}`, { cause: error });
  }
  return new PointsmanError("UNREACHABLE", `Redis cannot be reached: ${message}`, { cause: error });
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
