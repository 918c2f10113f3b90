import type { Figures } from "../figures.js";
import type { Sample } from "../simulate.js";
import { at, line, svg, text, ticks } from "./markup.js";
import { percent } from "./numbers.js";

const WIDTH = 320;
const HEIGHT = 128;
const FRAME = { left: 26, top: 10, right: WIDTH - 4, bottom: HEIGHT - 20 };
/** At most so many points a line. */
const POINTS = 120;
const SHARE_HEIGHT = 46;

/** The load of some consecutive samples: the busiest upstream at its worst, and the mean. */
interface Load {
  readonly timeMs: number;
  readonly busiest: number;
  readonly mean: number;
}

/** The most that any upstream ever had in flight, under any policy: the common height. */
export function highestLoad(figures: readonly Figures[]): number {
  const loads = figures.flatMap((one) => one.samples.map((sample) => Math.max(...sample.inFlight)));
  return loads.reduce((most, load) => Math.max(most, load), 1);
}

/** Requests in flight over time: a line for the busiest upstream, a line for the mean of all. */
export function loadOverTime(one: Figures, highest: number): string {
  const loads = thinned(one.samples);
  const [startMs, endMs] = [loads[0]?.timeMs ?? 0, loads.at(-1)?.timeMs ?? 0];
  const span = Math.max(endMs - startMs, 1);
  const x = (timeMs: number): number => FRAME.left + ((timeMs - startMs) / span) * (FRAME.right - FRAME.left);
  const y = (load: number): number => FRAME.bottom - (load / highest) * (FRAME.bottom - FRAME.top);
  const path = (load: (one: Load) => number, style: string): string =>
    `<polyline class="${style}" points="${loads.map((l) => `${at(x(l.timeMs))},${at(y(load(l)))}`).join(" ")}"/>`;
  const [unit, unitMs] = span < 180_000 ? ["s", 1_000] : span < 10_800_000 ? ["min", 60_000] : ["h", 3_600_000];
  return svg(WIDTH, HEIGHT, `Requests in flight over time under ${one.policy}`, [
    ...ticks(0, highest, 4).map((tick) => grid(y(tick), `${tick}`)),
    ...ticks(0, span / unitMs, 5).map((tick) => below(x(startMs + tick * unitMs), `${tick}`)),
    text(FRAME.left - 5, HEIGHT - 7, unit, "tick", "end"),
    path((load) => load.busiest, "busiest"),
    path((load) => load.mean, "mean"),
  ]);
}

function grid(y: number, label: string): string {
  return line(FRAME.left, y, FRAME.right, y, "grid") + text(FRAME.left - 5, y + 4, label, "tick", "end");
}

function below(x: number, label: string): string {
  return text(Math.min(x, FRAME.right - 6), HEIGHT - 7, label, "tick", "middle");
}

function thinned(samples: readonly Sample[]): Load[] {
  const size = Math.ceil(samples.length / POINTS);
  return Array.from({ length: Math.ceil(samples.length / size) }, (_, index) =>
    loadOf(samples.slice(index * size, (index + 1) * size)),
  );
}

function loadOf(samples: readonly Sample[]): Load {
  const all = samples.flatMap((sample) => sample.inFlight);
  return {
    timeMs: samples[0]?.timeMs ?? 0,
    busiest: Math.max(...all),
    mean: all.reduce((sum, count) => sum + count, 0) / all.length,
  };
}

/** The share of all requests that each upstream got, and a line at the share it should get. */
export function sharesSent({ policy, sent }: Figures, weights: readonly number[]): string {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const fair = weights.map((weight) => weight / all);
  const most = Math.max(...sent, ...fair);
  const step = (FRAME.right - FRAME.left) / sent.length;
  const y = (share: number): number => 2 + (1 - share / most) * (SHARE_HEIGHT - 16);
  const columns = sent.map((share, index) => {
    const left = FRAME.left + index * step;
    const box = `x="${at(left + step * 0.12)}" y="${at(y(share))}" width="${at(step * 0.76)}" height="${at(y(0) - y(share))}"`;
    const bar = `<rect ${box} class="bar"><title>upstream ${index + 1}: ${percent(share)} of all requests</title></rect>`;
    return bar + line(left, y(fair[index] ?? 0), left + step, y(fair[index] ?? 0), "mark");
  });
  const label = `Share of all requests that each upstream got under ${policy}`;
  const range = `upstream 1 to ${sent.length}: ${percent(Math.min(...sent))} to ${percent(Math.max(...sent))} of the requests`;
  return svg(WIDTH, SHARE_HEIGHT, label, [...columns, text(FRAME.left, SHARE_HEIGHT - 2, range, "tick")]);
}
