// What an answer says of its upstream: by status, by the headers of vendors, by errors.
import assert from "node:assert/strict";
import test from "node:test";
import { outcomeOf, remainingOf } from "../dist/index.js";

/** Sunday, 6 November 1994, 08:49:37 GMT: the example of RFC 9110. */
const EXAMPLE_MS = 784_111_777_000;
const NOW = 1_700_000_000_000;

const outcome = (status, headers = {}, now = NOW) => outcomeOf({ status, headers }, { now });
const until = (headers, now = NOW) => outcome(429, headers, now).untilMs;

test("each status has its outcome", () => {
  const kinds = {
    ok: [200, 201, 204, 206, 301, 304],
    throttled: [429],
    transient: [408, 409, 425, 500, 501, 502, 503, 504, 520, 529, 599],
    terminal: [401, 402, 403, 407],
    request_fault: [400, 404, 405, 406, 410, 413, 415, 418, 422, 451],
  };
  for (const [kind, statuses] of Object.entries(kinds)) {
    for (const status of statuses) assert.deepEqual(outcome(status), { kind }, `${status}`);
  }
});

test("who says when to come back is throttled, and nobody else", () => {
  const headers = { "retry-after": "7" };
  const throttled = { kind: "throttled", untilMs: NOW + 7_000 };
  for (const status of [403, 408, 409, 425, 429, 500, 503, 529]) assert.deepEqual(outcome(status, headers), throttled);
  assert.deepEqual(outcome(200, headers), { kind: "ok" });
  assert.deepEqual(outcome(400, headers), { kind: "request_fault" });
  assert.deepEqual(outcome(401, headers), { kind: "terminal" });
});

test("every form of an instant is read", () => {
  const rows = [
    ["0", NOW],
    ["1", NOW + 1_000],
    ["0.5", NOW + 500],
    ["1.0001", NOW + 1_001],
    ["12ms", NOW + 12],
    ["1s", NOW + 1_000],
    ["6m0s", NOW + 360_000],
    ["1h2m3.5s", NOW + 3_723_500],
    ["1d", NOW + 86_400_000],
    ["35.2ms", NOW + 36],
    ["1700000060", NOW + 60_000],
    ["1700000060.5", NOW + 60_500],
    ["1700000060000", NOW + 60_000],
    ["2023-11-14T22:14:20Z", NOW + 60_000],
    ["2023-11-14T22:14:20.25Z", NOW + 60_250],
    ["2023-11-15T00:14:20+02:00", NOW + 60_000],
    ["2023-11-14 22:14:20z", NOW + 60_000],
    ["Tue, 14 Nov 2023 22:14:20 GMT", NOW + 60_000],
    ["Tuesday, 14-Nov-23 22:14:20 GMT", NOW + 60_000],
    ["Tue Nov 14 22:14:20 2023", NOW + 60_000],
    [" 7 ", NOW + 7_000],
    // 40 days are 40 days.
    ["3456000", NOW + 3_456_000_000],
  ];
  for (const [text, instant] of rows) assert.equal(until({ "Retry-After": text }), instant, text);
});

test("the three forms of an HTTP date are the same instant", () => {
  const forms = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"];
  for (const text of forms) assert.equal(until({ "retry-after": text }, EXAMPLE_MS - 1), EXAMPLE_MS, text);
});

test("what is no instant is none, and does not make an outcome of another kind", () => {
  const texts = [
    "", " ", "soon", "-1", "1,5", "1e3", "0x10", "NaN", "Infinity", "7 seconds", "s", "5x", "m5", "2023-11-14", "2023-11-14T22:14:20",
    "2023-13-14T22:14:20Z", "Tue, 14 Nox 2023 22:14:20 GMT", "Tue, 14 Nov 2023 22:14:20 CET", "14 Nov 2023",
  ];
  for (const text of texts) assert.deepEqual(outcome(429, { "retry-after": text }), { kind: "throttled" }, text);
  for (const text of texts) assert.deepEqual(outcome(503, { "retry-after": text }), { kind: "transient" }, text);
});

