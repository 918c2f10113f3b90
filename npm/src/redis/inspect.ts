import { INSPECT } from "./bundle.js";
import type { Evaluate } from "./script.js";
import { type CallOptions, type RedisOptions, SharedState } from "./shared-state.js";

/** What `inspect` answers. */
export type Inspected =
  | {
      readonly kind: "take" | "used" | "lease" | "shuffle" | "repeat" | "links";
      /** The instant of the answer, on the server's clock. */
      readonly nowMs: number;
      /** The version in force, 0 where there is none. */
      readonly version: number;
      /**
       * Words and what stands behind them, in order: a word that begins something (an upstream, a
       * limit) is followed by those that belong to it. Later releases may add words.
       */
      readonly facts: readonly (readonly [word: string, value: string | number])[];
    }
  /** There is no such key. */
  | { readonly kind: "unknown" };

/** What Redis holds under a key, in plain words: for people, logs and dashboards. Changes nothing. */
export async function inspect(
  evaluate: Evaluate,
  key: string,
  options: CallOptions & RedisOptions = {},
): Promise<Inspected> {
  const reply = await new SharedState(evaluate, key, options).call(INSPECT, [], options);
  const { word, nowMs, version } = reply;
  switch (word) {
    case "take":
    case "used":
    case "lease":
    case "shuffle":
    case "repeat":
    case "links": {
      const facts: (readonly [string, string | number])[] = [];
      while (reply.more) facts.push([reply.text(), reply.value()]);
      return { kind: word, nowMs, version, facts };
    }
    case "unknown":
      return reply.all({ kind: "unknown" });
    default:
      throw reply.unknown();
  }
}
