/**
 * What went wrong, as a fixed word:
 * - `ARGUMENT`: an argument cannot be used; `argument`, `value` and `bound` say which and why.
 * - `DISPOSED`: the object was disposed of.
 * - `NO_RANDOMNESS`: the host gives no randomness here (Cloudflare Workers outside a handler).
 * - `CORE_UNAVAILABLE`: the core could not be started; `cause` says why.
 * - `CORE_CRASHED`: the core stopped in the middle of a call. Objects made before are lost; new
 *   ones work.
 */
export type ErrorCode =
  | "ARGUMENT"
  | "DISPOSED"
  | "NO_RANDOMNESS"
  | "CORE_UNAVAILABLE"
  | "CORE_CRASHED";

/** Which argument cannot be used, what it was, and what it must be. */
export interface ErrorDetails {
  readonly argument?: string;
  readonly value?: string;
  readonly bound?: string;
  readonly cause?: unknown;
}

/** The one error of this package. Nothing has changed where it is thrown, but for `CORE_CRASHED`. */
export class PointsmanError extends Error {
  /** @internal A minifier renames the class. */
  static override readonly name = "PointsmanError";

  readonly code: ErrorCode;
  readonly argument: string | undefined;
  readonly value: string | undefined;
  readonly bound: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "PointsmanError";
    this.code = code;
    this.argument = details.argument;
    this.value = details.value;
    this.bound = details.bound;
  }
}

/** The error of an argument that cannot be used, worded as the core words it. */
export function argumentError(argument: string, value: string, bound: string): PointsmanError {
  const message = `${argument} is ${value}, but must be ${bound}`;
  return new PointsmanError("ARGUMENT", message, { argument, value, bound });
}
