/** Text that stands in HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A coordinate, short. */
export function at(value: number): string {
  return `${Math.round(value * 10) / 10}`;
}

/** A drawing that is `width` wide and grows with its place on the page. */
export function svg(width: number, height: number, label: string, parts: readonly string[]): string {
  const box = `viewBox="0 0 ${width} ${at(height)}" role="img" aria-label="${escaped(label)}"`;
  return `<svg ${box}>\n${parts.join("\n")}\n</svg>`;
}

/** A word in a drawing. */
export function text(x: number, y: number, words: string, style = "", anchor = "start"): string {
  return `<text x="${at(x)}" y="${at(y)}" class="${style}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

/** A straight line in a drawing. */
export function line(x1: number, y1: number, x2: number, y2: number, style: string): string {
  return `<line x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}" class="${style}"/>`;
}

/** Round values from `from` to `to`, at most `most` steps apart by 1, 2 or 5 times a power of ten. */
export function ticks(from: number, to: number, most: number): number[] {
  const rough = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough * 0.999) ?? rough;
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.floor(to / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}
