// What `pointsman replay` reads, and what it says about what it cannot read.
import assert from "node:assert/strict";
import test from "node:test";
import { join } from "node:path";
import { folder, logOf, pointsman, rows, source } from "./replay-run.mjs";

const one = (lines, ...args) => rows(lines, "--upstreams", "1", "--policies", "round_robin", ...args).round_robin;

// 1,536 tokens twice, then 1,024 of them again: hits 1,536 + 1,024 of 4,096.
const MOONCAKE = [
  { timestamp: 1714564800000, input_length: 1_536, output_length: 9, hash_ids: [7, 8, 9] },
  { timestamp: 1714564801250, input_length: 1_536, output_length: 9, hash_ids: [7, 8, 9] },
  { timestamp: 1714564802000, input_length: 1_024, output_length: 9, hash_ids: [7, 8] },
];
const HITS = 0.625;

test("the same log reads the same in either shape of JSON, with numbers or text", () => {
  const expected = one(MOONCAKE);
  assert.equal(expected.hit_rate, HITS);
  const times = ["2024-05-01T12:00:00Z", "2024-05-01 14:00:01.25+02:00", "2024-05-01T12:00:02.000999"];
  const plain = MOONCAKE.map(({ input_length, output_length, hash_ids }, at) => ({
    time: times[at],
    input_length,
    output_length,
    hash_ids: hash_ids.map((id) => `${id}`),
  }));
  assert.deepEqual(one(plain), expected);
  // Three full blocks and two are what the ids say without a length.
  assert.deepEqual(one(plain.map(({ input_length: _, ...rest }) => rest)), expected);
});

test("a byte order mark, empty lines and line ends of Windows do not matter", () => {
  const [first, ...rest] = MOONCAKE.map((line) => JSON.stringify(line));
  assert.deepEqual(one([`\uFEFF${first}\r`, "\r", ...rest, ""]), one(MOONCAKE));
});

test("lines in another order are sorted, with a note", () => {
  const [first, second, third] = MOONCAKE;
  assert.deepEqual(one([third, first, second]), one(MOONCAKE));
  const ran = pointsman(["replay", logOf("order.jsonl", [third, first, second])]);
  assert.match(ran.stdout, /the lines were not in the order of their times, and were sorted/);
});

test("entries count as their bytes by four, and match as far as they are equal", () => {
  // 4,096 bytes in two ways of writing, and 2,048 more: 1,024 of 2,560 tokens are hit.
  const entries = ["é".repeat(2_048), "x".repeat(2_048)];
  assert.equal(one([{ time: 0, entries: entries.slice(0, 1) }, { time: 1, entries }]).hit_rate, 0.4);
  // ["ab", "c"] is another beginning than ["a", "bc"].
  const split = [`${entries[0]}x`, "x".repeat(2_047)];
  assert.equal(one([{ time: 0, entries }, { time: 1, entries: split }]).hit_rate, 0);
  // A given length is shared out by bytes: of 3,072 tokens the first entry has 2,048.
  const lengths = [{ time: 0, entries: entries.slice(0, 1), input_length: 2_048 }, { time: 1, entries, input_length: 3_072 }];
  assert.equal(one(lengths).hit_rate, 0.4);
});

test("requests that have only a key share a prompt as far as the shorter one reaches", () => {
  const pair = (first, second) => one([{ time: 0, key: "k", ...first }, { time: 1, key: "k", ...second }]).hit_rate;
  assert.equal(pair({ input_length: 2_048 }, { input_length: 1_536 }), 0.428571);
  assert.equal(pair({ input_length: 1_536 }, { input_length: 2_048 }), 0.428571);
  assert.equal(pair({}, {}), 0.5);
  assert.equal(pair({}, { key: "other" }), 0);
});

test("a key keeps its requests together under rendezvous", () => {
  const lines = Array.from({ length: 30 }, (_, at) => ({ time: at * 1_000, key: `k${at % 5}`, input_length: 1_024 }));
  const all = rows(lines, "--policies", "round_robin,rendezvous");
  // 25 of 30 could be hit; in turn over eight, a key comes to the same upstream after 40.
  assert.deepEqual([all.rendezvous.hit_rate, all.rendezvous.share_of_achievable], [0.833333, 1]);
  assert.equal(all.round_robin.hit_rate, 0);
});

