/**
 * What went wrong, as a fixed word:
 * - `ARGUMENT`: an argument cannot be used; `argument`, `value` and `bound` say which and why.
 * - `DISPOSED`: the object was disposed of.
 * - `NO_RANDOMNESS`: the host gives no randomness here (Cloudflare Workers outside a handler).
 * - `CORE_UNAVAILABLE`: the core could not be started; `cause` says why.
 * - `CORE_CRASHED`: the core stopped in the middle of a call. Objects made before are lost; new
 *   ones work.
 *
 * From `pointsman/redis` alone:
 * - `KEYS`: the key is empty.
 * - `TYPE`: the key holds something else than a hash.
 * - `KIND`: the key belongs to another operation: leases where limits are asked for, say.
 * - `FORMAT`: the key holds a hash of another release's format, or one that is not of this library.
 * - `DEADLINE`: the call came to run after its deadline, and did nothing.
 * - `DATA`: what the key holds is damaged.
 * - `UNREACHABLE`: no answer, or one that says "not now": the connection failed, the time is over,
 *   the server loads its data, is a replica, is busy … Whether the call ran is not known.
 * - `REPLY`: an answer that is none of the script's: an error of the server (no permission, memory
 *   full …), in `cause`, or an unknown shape. It is never taken for a grant.
 */
export type ErrorCode =
  | "ARGUMENT"
  | "DISPOSED"
  | "NO_RANDOMNESS"
  | "CORE_UNAVAILABLE"
  | "CORE_CRASHED"
  | "KEYS"
  | "TYPE"
  | "KIND"
  | "FORMAT"
  | "DEADLINE"
  | "DATA"
  | "UNREACHABLE"
  | "REPLY";

/** Which argument cannot be used, what it was, and what it must be. */
export interface ErrorDetails {
  readonly argument?: string;
  readonly value?: string;
  readonly bound?: string;
  readonly cause?: unknown;
}

/**
 * The one error of this package. Nothing has changed where it is thrown, but for `CORE_CRASHED`,
 * and where it is not known: `UNREACHABLE` and `REPLY`. Each entry of the package has a class of its
 * own; their `name` is the same.
 */
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