test("an instant in the past is now, and one beyond all bounds is the last", () => {
  assert.equal(until({ "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" }), NOW);
  // In 2023, 2094 is more than 50 years ahead, and so 1994 is meant; in 2040, 2085 is not.
  assert.equal(until({ "retry-after": "Sunday, 06-Nov-94 08:49:37 GMT" }), NOW);
  const [in2040, in2085] = [2040, 2085].map((year) => Date.UTC(year, 10, 6, 8, 49, 37));
  assert.equal(until({ "retry-after": "Tuesday, 06-Nov-85 08:49:37 GMT" }, in2040), in2085);
  assert.equal(until({ "retry-after": "1600000000" }), NOW);
  assert.equal(until({ "retry-after": "9".repeat(40) }), 9_007_199_254_740);
  assert.equal(until({ "retry-after": `${"9".repeat(30)}h` }), 9_007_199_254_740);
});

test("a date is compared with the upstream's own clock, where it tells that", () => {
  const headers = { date: "Tue, 14 Nov 2023 22:00:00 GMT", "retry-after": "Tue, 14 Nov 2023 22:00:30 GMT" };
  // Here it is 22:13:20.
  assert.equal(until(headers), NOW + 30_000);
  assert.equal(until({ ...headers, "retry-after": "30" }), NOW + 30_000);
  assert.equal(until({ ...headers, "retry-after": "1699999230" }), NOW + 30_000);
  assert.equal(until({ ...headers, date: "yesterday" }), NOW);
});

