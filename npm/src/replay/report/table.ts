import { type Log, spanMs } from "../log.js";
import { FOLLOWS_WEIGHTS } from "../policies.js";
import type { Replay } from "../replay.js";
import type { Figures } from "../figures.js";
import { count, duration, percent, plural } from "./numbers.js";

/** The columns of the figures, for every report that has a table. */
export const COLUMNS: readonly { readonly title: string; readonly cell: (one: Figures) => string }[] = [
  { title: "policy", cell: (one) => one.policy },
  { title: "hit rate", cell: (one) => percent(one.hitRate) },
  { title: "of achievable", cell: (one) => percent(one.shareOfAchievable) },
  { title: "balance", cell: (one) => one.balance.toFixed(2) },
  { title: "over limit", cell: (one) => percent(one.overLimit) },
  { title: "input cost", cell: (one) => one.inputCost.toFixed(3) },
];

/** What a reader must know before the figures. */
export function heading({ log, options, achievable }: Replay): string {
  const span = duration(spanMs(log.requests));
  const upstreams = plural(options.weights.length, "upstream");
  return `${plural(log.requests.length, "request")} in ${span}, ${upstreams}; achievable hit rate ${percent(achievable)}`;
}

/** How the limit, the seeds and the weights were set, and what was odd about the log. */
export function notes({ log, options, limits }: Replay): string[] {
  const { seeds, weights } = options;
  const rates = [...new Set(limits)].map(count).join(", ");
  const followers = FOLLOWS_WEIGHTS.join(", ");
  return [
    `limit: ${rates} requests a minute an upstream${options.rpm === undefined ? " (1.2 times the mean)" : ""}`,
    ...(seeds.length > 1 ? [`means over the seeds ${seeds[0]} to ${seeds.at(-1)}`] : []),
    ...(weights.some((weight) => weight !== weights[0])
      ? [`weights ${weights.join(", ")}, followed by ${followers}`]
      : []),
    ...logNotes(log),
  ];
}

function logNotes(log: Log): string[] {
  const notes: string[] = [];
  if (log.sorted) notes.push("the lines were not in the order of their times, and were sorted");
  if (log.skipped > 0) {
    notes.push(`${plural(log.skipped, "damaged line")} left out, the first: ${log.firstDamage}`);
  }
  if (log.requests.every((request) => request.blocks.length === 0)) {
    notes.push("the log says nothing about prefixes: no policy can hit a cache here");
  }
  return notes;
}

/** An aligned table for a terminal. */
export function tableReport(replay: Replay): string {
  const rows = [
    COLUMNS.map((column) => column.title),
    ...replay.figures.map((one) => COLUMNS.map((column) => column.cell(one))),
  ];
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ");
  const [titles, ...lines] = rows.map(line);
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return `${[heading(replay), "", titles, rule, ...lines, "", ...notes(replay)].join("\n")}\n`;
}
