import { writeFile } from "node:fs/promises";
import { achievableHitRate } from "./cache.js";
import { UNUSABLE, Failure, reason } from "./failure.js";
import { type Figures, figuresOf } from "./figures.js";
import { type Log, spanMs } from "./log.js";
import { type Options, parseOptions } from "./options.js";
import { Progress } from "./progress.js";
import { readLog } from "./read.js";
import { htmlReport } from "./report/html.js";
import { jsonReport } from "./report/json.js";
import { notes, tableReport } from "./report/table.js";
import { sessionsOf } from "./sessions.js";
import { type World, simulate } from "./simulate.js";

/** What a replay found. */
export interface Replay {
  readonly log: Log;
  readonly options: Options;
  /** The hit rate of one cache that sees everything. */
  readonly achievable: number;
  /** Requests a minute, for each upstream. */
  readonly limits: readonly number[];
  readonly figures: readonly Figures[];
}

/** Requests a minute beside the mean, where the limit is not given. */
const LIMIT_TIMES_MEAN = 1.2;

/** Carries out `pointsman replay` and prints what it found. */
export async function replay(args: readonly string[]): Promise<void> {
  const options = parseOptions(args);
  const progress = new Progress(process.stderr);
  let found: Replay;
  try {
    found = run(options, await readLog(options, progress), progress);
  } finally {
    progress.end();
  }
  if (options.html !== undefined) await write(options.html, htmlReport(found));
  if (options.json) process.stderr.write(notes(found).map((note) => `${note}\n`).join(""));
  process.stdout.write(options.json ? jsonReport(found) : tableReport(found));
}

/** Tries every policy on a log. */
export function run(options: Options, log: Log, progress: Progress): Replay {
  const { requests, links } = log;
  const { weights, cacheTtlMs, memoryTtlMs } = options;
  const limits = requestLimits(options, log);
  const achievable = achievableHitRate(requests, cacheTtlMs);
  const sessions = sessionsOf(requests);
  const world: World = { requests, sessions, links, weights, limits, cacheTtlMs, memoryTtlMs };
  const figures = options.policies.map((policy) => {
    const runs = options.seeds.map((seed, at) =>
      simulate(world, policy, seed, (done) =>
        progress.show(policy, at * requests.length + done, options.seeds.length * requests.length),
      ),
    );
    return figuresOf(policy, runs, world, achievable);
  });
  return { log, options, achievable, limits, figures };
}

/** By weight, 1.2 times the mean requests a minute; a log of less than a minute counts as one. */
function requestLimits({ rpm, weights }: Options, { requests }: Log): number[] {
  const minutes = Math.max(spanMs(requests), 60_000) / 60_000;
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const perWeight = (LIMIT_TIMES_MEAN * requests.length) / minutes / all;
  return weights.map((weight) => rpm ?? Math.max(1, Math.floor(perWeight * weight)));
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new Failure(`cannot write ${file}: ${reason(error)}`, UNUSABLE);
  }
}
