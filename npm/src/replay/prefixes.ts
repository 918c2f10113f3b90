import { chain } from "../index.js";

/** The most entries of one chain. */
const MAX_LINKS = 65_535;

/** What a block is known by: an id of the log, a key with a place, or a link of entries. */
export type BlockKind = "id" | "key" | "link";

/** Numbers the blocks of a log: equal prefixes have the same number. */
export class Prefixes {
  readonly #numbers = { id: new Map<string, number>(), key: new Map(), link: new Map() };
  readonly #names: string[] = [];

  /** The number of a block whose name stands for all before it. */
  number(kind: BlockKind, name: string): number {
    const numbers: Map<string, number> = this.#numbers[kind];
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#names.push(name) - 1;
    numbers.set(name, number);
    return number;
  }

  /** A link for each number, no two alike: each name is the next entry of a chain. */
  links(): string[] {
    const links: string[] = [];
    while (links.length < this.#names.length) {
      const names = this.#names.slice(links.length, links.length + MAX_LINKS);
      for (const link of chain(names, { namespace: `${links.length}` })) links.push(link);
    }
    return links;
  }
}
