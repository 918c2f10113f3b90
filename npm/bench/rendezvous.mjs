import { createRequire } from "node:module";
import { Upstreams, order, pick } from "../dist/index.js";
import { PlainJavaScript, fnv1a, naiveOrder, naivePick, sha256Weight } from "./hand-written.mjs";
import { race } from "./race.mjs";

// One of them calls `new Buffer`.
process.noDeprecation = true;
const require = createRequire(import.meta.url);
const ConsistentHash = require("consistent-hash");
const HashRing = require("hashring");
const rendezvousHash = require("rendezvous-hash");
const SkeletonRendezvous = require("skeleton-rendezvous");

const keys = Array.from({ length: 1024 }, (_, number) => uuid(number));
const shortKeys = keys.map((key) => key.slice(0, 8));

for (const count of [3, 10, 100, 1000]) racePick(namesOf(count));
for (const count of [3, 10, 100, 1000]) raceOrder(namesOf(count));
for (const count of [10, 1000]) raceOthers(namesOf(count));

function racePick(names) {
  const ours = new Upstreams(names);
  const plain = new PlainJavaScript(names);
  const ring = new HashRing(names, "md5", { "max cache size": 1 });
  const ringWithMemo = new HashRing(names);
  const randomRing = new ConsistentHash();
  for (const name of names) randomRing.add(name);
  const skeleton = new SkeletonRendezvous({ sites: names });
  const shards = Object.fromEntries(names.map((name) => [name, name]));
  race(`pick, ${names.length} upstreams`, keys, {
    "Upstreams.pick": (key) => ours.pick(key),
    "pick(key, names), the same list again": (key) => pick(key, names),
    "plain JavaScript, by hand": (key) => plain.pick(key),
    "FNV-1a of key and name, by hand": (key) => naivePick(key, names, fnv1a),
    "SHA-256 of key and name, by hand": (key) => naivePick(key, names, sha256Weight),
    "hashring 3.2.0": (key) => ring.get(key),
    "hashring 3.2.0, keys it has seen": (key) => ringWithMemo.get(key),
    "consistent-hash 1.2.2 (a ring of its own each)": (key) => randomRing.get(key),
    "skeleton-rendezvous 1.1.3": (key) => skeleton.findSite(key),
    "rendezvous-hash 1.0.1": (key) => rendezvousHash(key, shards),
  });
}

function raceOrder(names) {
  const ours = new Upstreams(names);
  const plain = new PlainJavaScript(names);
  const ring = new HashRing(names, "md5", { "max cache size": 1 });
  race(`order, ${names.length} upstreams`, keys, {
    "Upstreams.order": (key) => ours.order(key),
    "Upstreams.order, the first three": (key) => ours.order(key, 3),
    "Upstreams.indices": (key) => ours.indices(key),
    "order(key, names), the same list again": (key) => order(key, names),
    "plain JavaScript, by hand": (key) => plain.order(key),
    "FNV-1a of key and name, by hand": (key) => naiveOrder(key, names, fnv1a),
    "SHA-256 of key and name, by hand": (key) => naiveOrder(key, names, sha256Weight),
    // At 1,000 one call takes milliseconds.
    ...(names.length <= 100 && { "hashring 3.2.0, range": (key) => ring.range(key, names.length) }),
  });
}

function raceOthers(names) {
  const ours = new Upstreams(names);
  const weights = names.map((_, index) => (index % 7) + 1);
  const weighted = new Upstreams(names, { weights });
  const plain = new PlainJavaScript(names);
  const others = Array.from({ length: 64 }, (_, number) => names.map((name) => `${name}-${number}`));
  race(`other ways to pick, ${names.length} upstreams`, keys, {
    "Upstreams.pick": (key) => ours.pick(key),
    "Upstreams.pick, weighted": (key) => weighted.pick(key),
    "pick(key, names), equal strings": (() => {
      const copy = names.map((name) => `${name} `.slice(0, -1));
      return (key) => pick(key, copy);
    })(),
  });
  race(`keys of 8 characters, ${names.length} upstreams`, shortKeys, {
    "Upstreams.pick": (key) => ours.pick(key),
    "plain JavaScript, by hand": (key) => plain.pick(key),
    "FNV-1a of key and name, by hand": (key) => naivePick(key, names, fnv1a),
  });
  race(`another list at each call, ${names.length} upstreams`, others, {
    "pick(key, names)": (list) => pick("session:42", list),
    "FNV-1a of key and name, by hand": (list) => naivePick("session:42", list, fnv1a),
    "rendezvous-hash 1.0.1": (list) =>
      rendezvousHash("session:42", Object.fromEntries(list.map((name) => [name, name]))),
  });
}

function namesOf(count) {
  return Array.from({ length: count }, (_, index) => `acct-${index + 1}`);
}

/** Text of the length of a UUID, in one piece. */
function uuid(number) {
  const part = (salt) => fnv1a(`${salt}/${number}`).toString(16).padStart(8, "0");
  const [a, b, c, d] = ["a", "b", "c", "d"].map(part);
  const text = `${a}-${b.slice(0, 4)}-${b.slice(4)}-${c.slice(0, 4)}-${c.slice(4)}${d}`;
  return Buffer.from(text, "latin1").toString("latin1");
}
