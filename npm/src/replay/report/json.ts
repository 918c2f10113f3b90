import type { Replay } from "../replay.js";

/** An array, one object a policy; shares are of 1, rounded to six places. */
export function jsonReport({ figures }: Replay): string {
  const rows = figures.map((one) => ({
    policy: one.policy,
    hit_rate: rounded(one.hitRate),
    share_of_achievable: one.shareOfAchievable === undefined ? null : rounded(one.shareOfAchievable),
    balance: rounded(one.balance),
    requests_over_limit: rounded(one.overLimit),
    input_cost: rounded(one.inputCost),
  }));
  return `${JSON.stringify(rows, null, 2)}\n`;
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
