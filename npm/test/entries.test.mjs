// Entries of chat requests: the same conversation gives the same ones, whatever its marks and ids.
import assert from "node:assert/strict";
import test from "node:test";
import { chain, entriesOf, prefixBytes } from "../dist/index.js";

const mark = { cache_control: { type: "ephemeral" } };
const TOOLS = [{ name: "look", description: "d", input_schema: { type: "object", properties: { q: { type: "string" } } } }];

/** One conversation of Anthropic's Messages, with the marks where a client sets them at each turn. */
const anthropic = (turns, marked) => ({
  model: "claude",
  max_tokens: 100 * turns,
  system: [{ type: "text", text: "You help.", ...(marked ? mark : {}) }],
  tools: TOOLS.map((tool) => ({ ...tool, ...(marked ? mark : {}) })),
  messages: [
    { role: "user", content: "one" },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: { q: "x", a: 1 } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "found" }] },
    { role: "assistant", content: "two" },
  ].slice(0, turns).map((turn, at) => {
    if (!marked || at < turns - 1) return turn;
    const blocks = typeof turn.content === "string" ? [{ type: "text", text: turn.content }] : turn.content;
    return { ...turn, content: blocks.map((block, place) => (place === blocks.length - 1 ? { ...block, ...mark } : block)) };
  }),
});

test("what the entries are", () => {
  assert.deepEqual(entriesOf(anthropic(2, true)), [
    '{"model":"claude","tools":[{"description":"d","input_schema":{"properties":{"q":{"type":"string"}},"type":"object"},"name":"look"}]}',
    '{"text":"You help.","type":"text"}',
    '{"content":[{"text":"one","type":"text"}],"role":"user"}',
    '{"content":[{"id":"t1","input":{"a":1,"q":"x"},"name":"look","type":"tool_use"}],"role":"assistant"}',
  ]);
  assert.deepEqual(entriesOf({ messages: [] }), ["{}"]);
});

test("a mark that moves, and how text is written, change no link", () => {
  for (let turns = 1; turns <= 4; turns++) {
    const links = chain(entriesOf(anthropic(turns, false)));
    assert.deepEqual(chain(entriesOf(anthropic(turns, true))), links);
    // Model and tools, the system prompt, and a link a message.
    assert.equal(links.length, 2 + turns);
  }
  const [system, user] = [{ role: "system", content: "s" }, { role: "user", content: [{ text: "u", type: "text" }] }];
  const other = [{ content: [{ type: "text", text: "s" }], role: "system" }, { content: "u", role: "user" }];
  assert.deepEqual(entriesOf({ messages: [system, user] }), entriesOf({ messages: other }));
  assert.deepEqual(entriesOf({ system: "s", messages: [] }), entriesOf({ system: [{ type: "text", text: "s", ...mark }], messages: [] }));
});

test("last turn's entries are a prefix of this turn's", () => {
  const all = entriesOf(anthropic(4, true));
  for (let turns = 0; turns < 4; turns++) {
    const before = entriesOf(anthropic(turns, true));
    assert.deepEqual(all.slice(0, before.length), before);
  }
});

test("what changes the prompt changes the links from there on, and none before", () => {
  const links = (request) => chain(entriesOf(request));
  const base = links(anthropic(4, false));
  const changed = (change) => {
    const request = structuredClone(anthropic(4, false));
    change(request);
    const other = links(request);
    return base.findIndex((link, at) => link !== other[at]);
  };
  const rows = [
    [0, (request) => (request.model = "other")],
    [0, (request) => request.tools.push({ name: "more" })],
    [0, (request) => (request.response_format = { type: "json_object" })],
    [1, (request) => (request.system[0].text += "!")],
    [2, (request) => (request.messages[0].role = "assistant")],
    [3, (request) => (request.messages[1].content[0].input.q = "y")],
    [3, (request) => (request.messages[1].content[0].id = "t2")],
    [4, (request) => (request.messages[2].content[0].content = "lost")],
    [5, (request) => (request.messages[3].content += " ")],
    [-1, (request) => (request.max_tokens = 1)],
    [-1, (request) => (request.messages[3].id = "msg_1")],
    [-1, (request) => (request.messages[3].usage = { output_tokens: 5 })],
    [-1, (request) => (request.messages[3].refusal = null)],
    [-1, (request) => (request.messages[3].name = undefined)],
  ];
  for (const [at, change] of rows) assert.equal(changed(change), at, `${change}`);
});

