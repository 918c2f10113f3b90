import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { CSV_HEADER, type Columns, parseCsvLine, parseHeader } from "./csv-line.js";
import { UNUSABLE, Damage, Failure, USAGE, reason, shown } from "./failure.js";
import { parseJsonLine } from "./json-line.js";
import type { Log, Request } from "./log.js";
import { Prefixes } from "./prefixes.js";
import type { Progress } from "./progress.js";

/** How a log is read. */
export interface ReadSettings {
  /** `-` is the standard input. */
  readonly file: string;
  /** Leave damaged lines out and count them, instead of stopping at the first. */
  readonly lenient: boolean;
  /** Tokens a block of `hash_ids`. */
  readonly blockTokens: number;
}

/** Reads a log line by line; what kind it is, its first line says. */
export async function readLog(settings: ReadSettings, progress: Progress): Promise<Log> {
  const lines = new Lines(settings);
  const bytes = settings.file === "-" ? 0 : await sizeOf(settings.file);
  const stream = settings.file === "-" ? process.stdin : createReadStream(settings.file);
  let read = 0;
  stream.on("data", (piece: Buffer | string) => {
    read += piece.length;
    progress.show("reading", read, bytes);
  });
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) lines.add(line);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`cannot read ${settings.file}: ${reason(error)}`, USAGE);
  } finally {
    stream.destroy();
  }
  return lines.log();
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    throw new Failure(`cannot read ${file}: ${reason(error)}`, USAGE);
  }
}

type Parse = (line: string) => Request;

/** The lines of a log, one after the other. */
class Lines {
  readonly #settings: ReadSettings;
  readonly #requests: Request[] = [];
  readonly #prefixes = new Prefixes();
  #parse: Parse | undefined;
  #number = 0;
  #skipped = 0;
  #firstDamage: string | undefined;

  constructor(settings: ReadSettings) {
    this.#settings = settings;
  }

  add(text: string): void {
    this.#number += 1;
    const line = (this.#number === 1 ? text.replace(/^\uFEFF/, "") : text).trim();
    if (line === "") return;
    try {
      this.#take(line);
    } catch (error) {
      if (!(error instanceof Damage)) throw error;
      this.#damaged(`line ${this.#number} ${error.message}`);
    }
  }

  log(): Log {
    const requests = this.#requests;
    if (requests.length === 0) {
      const damage = this.#firstDamage === undefined ? "" : `: ${this.#firstDamage}`;
      throw new Failure(`${this.#settings.file} holds no request${damage}`, UNUSABLE);
    }
    const sorted = requests.some((request, at) => request.timeMs < (requests[at - 1]?.timeMs ?? 0));
    if (sorted) requests.sort((a, b) => a.timeMs - b.timeMs);
    const links = this.#prefixes.links();
    return { requests, links, sorted, skipped: this.#skipped, firstDamage: this.#firstDamage };
  }

  #take(line: string): void {
    if (this.#parse !== undefined) {
      this.#requests.push(this.#parse(line));
      return;
    }
    const columns = parseHeader(line);
    this.#parse = columns === undefined ? this.#json(line) : csv(columns);
    if (columns === undefined) this.#requests.push(this.#parse(line));
  }

  #json(line: string): Parse {
    if (line.startsWith("{")) {
      return (text) => parseJsonLine(text, this.#prefixes, this.#settings.blockTokens);
    }
    throw new Damage(`is ${shown(line)}, but must be a JSON object or the header ${CSV_HEADER}`);
  }

  #damaged(damage: string): void {
    if (!this.#settings.lenient) {
      throw new Failure(`${this.#settings.file}: ${damage} (--lenient leaves such lines out)`, UNUSABLE);
    }
    this.#skipped += 1;
    this.#firstDamage ??= damage;
  }
}

function csv(columns: Columns): Parse {
  return (text) => parseCsvLine(text, columns);
}
