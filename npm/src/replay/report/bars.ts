import { at, line, svg, text } from "./markup.js";

/** One bar: what it stands for, how long it is, and how that is said. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly words: string;
}

/** A value that all bars are seen beside. */
export interface Mark {
  readonly value: number;
  readonly words: string;
}

const WIDTH = 380;
const ROW = 30;
const BAR = 10;
const TOP = 20;

/** Bars one under the other, each below its name, with a line at the mark. */
export function bars(label: string, rows: readonly Bar[], mark: Mark): string {
  const most = Math.max(mark.value, ...rows.map((row) => row.value));
  const length = (value: number): number => (most === 0 ? 0 : (value / most) * (WIDTH - 4));
  const height = TOP + rows.length * ROW;
  const x = length(mark.value);
  const left = x > WIDTH / 2;
  return svg(WIDTH, height, label, [
    text(left ? x - 4 : x + 4, 11, mark.words, "axis", left ? "end" : "start"),
    ...rows.map((row, index) => drawn(row, TOP + index * ROW, length(row.value))),
    line(x, 0, x, height, "mark"),
  ]);
}

function drawn({ name, words }: Bar, top: number, length: number): string {
  const box = `x="0" y="${at(top + 16)}" width="${at(length)}" height="${BAR}"`;
  return `${text(0, top + 12, name, "name")}${text(140, top + 12, words, "value")}<rect ${box} class="bar"/>`;
}
