import * as bounds from "../bounds.js";
import { argumentError } from "../errors.js";

// Only what cannot be sent as it is is refused here; the scripts check the rest.

/** A whole number as an argument. */
export function whole(argument: string, value: unknown): string {
  return String(bounds.checkWhole(argument, value, 0, bounds.MAX_WHOLE));
}

/** A string as an argument: as UTF-8 it must be the same string still. */
export function text(argument: string, value: unknown): string {
  const given = bounds.checkText(argument, value);
  if (!/\p{Surrogate}/u.test(given)) return given;
  throw argumentError(argument, bounds.shown(given), "free of lone surrogates");
}

/** An id that is given: to the script an empty one is none. */
export function id(argument: string, value: unknown): string {
  const given = text(argument, value);
  if (given !== "") return given;
  throw argumentError(argument, bounds.shown(given), "1 to 128 bytes long");
}

/** A list of strings as arguments. */
export function texts(argument: string, of: string, values: readonly string[]): string[] {
  return each(argument, values, (value) => text(of, value));
}

/** The arguments of each thing in a list, one or several. */
export function each<T>(
  argument: string,
  values: readonly T[],
  encoded: (value: T) => string | readonly string[],
): string[] {
  return Array.from(bounds.checkList(argument, values, bounds.MAX_UPSTREAMS), encoded).flat();
}
