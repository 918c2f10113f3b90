import * as bounds from "./bounds.js";
import { Handle, asPointsmanError } from "./core/handle.js";
import * as memory from "./core/memory.js";
import { core, glue } from "./core/start.js";
import { argumentError } from "./errors.js";

/** How an order is made. */
export interface OrderOptions {
  /** A share for each upstream: whole numbers from 0 to 65,535. Default: all equal. */
  readonly weights?: readonly number[] | undefined;
  /** Another seed is another, unrelated order. Below 2^53, or a bigint below 2^64. Default 0. */
  readonly seed?: number | bigint | undefined;
}

/** What the core answers for no upstream. */
const NONE = 0xffffffff;
/** How many lists the functions `order` and `pick` keep hashed. */
const KEPT_LISTS = 8;

/**
 * The indices of `upstreams`, the strongest for `key` first.
 *
 * Everyone who asks with the same key and the same names gets the same order, however the list is
 * arranged. Taking one away leaves the order of the rest; adding one moves only the keys that go
 * to it. An empty list has an empty order; a name that is listed twice stands twice, side by side.
 *
 * `key`: a string of 1 to 1,048,576 bytes. `upstreams`: at most 65,535 names of 1 to 255 bytes
 * without control characters. The last few lists are kept hashed; `Upstreams` is faster.
 */
export function order(
  key: string,
  upstreams: readonly string[],
  options: OrderOptions = {},
): number[] {
  bounds.checkKey(key);
  const view = kept(upstreams, options).indices(key);
  const indices = new Array<number>(view.length);
  for (let rank = 0; rank < view.length; rank++) indices[rank] = view[rank] ?? 0;
  return indices;
}

/**
 * The upstream that is strongest for `key`: the first of `order`, or `undefined` for an empty
 * list. Bounds as for `order`.
 */
export function pick(
  key: string,
  upstreams: readonly string[],
  options: OrderOptions = {},
): string | undefined {
  bounds.checkKey(key);
  return kept(upstreams, options).pick(key);
}

/** Upstreams whose names are hashed once. It never changes: `with` and `without` make another. */
export class Upstreams extends Handle<glue.Ranking> {
  /** @internal A minifier renames the class. */
  static override readonly name = "Upstreams";

  /** The names, in the order in which they were given. */
  readonly names: readonly string[];
  readonly #weights: readonly number[] | undefined;
  readonly #seed: number | bigint;
  #view: Uint32Array = new Uint32Array(0);
  #version = -1;

  /** A name that is listed twice is an error here. */
  constructor(upstreams: readonly string[], options?: OrderOptions);
  /** @internal */
  constructor(upstreams: readonly string[], options: OrderOptions, duplicates: "duplicates");
  constructor(upstreams: readonly string[], options: OrderOptions = {}, duplicates?: "duplicates") {
    const names = Object.freeze(bounds.checkNames("upstreams", upstreams));
    if (duplicates === undefined) checkUnique(names);
    const { weights: given, seed = 0 } = bounds.checkOptions("options", options);
    const weights = given === undefined ? undefined : Object.freeze(bounds.checkWeights(given, names.length));
    const [low, high] = bounds.checkSeed(seed);
    super(() => {
      memory.open();
      for (const name of names) memory.putFramed(name);
      for (const weight of weights ?? []) memory.putNumber(weight);
      const weighted = weights !== undefined;
      const made = new glue.Ranking(memory.written(), names.length, weighted, low, high);
      memory.close();
      return made;
    });
    this.names = names;
    this.#weights = weights;
    this.#seed = seed;
  }

  /** How many upstreams there are. */
  get size(): number {
    return this.names.length;
  }

  /** The strongest upstream for `key`, or `undefined` if there is none. */
  pick(key: string): string | undefined {
    const held = this.held;
    try {
      const index = held.pick(putKey(key));
      return index === NONE ? undefined : this.names[index];
    } catch (error) {
      throw asPointsmanError(error);
    }
  }

