import * as bounds from "../bounds.js";
import { argumentError } from "../errors.js";
import type { TokenBucketOptions, WindowLimitOptions } from "../limits.js";
import { text, whole } from "./encode.js";
import type { Reply } from "./reply.js";

/** One of several limits, by its name; how full a bucket begins is said for all of them together. */
export type RedisLimit = {
  /** 1 to 255 bytes without control characters; what was taken stays with the name. */
  readonly name: string;
} & (Omit<TokenBucketOptions, "start"> | WindowLimitOptions);

/** A number for each of some limits, by their names. */
export type Costs = Readonly<Record<string, number>>;

/** Several limits of one version, as the scripts take them. */
export class Rules {
  readonly names: readonly string[];
  readonly version: number;
  /** How many there are, and five arguments each. */
  readonly args: readonly string[];

  constructor(version: number, limits: readonly RedisLimit[]) {
    bounds.checkList("limits", limits, bounds.MAX_UPSTREAMS);
    const five = Array.from(limits, encoded);
    this.names = five.map(([name]) => name);
    this.version = version;
    this.args = [String(five.length), ...five.flat()];
  }

  /** The numbers of some of these limits, by name, as arguments. */
  encode(argument: string, costs: Costs): Map<string, string> {
    const given = Object.entries(bounds.checkOptions(`${argument}s`, costs));
    return new Map(given.map(([name, cost]) => [this.#checkName(name), whole(argument, cost)]));
  }

  /** What is left of each limit, by name; `undefined` where other rules are in force. */
  remaining(reply: Reply): Costs | undefined {
    const left: number[] = [];
    while (reply.more) left.push(reply.whole());
    if (reply.version !== this.version || left.length !== this.names.length) return undefined;
    return Object.fromEntries(this.names.map((name, at) => [name, left[at] ?? 0]));
  }

  #checkName(name: string): string {
    if (this.names.includes(name)) return name;
    throw argumentError("limit", bounds.shown(name), "one of those declared");
  }
}

/** The limits that the answer `reconfigure` tells. */
export function limitsIn(reply: Reply): RedisLimit[] {
  const limits: RedisLimit[] = [];
  for (let count = reply.whole(); count > 0; count--) {
    const [name, kind] = [reply.name(), reply.text()];
    const [capacity, refill, periodMs] = [reply.whole(), reply.whole(), reply.whole()];
    if (kind === "window") limits.push({ name, capacity, windowMs: periodMs });
    else if (kind === "bucket") limits.push({ name, capacity, refill, periodMs });
    else throw reply.unknown(`a limit of kind "${kind}"`);
  }
  return reply.all(limits);
}

type Five = [name: string, kind: string, capacity: string, refill: string, periodMs: string];

function encoded(limit: RedisLimit): Five {
  const given: Partial<TokenBucketOptions & WindowLimitOptions> & { name: string } =
    bounds.checkOptions("limit", limit);
  const { name, capacity, refill, periodMs, windowMs, start } = given;
  if (start !== undefined) throw argumentError("start", "given for one limit", "given for all limits together");
  const [named, most] = [text("name", name), whole("capacity", capacity)];
  if (windowMs === undefined) return [named, "bucket", most, whole("refill", refill), whole("periodMs", periodMs)];
  if (refill !== undefined) throw argumentError("windowMs", "given with refill", "given alone");
  return [named, "window", most, "0", whole("windowMs", windowMs)];
}
