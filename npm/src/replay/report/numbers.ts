const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

/** 12031 as 12,031. */
export function count(value: number): string {
  return whole.format(value);
}

/** 0.1234 as 12.3 %. */
export function percent(share: number | undefined, digits = 1): string {
  return share === undefined ? "–" : `${(100 * share).toFixed(digits)} %`;
}

/** A time as a person says it. */
export function duration(ms: number): string {
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 7_200_000) return `${(ms / 60_000).toFixed(1)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

/** `1 line`, `2 lines`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}