test("retry-after-ms counts before retry-after, and both before a reset", () => {
  const reset = { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9s" };
  assert.equal(until({ "retry-after-ms": "1500.2", "retry-after": "60", ...reset }), NOW + 1_501);
  assert.equal(until({ "retry-after-ms": "0", "retry-after": "60", ...reset }), NOW);
  assert.equal(until({ "retry-after-ms": "", "retry-after": "60", ...reset }), NOW + 60_000);
  assert.equal(until(reset), NOW + 9_000);
});

test("without it, the last reset of what is used up counts, and no other", () => {
  const headers = {
    "x-ratelimit-remaining-requests": "5",
    "x-ratelimit-reset-requests": "1h0m0s",
    "x-ratelimit-remaining-tokens": "0",
    "x-ratelimit-reset-tokens": "6m0s",
    "x-ratelimit-remaining-input-tokens": "0",
    "x-ratelimit-reset-input-tokens": "12ms",
  };
  assert.equal(until(headers), NOW + 360_000);
  assert.equal(until({ ...headers, "x-ratelimit-remaining-tokens": "1" }), NOW + 12);
  assert.equal(until({ "x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "1h" }), undefined);
  // As GitHub refuses: 403, and when its window ends.
  const github = { "x-ratelimit-limit": "60", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000777" };
  assert.deepEqual(outcome(403, github), { kind: "throttled", untilMs: 1_700_000_777_000 });
  assert.deepEqual(outcome(403, { ...github, "x-ratelimit-remaining": "59" }), { kind: "terminal" });
});

test("what is left is read from each vendor's headers", () => {
  const rows = [
    [
      { "x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "1s" },
      [{ limit: "requests", remaining: 59, resetsAtMs: NOW + 1_000 }],
    ],
    [
      {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2023-11-14T22:13:22Z",
        "anthropic-ratelimit-input-tokens-remaining": "18000",
      },
      [
        { limit: "requests", remaining: 49, resetsAtMs: NOW + 2_000 },
        { limit: "input-tokens", remaining: 18_000 },
      ],
    ],
    [{ "X-RateLimit-Remaining": "7", "X-RateLimit-Reset": "30" }, [{ limit: "requests", remaining: 7, resetsAtMs: NOW + 30_000 }]],
    [{ "x-rate-limit-remaining": "7" }, [{ limit: "requests", remaining: 7 }]],
    [{ "ratelimit-remaining": "0", "ratelimit-reset": "5" }, [{ limit: "requests", remaining: 0, resetsAtMs: NOW + 5_000 }]],
    [{ "x-ratelimit-remaining-tokens-day": "3" }, [{ limit: "tokens-day", remaining: 3 }]],
    [{ ratelimit: "limit=100, remaining=50, reset=20" }, [{ limit: "requests", remaining: 50, resetsAtMs: NOW + 20_000 }]],
    [
      { ratelimit: '"100-in-1min"; r=95; t=25, "day";r=0;t=3600' },
      [
        { limit: "100-in-1min", remaining: 95, resetsAtMs: NOW + 25_000 },
        { limit: "day", remaining: 0, resetsAtMs: NOW + 3_600_000 },
      ],
    ],
    [{ "x-ratelimit-remaining-requests": "-1" }, [{ limit: "requests", remaining: 0 }]],
    [{ "x-ratelimit-remaining-requests": "many", "x-ratelimit-remaining-tokens": "1e3", "x-ratelimit-reset-tokens": "1s" }, []],
    [{ "anthropic-ratelimit-unified-status": "allowed", "content-type": "text/plain" }, []],
    [{}, []],
  ];
  for (const [headers, left] of rows) assert.deepEqual(remainingOf({ status: 200, headers }, { now: NOW }), left);
});

test("headers come as a Headers, a Map, Node's object, or not at all", () => {
  const expected = { kind: "throttled", untilMs: NOW + 3_000 };
  const response = new Response("", { status: 429, headers: { "Retry-After": "3" } });
  assert.deepEqual(outcomeOf(response, { now: NOW }), expected);
  assert.deepEqual(outcomeOf({ status: 429, headers: new Map([["RETRY-AFTER", "3"]]) }, { now: NOW }), expected);
  assert.deepEqual(outcomeOf({ statusCode: 429, headers: { "retry-after": "3", "set-cookie": ["a", "b"] } }, { now: NOW }), expected);
  assert.deepEqual(outcomeOf({ status: 429, headers: { "retry-after": 3 } }, { now: NOW }), expected);
  for (const headers of [undefined, null, "text", 7]) assert.deepEqual(outcomeOf({ status: 429, headers }), { kind: "throttled" });
});

test("an error without a status is transient, but for an abort", () => {
  for (const error of [new TypeError("fetch failed"), new DOMException("", "TimeoutError"), "text", undefined, null, 7, {}, { status: 0 }]) {
    assert.deepEqual(outcomeOf(error), { kind: "transient" });
  }
  assert.deepEqual(outcomeOf(AbortSignal.abort().reason), { kind: "request_fault" });
  class APIUserAbortError extends Error {}
  assert.deepEqual(outcomeOf(new APIUserAbortError()), { kind: "request_fault" });
});

test("an SDK's error is read by its status and headers, and an empty account is told", () => {
  const error = Object.assign(new Error("429"), { status: 429, headers: new Headers({ "retry-after": "2" }) });
  assert.deepEqual(outcomeOf(error, { now: NOW }), { kind: "throttled", untilMs: NOW + 2_000 });
  const empty = [{ code: "insufficient_quota" }, { type: "insufficient_quota" }, { error: { code: "insufficient_quota" } }];
  empty.push({ error: { error: { type: "insufficient_quota" } } });
  for (const more of empty) assert.deepEqual(outcomeOf({ ...more, status: 429, headers: error.headers }), { kind: "terminal" });
  assert.deepEqual(outcomeOf({ code: "rate_limit_exceeded", status: 429 }), { kind: "throttled" });
  const loop = { status: 429 };
  loop.error = loop;
  assert.deepEqual(outcomeOf(loop), { kind: "throttled" });
});

test("a clock that is none is refused", () => {
  for (const now of [-1, 1.5, NaN, "1", 9_007_199_254_741]) {
    assert.throws(() => outcomeOf({ status: 429 }, { now }), { code: "ARGUMENT", argument: "now" });
    assert.throws(() => remainingOf({ status: 429 }, { now }), { code: "ARGUMENT", argument: "now" });
  }
});