test("the Azure traces say nothing about prefixes", () => {
  const lines = ["TIMESTAMP,ContextTokens,GeneratedTokens\r", "2023-11-16 18:17:03.9799600,4808,10\r", "2023-11-16 18:17:04.0319600,3180,8\r"];
  const all = rows(lines, "--upstreams", "2");
  assert.equal(Object.keys(all).length, 9);
  // 1.2 · 2 / 2 a minute: one each. Only those who send both to one are over.
  assert.deepEqual(all.round_robin, { hit_rate: 0, share_of_achievable: null, balance: 1, requests_over_limit: 0, input_cost: 1.25 });
  const ran = pointsman(["replay", logOf("azure.csv", lines)]);
  assert.match(ran.stdout, /^2 requests in 0\.1 s, 8 upstreams; achievable hit rate 0\.0 %\n/);
  assert.match(ran.stdout, /the log says nothing about prefixes/);
});

const good = { time: 5, key: "k" };
const DAMAGED = [
  ["{oops", 'is not JSON: "{oops"'],
  ["[1]", "is an array, but must be a JSON object"],
  [{ key: "k" }, "time is missing, but must be whole milliseconds from 0 to 9007199254740, or text such as 2024-05-01T12:00:00.250Z"],
  [{ time: 1.5, key: "k" }, "time is 1.5, but must be whole milliseconds"],
  [{ time: -1, key: "k" }, "time is -1, but must be whole milliseconds"],
  [{ timestamp: 9007199254741, key: "k" }, "timestamp is 9007199254741, but must be whole milliseconds"],
  [{ time: "2024-02-30T00:00:00Z", key: "k" }, 'time is "2024-02-30T00:00:00Z", but must be'],
  [{ time: "2024-02-03T24:00:00Z", key: "k" }, 'time is "2024-02-03T24:00:00Z", but must be'],
  [{ time: "yesterday", key: "k" }, 'time is "yesterday", but must be'],
  [{ time: 6 }, "has none of hash_ids, entries and key, but must have one of them"],
  [{ time: 6, key: "" }, 'key is "", but must be a string of 1 to 1048576 bytes'],
  [{ time: 6, key: 7 }, "key is 7, but must be a string"],
  [{ time: 6, entries: "text" }, 'entries is "text", but must be an array'],
  [{ time: 6, entries: ["a", {}] }, "entries[1] is an object, but must be a string"],
  [{ time: 6, entries: [], hash_ids: [] }, "has both hash_ids and entries, but must have one of them"],
  [{ time: 6, hash_ids: [1, null] }, "hash_ids[1] is null, but must be a whole number or a string"],
  [{ time: 6, hash_ids: [1, 2], input_length: 512 }, "hash_ids has 2 blocks, but an input_length of 512 has at most 1"],
  [{ time: 6, key: "k", input_length: 10_000_001 }, "input_length is 10000001, but must be a whole number from 0 to 10000000"],
  [{ time: 6, key: "k", output_length: "9" }, 'output_length is "9", but must be a whole number from 0 to 1000000'],
];

test("a damaged line stops the replay with its number and what is wrong, or is left out and counted", () => {
  for (const [line, message] of DAMAGED) {
    const file = logOf("damaged.jsonl", [good, line, good]);
    const strict = pointsman(["replay", file]);
    assert.deepEqual([strict.status, strict.stdout], [1, ""], message);
    assert.ok(strict.stderr.startsWith(`pointsman: ${file}: line 2 ${message}`), strict.stderr);
    const lenient = pointsman(["replay", file, "--lenient", "--policies", "random"]);
    assert.equal(lenient.status, 0, lenient.stderr);
    assert.ok(lenient.stdout.startsWith("2 requests in 0.0 s"), lenient.stdout);
    assert.ok(lenient.stdout.includes(`1 damaged line left out, the first: line 2 ${message}`), lenient.stdout);
  }
});

test("damaged lines of a CSV are named too", () => {
  const header = "TIMESTAMP,ContextTokens,GeneratedTokens";
  const row = "2023-11-16 18:17:03.9799600,4808,10";
  const cases = [
    ["2023-11-16 18:17:04,5", "has 2 fields, but must have 3"],
    ["soon,5,5", 'TIMESTAMP is "soon", but must be'],
    ["2023-11-16 18:17:04,many,5", 'ContextTokens is "many", but must be a whole number from 0 to 10000000'],
    ["2023-11-16 18:17:04,5,-5", 'GeneratedTokens is "-5", but must be a whole number from 0 to 1000000'],
  ];
  for (const [line, message] of cases) {
    const { status, stderr } = pointsman(["replay", logOf("damaged.csv", [header, row, line])]);
    assert.equal(status, 1);
    assert.ok(stderr.includes(`: line 3 ${message}`), stderr);
  }
});

