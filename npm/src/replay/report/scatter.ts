import type { Figures } from "../figures.js";
import { type Placed, placeLabels } from "./labels.js";
import { at, line, svg, text, ticks } from "./markup.js";
import { percent } from "./numbers.js";

const WIDTH = 380;
const HEIGHT = 330;
const FRAME = { left: 40, top: 14, right: WIDTH - 8, bottom: HEIGHT - 40 };

/** Share of the achievable hits over balance: the best place is at the upper left. */
export function scatter(figures: readonly Figures[]): string {
  const most = Math.max(1.5, ...figures.map((one) => one.balance));
  const range = [1, 1 + (most - 1) * 1.12] as const;
  const x = (balance: number): number =>
    FRAME.left + ((balance - range[0]) / (range[1] - range[0])) * (FRAME.right - FRAME.left);
  const y = (share: number): number => FRAME.bottom - (share / 1.08) * (FRAME.bottom - FRAME.top);
  const points = figures.map((one) => ({
    x: x(one.balance),
    y: y(one.shareOfAchievable ?? 0),
    words: one.policy,
  }));
  return svg(WIDTH, HEIGHT, "Share of the achievable hits over balance, a point for each policy", [
    ...ticks(range[0], range[1], 6).map((tick) => acrossAt(x(tick), tick)),
    ...[0, 0.25, 0.5, 0.75, 1].map((tick) => upAt(y(tick), tick)),
    text(FRAME.right, HEIGHT - 6, "balance: busiest upstream / mean  (1 is even)", "axis", "end"),
    text(FRAME.left + 6, FRAME.top + 4, "↖ better", "axis"),
    ...placeLabels(points, FRAME).map(point),
  ]);
}

function acrossAt(x: number, tick: number): string {
  const label = text(x, FRAME.bottom + 15, `${tick}`, "tick", "middle");
  return line(x, FRAME.top, x, FRAME.bottom, "grid") + label;
}

function upAt(y: number, tick: number): string {
  const label = text(FRAME.left - 5, y + 4, percent(tick, 0), "tick", "end");
  return line(FRAME.left, y, FRAME.right, y, "grid") + label;
}

function point({ x, y, words, box, far }: Placed): string {
  const near = Math.min(Math.max(x, box.left), box.right);
  const leader = far ? line(x, y, near, box.top > y ? box.top : box.bottom, "leader") : "";
  const dot = `<circle cx="${at(x)}" cy="${at(y)}" r="4.5" class="dot"/>`;
  return leader + dot + text(box.left, box.bottom - 3, words, "name");
}
