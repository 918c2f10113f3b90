// Rendezvous hashing as people write it themselves.

import { createHash } from "node:crypto";

/** FNV-1a, 32 bits. */
export function fnv1a(text, hash = 0x811c9dc5) {
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export function sha256Weight(text) {
  return createHash("sha256").update(text).digest().readUIntBE(0, 6);
}

/** The name with the greatest hash of key and name. */
export function naivePick(key, names, hash) {
  let best = -1;
  let chosen;
  for (const name of names) {
    const weight = hash(key + name);
    if (weight > best) {
      best = weight;
      chosen = name;
    }
  }
  return chosen;
}

export function naiveOrder(key, names, hash) {
  return names
    .map((name) => ({ name, weight: hash(key + name) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ name }) => name);
}

/** The fastest that we could write in JavaScript alone: names hashed once, two multiplications each. */
export class PlainJavaScript {
  constructor(names) {
    this.names = names;
    this.low = Int32Array.from(names, (name) => fnv1a(name));
    this.high = Int32Array.from(names, (name) => fnv1a(name, 0x2f0b4c47));
    this.ranks = new Float64Array(names.length);
  }

  pick(key) {
    const { low, high } = this;
    const [keyLow, keyHigh] = halves(key);
    let best = -0x80000000;
    let chosen = 0;
    for (let at = 0; at < low.length; at++) {
      const score = mix(keyLow ^ low[at], keyHigh ^ high[at]);
      if (score > best) {
        best = score;
        chosen = at;
      }
    }
    return this.names[chosen];
  }

  order(key) {
    const { low, high, ranks, names } = this;
    const [keyLow, keyHigh] = halves(key);
    // Score and position in one number below 2^53, so that a sort of numbers will do.
    for (let at = 0; at < low.length; at++) {
      ranks[at] = (0x7fffffff - mix(keyLow ^ low[at], keyHigh ^ high[at])) * 0x10000 + at;
    }
    if (ranks.length > 10) ranks.sort();
    else insertionSort(ranks);
    const order = [];
    for (let at = 0; at < ranks.length; at++) order.push(names[ranks[at] % 0x10000]);
    return order;
  }
}

function mix(low, high) {
  const x = Math.imul(low, 0x21f0aaad);
  return Math.imul((x ^ (x >>> 15)) + high, 0x735a2d97);
}

function halves(key) {
  let low = 0x811c9dc5;
  let high = 0x2f0b4c47;
  for (let at = 0; at < key.length; at++) {
    const unit = key.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
  }
  return [low, high];
}

function insertionSort(values) {
  for (let at = 1; at < values.length; at++) {
    const value = values[at];
    let hole = at;
    for (; hole > 0 && values[hole - 1] > value; hole--) values[hole] = values[hole - 1];
    values[hole] = value;
  }
}