  /** The upstreams, the strongest for `key` first; only the first `limit` of them where given. */
  order(key: string, limit: number = this.size): string[] {
    const order = this.#ordered(key, limit);
    const names = new Array<string>(limit);
    for (let rank = 0; rank < limit; rank++) names[rank] = this.names[order[rank] ?? 0] ?? "";
    return names;
  }

  /**
   * The same as indices into `names`, without a copy: a view of the core's memory. Read it before
   * the next call of anything in this package, and do not write to it.
   */
  indices(key: string): Uint32Array {
    return this.#ordered(key, this.size);
  }

  /** These upstreams and one more at the end, or with its weight changed if it is there. */
  with(name: string, weight = 1): Upstreams {
    bounds.checkName("upstream", name);
    bounds.checkWhole("weight", weight, 0, bounds.MAX_WEIGHT);
    const at = this.names.indexOf(name);
    const names = at < 0 ? [...this.names, name] : this.names;
    const weights = names.map((_, index) => this.#weights?.[index] ?? 1);
    weights[at < 0 ? names.length - 1 : at] = weight;
    return new Upstreams(names, { weights, seed: this.#seed });
  }

  /** These upstreams without one; a name that is not there is an error. */
  without(name: string): Upstreams {
    const gone = this.names.indexOf(name);
    if (gone < 0) throw argumentError("upstream", bounds.shown(name), "one of the upstreams");
    const others = (_: unknown, index: number): boolean => index !== gone;
    const weights = this.#weights?.filter(others);
    return new Upstreams(this.names.filter(others), { weights, seed: this.#seed });
  }

  #ordered(key: string, limit: number): Uint32Array {
    const held = this.held;
    bounds.checkWhole("limit", limit, 0, this.size);
    try {
      held.order(putKey(key), limit);
      if (memory.versionOfViews() !== this.#version) {
        this.#view = memory.view(held.indices(), this.size);
        this.#version = memory.versionOfViews();
      }
    } catch (error) {
      throw asPointsmanError(error);
    }
    return this.#view;
  }
}

/** Writes a key and returns its length in bytes. */
function putKey(key: string): number {
  bounds.checkKey(key);
  memory.open();
  memory.put(key);
  return memory.written();
}

function checkUnique(names: readonly string[]): void {
  const twice = names.length > new Set(names).size && names.find((name, at) => names.indexOf(name) < at);
  if (typeof twice === "string") {
    throw argumentError("upstream", bounds.shown(twice), "listed only once");
  }
}

/** A list that `order` or `pick` was called with, as it was then. */
interface KeptList {
  readonly upstreams: Upstreams;
  readonly weights: readonly number[] | undefined;
  readonly seed: number | bigint;
}

let lists: KeptList[] = [];
let keptBy: unknown;

/** The hashed form of a list: one of the last few, or a new one. */
function kept(names: readonly string[], options: OrderOptions): Upstreams {
  bounds.checkList("upstreams", names, bounds.MAX_UPSTREAMS);
  const { weights, seed = 0 } = bounds.checkOptions("options", options);
  if (weights !== undefined) bounds.checkList("weights", weights, bounds.MAX_UPSTREAMS);
  if (keptBy !== core()) {
    lists = [];
    keptBy = core();
  }
  for (let at = 0; at < lists.length; at++) {
    const list = lists[at];
    if (list === undefined || list.seed !== seed) continue;
    if (!same(list.upstreams.names, names) || !same(list.weights, weights)) continue;
    if (at > 0) {
      lists.splice(at, 1);
      lists.unshift(list);
    }
    return list.upstreams;
  }
  const upstreams = new Upstreams(names, options, "duplicates");
  lists.unshift({ upstreams, weights: weights && [...weights], seed });
  if (lists.length > KEPT_LISTS) lists.pop()?.upstreams.dispose();
  return upstreams;
}

function same<T>(left: readonly T[] | undefined, right: readonly T[] | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  if (left.length !== right?.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}
