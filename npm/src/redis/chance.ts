import { PointsmanError } from "../errors.js";
import { whole } from "./encode.js";

/** The draw that was given, or a random whole number below 2^53. */
export function drawn(draw: number | undefined): string {
  return draw === undefined ? String(chance()) : whole("draw", draw);
}

/** A new id: 106 random bits in hex digits. */
export function newId(): string {
  return half() + half();
}

function half(): string {
  return chance().toString(16).padStart(14, "0");
}

function chance(): number {
  try {
    const [high = 0, low = 0] = globalThis.crypto.getRandomValues(new Uint32Array(2));
    return (high % 2 ** 21) * 2 ** 32 + low;
  } catch (cause) {
    const message = "this host gives no randomness here: give an id and a draw";
    throw new PointsmanError("NO_RANDOMNESS", message, { cause });
  }
}
