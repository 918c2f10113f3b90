import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import xxhashWasm from "xxhash-wasm";
import { Chain, chain, prefixBytes } from "../dist/index.js";
import { fnv1a } from "./hand-written.mjs";
import { race } from "./race.mjs";

const { xxh3 } = createRequire(import.meta.url)("@node-rs/xxhash");
const { h64, h64Raw } = await xxhashWasm();
const encoder = new TextEncoder();

const ASCII = "The quick brown fox asks the model for a table of what it did today. ";
const CHINESE = "请把今天的会议记录整理成一张表，并标出还没有完成的事项。";

raceStrings("40 entries of ASCII", conversations(ASCII));
raceBytes("40 entries as bytes", conversations(ASCII));
raceStrings("40 entries of Chinese", conversations(CHINESE));
raceAppend(conversations(ASCII)[0].map((entry) => entry.padEnd(4096).slice(0, 4096)));

function raceStrings(title, items) {
  const bytes = prefixBytes(items[0]);
  const contestants = {
    chain: (entries) => chain(entries),
    "xxhash-wasm 1.1.0, h64, link as seed": (entries) => linked(entries, h64),
    "@node-rs/xxhash 1.7.6, xxh3, link as seed": (entries) => linked(entries, xxh3.xxh64),
    "node:crypto SHA-256 of link and entry": (entries) => linkedBySha256(entries),
    "FNV-1a, by hand, 32 bits": (entries) => linked(entries, fnv1a, 0),
    "(JSON.stringify alone)": (entries) => JSON.stringify(entries),
  };
  race(`${title}, ${bytes} bytes`, items, contestants, { bytes });
}

function raceBytes(title, items) {
  const encoded = items.map((entries) => entries.map((entry) => encoder.encode(entry)));
  const buffers = encoded.map((entries) => entries.map((entry) => Buffer.from(entry)));
  const bytes = prefixBytes(encoded[0]);
  const numbers = encoded.map((_, number) => number);
  const contestants = {
    chain: (number) => chain(encoded[number]),
    "xxhash-wasm 1.1.0, h64Raw, link as seed": (number) => linked(encoded[number], h64Raw),
    "@node-rs/xxhash 1.7.6, xxh3, link as seed": (number) => linked(buffers[number], xxh3.xxh64),
    "node:crypto SHA-256 of link and entry": (number) => linkedBySha256(buffers[number]),
  };
  race(`${title}, ${bytes} bytes`, numbers, contestants, { bytes });
}

function raceAppend(entries) {
  let growing = new Chain();
  const append = (entry) => {
    if (growing.length === 1000) {
      growing.dispose();
      growing = new Chain();
    }
    return growing.push(entry);
  };
  let state = createHash("sha256");
  const contestants = {
    "Chain.push": append,
    "xxhash-wasm 1.1.0, h64": (entry) => h64(entry, 1n),
    "node:crypto SHA-256, copy and digest": (entry) => {
      state = state.update(entry);
      return state.copy().digest("hex");
    },
  };
  race("one more entry of 4,096 bytes", entries, contestants, { bytes: 4096 });
}

function linked(entries, hash, seed = 0n) {
  const links = [];
  let link = seed;
  for (const entry of entries) {
    link = hash(entry, link);
    links.push(link.toString(16));
  }
  return links;
}

function linkedBySha256(entries) {
  const links = [];
  let link = "";
  for (const entry of entries) {
    link = createHash("sha256").update(link).update(entry).digest("hex");
    links.push(link);
  }
  return links;
}

/** Two conversations of 40 entries of 500 to 8,000 bytes. */
function conversations(text) {
  const width = encoder.encode(text).length / text.length;
  return [1, 2].map((number) =>
    Array.from({ length: 40 }, (_, at) => {
      const length = Math.round((500 + (fnv1a(`${at}`) % 7501)) / width);
      const repeated = `${number} ${at} ${text.repeat(Math.ceil(length / text.length))}`;
      // In one piece, as text that came over the network is.
      return Buffer.from(repeated.slice(0, length)).toString();
    }),
  );
}