test("with --json the count of damaged lines goes to the other stream", () => {
  const { stdout, stderr } = pointsman(["replay", logOf("half.jsonl", [good, "{", "{{"]), "--lenient", "--json"]);
  assert.equal(JSON.parse(stdout).length, 9);
  assert.match(stderr, /2 damaged lines left out, the first: line 2 is not JSON: "\{"\n/);
});

test("a file of another kind, an empty one and one of which nothing is left say so", () => {
  const cases = [
    [["a,b,c"], [], 'line 1 is "a,b,c", but must be a JSON object or the header TIMESTAMP,ContextTokens,GeneratedTokens'],
    [[], [], "holds no request"],
    [["", ""], [], "holds no request"],
    [["TIMESTAMP,ContextTokens,GeneratedTokens"], [], "holds no request"],
    [["a,b,c"], ["--lenient"], 'holds no request: line 1 is "a,b,c", but must be'],
  ];
  for (const [lines, args, message] of cases) {
    const { status, stdout, stderr } = pointsman(["replay", logOf("odd.log", lines), ...args]);
    assert.deepEqual([status, stdout], [1, ""]);
    assert.ok(stderr.includes(message), stderr);
  }
});

test("wrong usage is named with its bound and ends with 2", () => {
  const file = logOf("good.jsonl", [good]);
  const cases = [
    [[], "a command is missing, but must be replay"],
    [["inspekt"], 'command is "inspekt", but must be replay'],
    [["replay"], "FILE is missing"],
    [["replay", file, file], "there are 2 files, but must be one"],
    [["replay", join(folder, "none")], `cannot read ${join(folder, "none")}: ENOENT`],
    [["replay", folder], `cannot read ${folder}: EISDIR`],
    [["replay", file, "--fast"], "Unknown option '--fast'"],
    [["replay", file, "--upstreams", "0"], "--upstreams is 0, but must be a whole number from 1 to 1024"],
    [["replay", file, "--upstreams", "1025"], "--upstreams is 1025, but must be"],
    [["replay", file, "--upstreams", "2.5"], "--upstreams is 2.5, but must be"],
    [["replay", file, "--weights", "1,0"], "--weights is 0, but must be a whole number from 1 to 65535"],
    [["replay", file, "--weights", "1,"], '--weights is "", but must be'],
    [["replay", file, "--weights", "2,1", "--upstreams", "3"], "--weights has 2 weights, but must have 3"],
    [["replay", file, "--seed", "one"], "--seed is one, but must be"],
    [["replay", file, "--seed", "5-4"], "--seed is 4, but must be a whole number from 5 to 104"],
    [["replay", file, "--seed", "1-2-3"], '--seed is "1-2-3", but must be N or A-B'],
    [["replay", file, "--policies", "random,best"], '--policies has "best", but must have some of random, round_robin,'],
    [["replay", file, "--ttl", "0"], "--ttl is 0, but must be a whole number from 1 to 86400"],
    [["replay", file, "--cache-ttl", "86401"], "--cache-ttl is 86401, but must be"],
    [["replay", file, "--block-tokens", "0"], "--block-tokens is 0, but must be a whole number from 1 to 65536"],
    [["replay", file, "--rpm", "0"], "--rpm is 0, but must be"],
    [["replay", file, "--html", ""], '--html is "", but must be the name of a file'],
  ];
  for (const [args, message] of cases) {
    const { status, stdout, stderr } = pointsman(args);
    assert.deepEqual([status, stdout], [2, ""], message);
    assert.ok(stderr.startsWith(`pointsman: ${message}`), stderr);
  }
});

test("text of a time is read to the millisecond", async () => {
  const { parseTime } = await source("time.ts");
  const cases = [
    ["1970-01-01T00:00:00Z", 0],
    ["1970-01-01T00:00:01.2345678Z", 1_234],
    ["1970-01-01 00:01", 60_000],
    ["1970-01-01T01:00:00+01:00", 0],
    ["1970-01-01T00:00:00-0130", 5_400_000],
    ["1500", 1_500],
    [1_500, 1_500],
  ];
  for (const [given, expected] of cases) assert.equal(parseTime("time", given), expected);
});
