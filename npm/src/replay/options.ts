import { parseArgs } from "node:util";
import { Failure, USAGE, reason, shown } from "./failure.js";
import { POLICIES, type PolicyName, isPolicyName } from "./policies.js";

/** What `pointsman replay` was asked to do. */
export interface Options {
  readonly file: string;
  readonly weights: readonly number[];
  readonly seeds: readonly number[];
  readonly policies: readonly PolicyName[];
  readonly memoryTtlMs: number;
  readonly cacheTtlMs: number;
  readonly blockTokens: number;
  /** Requests a minute an upstream; without it, 1.2 times the mean. */
  readonly rpm: number | undefined;
  readonly lenient: boolean;
  readonly json: boolean;
  readonly html: string | undefined;
}

const MAX_UPSTREAMS = 1_024;
const MAX_WEIGHT = 65_535;
const MAX_SEED = 1_000_000_000;
const MAX_SEEDS = 100;
const MAX_TTL_S = 86_400;

const FLAGS = {
  upstreams: { type: "string" },
  weights: { type: "string" },
  seed: { type: "string" },
  policies: { type: "string" },
  ttl: { type: "string" },
  "cache-ttl": { type: "string" },
  "block-tokens": { type: "string" },
  rpm: { type: "string" },
  lenient: { type: "boolean" },
  json: { type: "boolean" },
  html: { type: "string" },
} as const;

/** The options from the arguments behind `replay`. */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseFlags(args);
  const [file, ...others] = positionals;
  if (file === undefined) throw new Failure("FILE is missing: pointsman replay FILE", USAGE);
  if (others.length > 0) {
    throw new Failure(`there are ${positionals.length} files, but must be one: ${positionals.join(", ")}`, USAGE);
  }
  return {
    file,
    weights: parseWeights(values.upstreams, values.weights),
    seeds: parseSeeds(values.seed ?? "1"),
    policies: parsePolicies(values.policies),
    memoryTtlMs: 1_000 * whole("--ttl", values.ttl ?? "600", 1, MAX_TTL_S),
    cacheTtlMs: 1_000 * whole("--cache-ttl", values["cache-ttl"] ?? "300", 1, MAX_TTL_S),
    blockTokens: whole("--block-tokens", values["block-tokens"] ?? "512", 1, 65_536),
    rpm: values.rpm === undefined ? undefined : whole("--rpm", values.rpm, 1, 1_000_000_000),
    lenient: values.lenient ?? false,
    json: values.json ?? false,
    html: values.html === undefined ? undefined : named("--html", values.html),
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, allowPositionals: true });
  } catch (error) {
    throw new Failure(`${reason(error)} (pointsman --help lists the options)`, USAGE);
  }
}

function whole(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  const given = /^\S+$/.test(text) ? text : shown(text);
  throw new Failure(`${option} is ${given}, but must be a whole number from ${min} to ${max}`, USAGE);
}

function named(option: string, text: string): string {
  if (text !== "") return text;
  throw new Failure(`${option} is "", but must be the name of a file`, USAGE);
}

/** One weight an upstream. */
function parseWeights(upstreams: string | undefined, weights: string | undefined): number[] {
  const list = weights?.split(",").map((text) => whole("--weights", text, 1, MAX_WEIGHT));
  const count = whole("--upstreams", upstreams ?? `${list?.length ?? 8}`, 1, MAX_UPSTREAMS);
  if (list !== undefined && list.length !== count) {
    throw new Failure(`--weights has ${list.length} weights, but must have ${count}, one an upstream`, USAGE);
  }
  return list ?? Array.from({ length: count }, () => 1);
}

/** `3`, or `1-5` for the means over five. */
function parseSeeds(text: string): number[] {
  const [first = "", last = first, ...others] = text.split("-");
  if (others.length > 0) throw new Failure(`--seed is ${shown(text)}, but must be N or A-B`, USAGE);
  const from = whole("--seed", first, 0, MAX_SEED);
  const to = whole("--seed", last, from, from + MAX_SEEDS - 1);
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

function parsePolicies(text: string | undefined): PolicyName[] {
  const all = Object.keys(POLICIES).filter(isPolicyName);
  if (text === undefined) return all;
  const asked = text.split(",").map((name) => {
    if (isPolicyName(name)) return name;
    throw new Failure(`--policies has ${shown(name)}, but must have some of ${all.join(", ")}`, USAGE);
  });
  return all.filter((name) => asked.includes(name));
}