test("OpenAI's requests of both kinds are read", () => {
  const call = { id: "call_1", type: "function", function: { name: "look", arguments: '{"q":1}' } };
  const chat = {
    model: "gpt",
    tools: [{ type: "function", function: { name: "look" } }],
    messages: [
      { role: "developer", content: "s" },
      { role: "user", content: "u" },
      { role: "assistant", content: null, tool_calls: [call], refusal: null },
      { role: "tool", tool_call_id: "call_1", content: "r" },
    ],
  };
  assert.deepEqual(entriesOf(chat).slice(3), [
    '{"role":"assistant","tool_calls":[{"function":{"arguments":"{\\"q\\":1}","name":"look"},"id":"call_1","type":"function"}]}',
    '{"content":[{"text":"r","type":"text"}],"role":"tool","tool_call_id":"call_1"}',
  ]);
  const responses = {
    model: "gpt",
    instructions: "s",
    input: [{ role: "user", content: "u" }, { type: "function_call", id: "fc_1", status: "completed", call_id: "c", name: "look" }],
    text: { format: { type: "json_object" }, verbosity: "low" },
  };
  assert.deepEqual(entriesOf(responses), [
    '{"format":{"type":"json_object"},"model":"gpt"}',
    '{"text":"s","type":"text"}',
    '{"content":[{"text":"u","type":"text"}],"role":"user"}',
    '{"call_id":"c","name":"look","type":"function_call"}',
  ]);
  assert.deepEqual(entriesOf({ input: "u" }), entriesOf({ input: [{ role: "user", content: "u" }] }));
});

test("a message object is read once, and again when it grew or its content is another", () => {
  let read = 0;
  const block = { type: "text", get text() {
    read += 1;
    return "long";
  } };
  const request = { messages: [{ role: "user", content: [{ type: "text", text: "x" }, block, { type: "text", text: "end" }] }] };
  const first = entriesOf(request);
  assert.equal(read, 1);
  assert.deepEqual(entriesOf(request), first);
  assert.equal(read, 1);
  const [message] = request.messages;
  const changes = [
    () => message.content.push({ type: "text", text: "more" }),
    () => (message.content.at(-1).text += "!"),
    () => message.content.splice(-1, 1, { type: "text", text: "less!" }),
    () => message.content.shift(),
    () => (message.content = "text"),
    () => (message.content = "next"),
    () => (message.name = "n"),
    () => delete message.name,
    () => (message.weight = 1),
  ];
  let before = first;
  for (const change of changes) {
    change();
    const after = entriesOf(request);
    assert.notDeepEqual(after, before, `${change}`);
    before = after;
  }
});

test("bytes are counted, not characters", () => {
  const entries = entriesOf({ messages: [{ role: "user", content: "é" }] });
  assert.equal(prefixBytes(entries), 2 + '{"content":[{"text":"é","type":"text"}],"role":"user"}'.length + 1);
});

test("values are written as JSON writes them", () => {
  const at = new Date(0);
  const content = [{ at, none: undefined, nothing: null, call: () => 1, list: [undefined, null, () => 1, Number.NaN], "10": 1, "9": 2, é: "\ud800" }];
  const [, entry] = entriesOf({ messages: [{ role: "user", content }] });
  const expected = '{"10":1,"9":2,"at":"1970-01-01T00:00:00.000Z","list":[null,null,null,null],"é":"\\ud800"}';
  assert.equal(entry, `{"content":[${expected}],"role":"user"}`);
});

test("a value lies at most 200 levels deep", () => {
  const nested = (levels) => ({ system: JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`), messages: [] });
  // The block itself is the first of them.
  assert.equal(entriesOf(nested(202)).length, 2);
  const bound = "at most 200 levels deep";
  assert.throws(() => entriesOf(nested(203)), { code: "ARGUMENT", argument: "system", bound });
});

test("what is no request is refused by name", () => {
  const loop = { role: "user" };
  loop.content = [loop];
  const rows = [
    [undefined, "request"],
    [null, "request"],
    ["text", "request"],
    [[], "request"],
    [{}, "messages"],
    [{ messages: "text" }, "messages"],
    [{ messages: {} }, "messages"],
    [{ messages: null, input: 5 }, "input"],
    [{ messages: ["text"] }, "messages"],
    [{ messages: [null] }, "messages"],
    [{ input: [5] }, "input"],
    [{ messages: [{ role: "user", content: 5n }] }, "messages"],
    [{ messages: [loop] }, "messages"],
    [{ messages: new Array(65_535).fill({ role: "user" }) }, "messages"],
    [{ system: 5n, messages: [] }, "system"],
  ];
  for (const [request, argument] of rows) assert.throws(() => entriesOf(request), { code: "ARGUMENT", argument }, argument);
  assert.equal(entriesOf({ messages: new Array(65_534).fill({ role: "user" }) }).length, 65_535);
});
