import type { PointsmanError } from "../errors.js";
import type { Costs, RedisLimit } from "./rules.js";

/** By which rules an answer was made. */
interface InForce {
  /** The version in force. */
  readonly version: number;
  /** Whether the rules in force are others than the declared ones: of a higher version, or of this. */
  readonly differs: boolean;
}

/** What `RedisLimits.take` answers. */
export type Taken =
  | ({
      readonly kind: "granted";
      /** What `cancel` and `settle` ask for. */
      readonly takeId: string;
      /** The instant from which on it may be used, on the server's clock. */
      readonly startsAtMs: number;
      /** The same from the instant of the answer: 0 if it may be used at once. */
      readonly startsInMs: number;
      /**
       * How much each limit in force has left. Empty where they are not known here: at a repeat, when
       * they have changed since.
       */
      readonly remaining: Costs;
      /** Whether the id had this answer before; then nothing more was charged. */
      readonly repeated: boolean;
    } & InForce)
  /** Not now; nothing was taken. `limit` is the name of the one that it waits for longest. */
  | ({ readonly kind: "wait"; readonly retryAfterMs: number; readonly limit: string } & InForce)
  /** The cost is above the capacity of `limit`. */
  | ({ readonly kind: "never"; readonly limit: string } & InForce)
  /** The id was taken and cancelled: a late repeat is not a grant. */
  | ({ readonly kind: "gone" } & InForce)
  /** Limits are in force that are not declared here, or none that was asked for: nothing was taken. */
  | { readonly kind: "reconfigure"; readonly version: number; readonly limits: readonly RedisLimit[] }
  /** Redis cannot be reached, and `onUnreachable` is `"open"`. Whether it was counted is not known. */
  | { readonly kind: "open"; readonly error: PointsmanError };

/** What `RedisLimits.cancel` answers. */
export type Cancelled =
  /** It had not started, and all was given back; a repeat says so again. */
  | { readonly kind: "returned" }
  /** It had started: nothing has changed. `settle` corrects it. */
  | { readonly kind: "started" }
  /** No such take is known, or not any more. */
  | { readonly kind: "gone" };

/** What `RedisLimits.settle` answers. */
export type Settled =
  | {
      readonly kind: "settled";
      /** The version in force. */
      readonly version: number;
      /** How much each limit in force has left; empty where they are not known here. */
      readonly remaining: Costs;
    }
  /** No such take is known, or not any more, or it was cancelled. */
  | { readonly kind: "gone" };
