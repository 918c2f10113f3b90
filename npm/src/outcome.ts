import { instant } from "./bounds.js";
import { type AnswerHeaders, type Fields, fieldsOf, type Remaining, remainingIn, retryAt } from "./rate-limit-headers.js";

/**
 * What an answer says of the upstream that gave it:
 * - `ok`: it works.
 * - `throttled`: it asks to be left alone, until `untilMs` where it says how long.
 * - `transient`: it failed this time (5xx, no connection, a time-out); the next may work.
 * - `terminal`: it will not work until somebody mends it (the key is refused, the account is empty).
 * - `request_fault`: the request is at fault, so it says nothing of the upstream.
 */
export type Outcome =
  | { readonly kind: "ok" }
  | { readonly kind: "throttled"; readonly untilMs?: number }
  | { readonly kind: "transient" }
  | { readonly kind: "terminal" }
  | { readonly kind: "request_fault" };

/**
 * An answer or what was thrown in its place: a `Response` of fetch, an answer of Node's `http`, the
 * error of an SDK that has `status` and `headers`, or any error.
 */
export interface Answer {
  readonly status?: number | undefined;
  readonly statusCode?: number | undefined;
  readonly headers?: AnswerHeaders | undefined;
}

/** By which clock `untilMs` is told. */
export interface OutcomeOptions {
  /** Now, in milliseconds since 1970. Default: the host's clock. */
  readonly now?: number | undefined;
}

/** Statuses that ask for the same request once more, beside 429 and all of 5xx. */
const AGAIN = new Set([408, 409, 425]);
/** Statuses by which an upstream refuses whoever asks, whatever is asked for. */
const REFUSED = new Set([401, 402, 403, 407]);
/** What vendors call an empty account, also under 429. */
const EMPTY = new Set(["insufficient_quota", "billing_hard_limit_reached", "credit_balance_too_low"]);

/**
 * The outcome of a request, by the status and headers of its answer, or by the error.
 *
 * 429 is `throttled`, and so is any 403, 408, 409, 425 or 5xx that says when to come back; an account
 * that is empty (`code` or `type` of an SDK's error) is `terminal`. Without a status it is `transient`,
 * but for an abort by the caller (`AbortError`): nobody is to blame for that, so it is a
 * `request_fault`.
 */
export function outcomeOf(answer: unknown, options: OutcomeOptions = {}): Outcome {
  const now = instant(options.now);
  const status = statusOf(answer);
  if (status === undefined) {
    return { kind: isAbort(answer) ? "request_fault" : "transient" };
  }
  if (status < 400) return { kind: "ok" };
  if (isEmpty(answer)) return { kind: "terminal" };
  const untilMs = retryAt(headersOf(answer), now);
  const isAgain = status >= 500 || AGAIN.has(status);
  if (status === 429 || (untilMs !== undefined && (isAgain || status === 403))) {
    return untilMs === undefined ? { kind: "throttled" } : { kind: "throttled", untilMs };
  }
  if (isAgain) return { kind: "transient" };
  return { kind: REFUSED.has(status) ? "terminal" : "request_fault" };
}

/** What is left of each limit that the headers of an answer tell of. */
export function remainingOf(answer: unknown, options: OutcomeOptions = {}): Remaining[] {
  return remainingIn(headersOf(answer), instant(options.now));
}

function statusOf(answer: unknown): number | undefined {
  const { status, statusCode } = asAnswer(answer);
  return [status, statusCode].find((one) => typeof one === "number" && one >= 100);
}

function headersOf(answer: unknown): Fields {
  const { headers } = asAnswer(answer);
  return fieldsOf(typeof headers === "object" && headers !== null ? headers : undefined);
}

/** What SDKs put into an error, beside what an answer has. */
interface Told extends Answer {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly error?: unknown;
}

function asAnswer(answer: unknown): Told {
  return typeof answer === "object" && answer !== null ? answer : {};
}

/** By its caller: a signal's reason, or what an SDK makes of it. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.constructor.name === "APIUserAbortError");
}

/** SDKs carry the error of the answer's body within their own. */
function isEmpty(answer: unknown): boolean {
  let inner = asAnswer(answer);
  for (let depth = 0; depth < 3; depth++) {
    if ([inner.code, inner.type].some((word) => typeof word === "string" && EMPTY.has(word))) return true;
    inner = asAnswer(inner.error);
  }
  return false;
}
