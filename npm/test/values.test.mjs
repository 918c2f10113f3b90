// What the wrapper crate exports for plain values, to those who compile it into a page of their
// own: the same answers, and errors with a code.
import assert from "node:assert/strict";
import test from "node:test";
import * as library from "../dist/index.js";
import * as values from "../gen/values/values.js";

const NAMES = ["acct-1", "acct-2", "acct-3", "ключ", "acct-5"];

test("order and pick answer as the package does", () => {
  for (let number = 0; number < 1_000; number++) {
    const key = `session-${number} é`;
    assert.deepEqual(Array.from(values.order(key, NAMES)), library.order(key, NAMES));
    assert.equal(values.pick(key, NAMES), library.pick(key, NAMES));
  }
  assert.equal(values.pick("k", []), undefined);
  assert.deepEqual(Array.from(values.order("k", [])), []);
});

test("chain and prefixBytes take strings and bytes", () => {
  const entries = ["you are helpful", new Uint8Array([0, 255, 128]), "", "漢字"];
  assert.deepEqual(values.chain(entries), library.chain(entries));
  assert.equal(values.prefixBytes(entries), library.prefixBytes(entries));
  assert.deepEqual(values.chain([]), []);
});

test("misuse throws an Error with a code that names the argument", () => {
  const message = "key is empty, but must be 1 to 1048576 bytes long";
  const details = { argument: "key", value: "empty", bound: "1 to 1048576 bytes long" };
  assert.throws(() => values.pick("", NAMES), { name: "PointsmanError", code: "ARGUMENT", message, ...details });
  assert.throws(() => values.order("k", [""]), { code: "ARGUMENT", argument: "upstream" });
  assert.throws(() => values.chain(["a", 5]), { code: "ARGUMENT", argument: "entry", bound: "a string or a Uint8Array" });
});
