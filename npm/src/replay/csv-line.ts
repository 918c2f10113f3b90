import { Damage } from "./failure.js";
import { MAX_INPUT, MAX_OUTPUT, tokens } from "./json-line.js";
import type { Request } from "./log.js";
import { parseTime } from "./time.js";

const COLUMNS = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"] as const;

/** How the columns of the Azure traces are recognised, for messages. */
export const CSV_HEADER = COLUMNS.join(",");

/** Where the columns are. */
export interface Columns {
  readonly places: readonly number[];
  readonly count: number;
}

/** The columns that a header line names, or `undefined` if it is no such header. */
export function parseHeader(line: string): Columns | undefined {
  const names = cells(line).map((name) => name.toLowerCase());
  const places = COLUMNS.map((column) => names.indexOf(column.toLowerCase()));
  return places.includes(-1) ? undefined : { places, count: names.length };
}

/** A request from a line below the header. Nothing is known of its prefix. */
export function parseCsvLine(line: string, columns: Columns): Request {
  const values = cells(line);
  if (values.length !== columns.count) {
    throw new Damage(`has ${values.length} fields, but must have ${columns.count}`);
  }
  const [time, input, output] = columns.places.map((place) => values[place] ?? "");
  return {
    timeMs: parseTime(COLUMNS[0], time),
    inputTokens: digits(COLUMNS[1], input, MAX_INPUT),
    outputTokens: digits(COLUMNS[2], output, MAX_OUTPUT),
    key: undefined,
    blocks: new Int32Array(0),
    ends: new Int32Array(0),
    fullBlocks: 0,
  };
}

function digits(field: string, text: string | undefined, most: number): number {
  return tokens(field, /^\d{1,15}$/.test(text ?? "") ? Number(text) : text, most);
}

function cells(line: string): string[] {
  return line.split(",").map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
}
