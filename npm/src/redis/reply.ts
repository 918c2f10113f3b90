import { MAX_WHOLE } from "../bounds.js";
import { PointsmanError } from "../errors.js";

/** The version of the calling contract that this code knows. */
const PROTOCOL = 1;

/**
 * A script's answer, read from left to right: a flat array of the outcome's word, the protocol, the
 * instant, the version in force, and what that word has. Anything else is an error.
 */
export class Reply {
  readonly word: string;
  /** The instant of the decision, by the server's clock unless one was given. */
  readonly nowMs: number;
  /** The version of the rules in force, 0 where there are none. */
  readonly version: number;
  readonly #script: string;
  readonly #fields: readonly unknown[];
  #at = 0;

  constructor(script: string, answer: unknown) {
    this.#script = script;
    if (!Array.isArray(answer)) throw this.unknown(`no array, but ${typeof answer}`);
    this.#fields = answer;
    this.word = this.text();
    const protocol = this.whole();
    if (protocol !== PROTOCOL) throw this.unknown(`protocol ${protocol}`);
    this.nowMs = this.whole();
    this.version = this.whole();
  }

  /** Whether there is more to read. */
  get more(): boolean {
    return this.#at < this.#fields.length;
  }

  /** A word of the script's own. */
  text(): string {
    const field = this.#next();
    if (typeof field === "string") return field;
    throw this.unknown(`${typeof field} in place ${this.#at}`);
  }

  /** A whole number; some clients give it as text or as a bigint. */
  whole(): number {
    const number = wholeOf(this.#next());
    if (number !== undefined) return number;
    throw this.unknown(`no whole number in place ${this.#at}`);
  }

  /** 0 or 1. */
  flag(): boolean {
    const number = this.whole();
    if (number <= 1) return number === 1;
    throw this.unknown(`${number} in place ${this.#at}`);
  }

  /** A name, which stands behind a colon. */
  name(): string {
    const text = this.text();
    if (/^:./s.test(text)) return text.slice(1);
    throw this.unknown(`no name in place ${this.#at}`);
  }

  /** A name or a whole number. */
  value(): string | number {
    const field = this.#next();
    if (typeof field === "string" && field.startsWith(":")) return field.slice(1);
    const number = wholeOf(field);
    if (number !== undefined) return number;
    this.#at -= 1;
    return this.text();
  }

  /** Passes over one field. */
  skip(): void {
    this.#next();
  }

  /** What was read, if that was all. */
  all<T>(outcome: T): T {
    if (!this.more) return outcome;
    throw this.unknown(`${this.#fields.length} places`);
  }

  /** The error of an answer that is not known. */
  unknown(what = `"${this.word}"`): PointsmanError {
    return new PointsmanError("REPLY", `the answer of ${this.#script} is not known: ${what}`);
  }

  #next(): unknown {
    if (!this.more) throw this.unknown(`only ${this.#fields.length} places`);
    return this.#fields[this.#at++];
  }
}

const DIGITS = /^(?:0|[1-9]\d{0,15})$/;

function wholeOf(field: unknown): number | undefined {
  if (typeof field !== "number" && typeof field !== "bigint" && typeof field !== "string") return undefined;
  if (!DIGITS.test(String(field))) return undefined;
  const number = Number(field);
  return number <= MAX_WHOLE ? number : undefined;
}
