// What is made of answers and errors, whoever sends them. The answers are written out here by the
// headers of the scripts.
import assert from "node:assert/strict";
import test from "node:test";
import {
  inspect,
  PointsmanError,
  RedisAffinity,
  RedisLeases,
  RedisLeastUsed,
  RedisLimits,
  RedisNoRepeat,
  RedisShuffle,
} from "../dist/redis.js";

const NOW = 1_700_000_000_000;
const LIMITS = [
  { name: "requests", capacity: 5, windowMs: 60_000 },
  { name: "tokens", capacity: 2 ** 53 - 1, refill: 1, periodMs: 1 },
];

const answering = (answer) => async () => answer;
const failing = (error) => async () => {
  throw error;
};
const limits = (evaluate, more) => new RedisLimits(evaluate, "k", LIMITS, { version: 3, ...more });
const take = (evaluate) => limits(evaluate).take({ requests: 1 }, { takeId: "t" });
const lease = (evaluate) => new RedisLeases(evaluate, "k").acquire({ candidates: [], leaseId: "l" });

const GRANTED = ["granted", 1, NOW, 3, 20, 1, 4, "9007199254740991"];

test("an answer means the same with numbers, decimal text or bigints in it", async () => {
  const expected = {
    kind: "granted",
    takeId: "t",
    startsAtMs: NOW + 20,
    startsInMs: 20,
    remaining: { requests: 4, tokens: 9_007_199_254_740_991 },
    repeated: true,
    version: 3,
    differs: false,
  };
  const asText = GRANTED.map(String);
  const asBigints = GRANTED.map((field, at) => (at === 0 ? field : BigInt(field)));
  for (const answer of [GRANTED, asText, asBigints]) assert.deepEqual(await take(answering(answer)), expected);
});

test("an answer of another shape is an error, never a grant", async () => {
  const changed = (at, ...fields) => GRANTED.toSpliced(at, 1, ...fields);
  const bad = [
    undefined,
    null,
    "granted",
    7,
    { 0: "granted" },
    [],
    ["granted"],
    changed(0, "Granted"),
    changed(0, "leased"),
    changed(0, ":granted"),
    changed(0, Buffer.from("granted")),
    changed(0, 1),
    changed(1, 2),
    changed(2, -1),
    changed(2, 1.5),
    changed(2, "1e3"),
    changed(2, ""),
    changed(2, null),
    changed(3, "03"),
    changed(3, 2 ** 53),
    changed(3, Number.NaN),
    changed(4),
    changed(5, 2),
    changed(5, true),
    changed(6, [4]),
    changed(7, "9007199254740992"),
    changed(7, ":4"),
    GRANTED.slice(0, 5),
    // A first grant tells what is left of the very limits that were sent.
    ["granted", 1, NOW, 3, 20, 0],
    ["granted", 1, NOW, 3, 20, 0, 4],
    ["granted", 1, NOW, 3, 20, 0, 4, 5, 6],
    ["granted", 1, NOW, 4, 20, 0, 4, 5],
    [GRANTED],
    ["wait", 1, NOW, 3, 20, "tokens"],
    ["wait", 1, NOW, 3, 20, ":"],
    ["wait", 1, NOW, 3, 20],
    ["wait", 1, NOW, 3, 20, ":tokens", 1],
    ["never", 1, NOW, 3],
    ["reconfigure", 1, NOW, 4, 1, ":a", "bucket", 1, 1],
    ["reconfigure", 1, NOW, 4, 1, ":a", "barrel", 1, 1, 1],
    ["reconfigure", 1, NOW, 4, 1, ":a", "bucket", 1, 1, 1, 1],
  ];
  for (const answer of bad) {
    const open = limits(answering(answer), { onUnreachable: "open" });
    await assert.rejects(open.take({ requests: 1 }), { name: "PointsmanError", code: "REPLY" }, String(answer));
  }
});

test("a repeat that was granted under other limits says so", async () => {
  const taken = await take(answering(["granted", 1, NOW, 4, 0, 1, 7]));
  assert.deepEqual([taken.kind, taken.remaining, taken.version, taken.differs], ["granted", {}, 4, true]);
  const gone = await take(answering(["gone", 1, NOW, 4]));
  assert.deepEqual(gone, { kind: "gone", version: 4, differs: true });
});

test("every class refuses an answer that is none of its script's", async () => {
  const evaluate = answering(["granted", 1, NOW, 0]);
  const used = new RedisLeastUsed(evaluate, "k", [], { version: 1 });
  const leases = new RedisLeases(evaluate, "k");
  const affinity = new RedisAffinity(evaluate, "k");
  const calls = [
    limits(evaluate).cancel("t"),
    limits(evaluate).settle("t", {}),
    used.configure(),
    used.pick(),
    used.record("a"),
    leases.acquire({ candidates: [] }),
    leases.renew("l"),
    leases.release("l"),
    new RedisShuffle(evaluate, "k").next([]),
    new RedisNoRepeat(evaluate, "k").next([]),
    new RedisNoRepeat(evaluate, "k").observe("a", "x"),
    affinity.recall([]),
    affinity.remember([], "a"),
    inspect(evaluate, "k"),
  ];
  for (const call of calls) await assert.rejects(call, { code: "REPLY", message: /^the answer of \w+ is not known: "granted"$/ });
});

test("names lose their colon, and nothing else", async () => {
  const answer = ["leased", 1, NOW, 0, "::1", 7, NOW + 5, 0];
  assert.deepEqual(await lease(answering(answer)), {
    kind: "leased",
    upstream: ":1",
    leaseId: "l",
    fence: 7,
    expiresMs: NOW + 5,
    expiresInMs: 5,
    repeated: false,
  });
});

test("an error of a script has its word as its code, and says which argument in the names of JavaScript", async () => {
  const words = ["KEYS", "TYPE", "KIND", "FORMAT", "DEADLINE", "DATA"];
  for (const word of words) {
    const error = new Error(`POINTSMAN_${word} because`);
    await assert.rejects(lease(failing(error)), { name: "PointsmanError", code: word, message: "because", cause: error });
  }
  const named = new Error('POINTSMAN_ARG max_in_flight (ARGV[8]) is "0", but must be a whole number from 1 to 1000');
  await assert.rejects(lease(failing(named)), {
    code: "ARGUMENT",
    argument: "maxInFlight",
    value: "0",
    bound: "a whole number from 1 to 1000",
    message: "maxInFlight is 0, but must be a whole number from 1 to 1000",
    cause: named,
  });
  const tricky = 'POINTSMAN_ARG choice (ARGV[5]) is "x", but must be y", but must be "fewest" or "first"';
  await assert.rejects(lease(failing(new Error(tricky))), {
    argument: "choice",
    value: '"x", but must be y"',
    bound: '"fewest" or "first"',
  });
  const unnamed = new Error("POINTSMAN_ARG 3 arguments are given, but must be 6 to 2054");
  const message = "3 arguments are given, but must be 6 to 2054";
  await assert.rejects(lease(failing(unnamed)), { code: "ARGUMENT", message, argument: undefined });
});

const UNREACHABLE = [
  Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }),
  new AggregateError([], ""),
  new Error("Connection is closed."),
  new Error("Reached the max retries per request limit (which is 20). Refer to \"maxRetriesPerRequest\" option for details."),
  new Error("Command timed out"),
  new Error("Socket closed unexpectedly"),
  new Error("The client is closed"),
  new Error("Failed to refresh slots cache."),
  new Error(""),
  "a string",
  new Error("LOADING Redis is loading the dataset in memory"),
  new Error("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."),
  new Error("READONLY You can't write against a read only replica."),
  new Error(
    "ERR Error running script (call to f_9a6c): @user_script:272: @user_script: 272: -READONLY You can't write against a read only replica.",
  ),
  new Error("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."),
  new Error("CLUSTERDOWN Hash slot not served"),
  new Error("TRYAGAIN Multiple keys request during rehashing of slot"),
  new Error("NOREPLICAS Not enough good replicas to write."),
  new Error("ERR max number of clients reached"),
];

const REFUSED = [
  new Error("WRONGTYPE Operation against a key holding the wrong kind of value"),
  new Error("NOPERM this user has no permissions to run the 'evalsha' command"),
  new Error("NOAUTH Authentication required."),
  new Error("WRONGPASS invalid username-password pair or user is disabled."),
  new Error("OOM command not allowed when used memory > 'maxmemory'."),
  new Error("ERR Error running script (call to f_9a6c): @user_script:272: @user_script: 272: -OOM command not allowed"),
  new Error("CROSSSLOT Keys in request don't hash to the same slot"),
  new Error("MOVED 3999 127.0.0.1:6381"),
  new Error("ERR unknown command 'EVALSHA'"),
  new Error("POINTSMAN_NEW word of another release"),
  new TypeError("client.evalsha is not a function"),
  new RangeError("Maximum call stack size exceeded"),
];

const TAKES_OPEN = { onUnreachable: "open" };

test("a server that is not there, or says not now, is unreachable; takes may pass open then", async () => {
  for (const cause of UNREACHABLE) {
    const evaluate = failing(cause);
    const expected = { code: "UNREACHABLE", cause };
    await assert.rejects(take(evaluate), expected, String(cause));
    await assert.rejects(lease(evaluate), expected);
    const taken = await limits(evaluate, TAKES_OPEN).take({ requests: 1 });
    assert.equal(taken.kind, "open");
    assert.ok(taken.error instanceof PointsmanError);
    assert.equal(taken.error.cause, cause);
    assert.equal((await limits(evaluate, TAKES_OPEN).takeWhenFree({ requests: 1 })).kind, "open");
    await assert.rejects(limits(evaluate, TAKES_OPEN).cancel("t"), { code: "UNREACHABLE" });
    await assert.rejects(limits(evaluate, TAKES_OPEN).settle("t", { requests: 0 }), { code: "UNREACHABLE" });
  }
});

test("any other error closes, also where takes may pass open", async () => {
  for (const cause of REFUSED) {
    const open = limits(failing(cause), TAKES_OPEN);
    await assert.rejects(open.take({ requests: 1 }), { name: "PointsmanError", code: "REPLY", cause }, String(cause));
  }
  for (const word of ["ARG", "KEYS", "TYPE", "KIND", "FORMAT", "DEADLINE", "DATA"]) {
    const open = limits(failing(new Error(`POINTSMAN_${word} text`)), TAKES_OPEN);
    await assert.rejects(open.take({ requests: 1 }), { code: word === "ARG" ? "ARGUMENT" : word });
  }
  const throwing = () => {
    throw new TypeError("client is undefined");
  };
  await assert.rejects(limits(throwing, TAKES_OPEN).take({ requests: 1 }), { code: "REPLY" });
});

test("an unknown script is sent once as text, with the same keys and arguments, and nothing else again", async () => {
  const sent = [];
  const noscript = new Error("NOSCRIPT No matching script. Please use EVAL.");
  const evaluate = async (command, scriptOrSha1, keys, args) => {
    sent.push([command, scriptOrSha1, keys, args]);
    if (command === "EVALSHA") throw noscript;
    return ["empty", 1, NOW, 0];
  };
  assert.deepEqual(await lease(evaluate), { kind: "empty" });
  const [[first, sha1, ...how], [second, source, ...again]] = sent;
  assert.deepEqual([first, second, sent.length], ["EVALSHA", "EVAL", 2]);
  assert.match(sha1, /^[0-9a-f]{40}$/);
  assert.match(source, /^-- lease: /);
  assert.deepEqual(how, again);
  sent.length = 0;
  const failingOnce = async (command) => {
    sent.push(command);
    throw new Error("ERR Error running script: NOSCRIPT");
  };
  await assert.rejects(lease(failingOnce), { code: "REPLY" });
  assert.deepEqual(sent, ["EVALSHA"]);
  for (const error of [noscript, new Error("ERR")]) {
    sent.length = 0;
    const failingTwice = async (command) => {
      sent.push(command);
      throw command === "EVALSHA" ? noscript : error;
    };
    await assert.rejects(lease(failingTwice), { code: "REPLY", cause: error });
    assert.deepEqual(sent, ["EVALSHA", "EVAL"]);
  }
});

test("a call's deadline is its time from now on by the server's clock, as far as that is known", async () => {
  const deadlines = [];
  let serverMs = NOW;
  let refused;
  const evaluate = async (_command, _sha1, _keys, [now, deadline]) => {
    deadlines.push(Number(deadline));
    if (refused !== undefined) throw refused;
    return ["empty", 1, now === "0" ? serverMs : Number(now), 0];
  };
  const leases = new RedisLeases(evaluate, "k", { timeoutMs: 5_000 });
  const acquire = (now) => leases.acquire({ candidates: [] }, { now });
  const near = (ms) => {
    const deadline = deadlines.pop();
    assert.ok(deadline >= ms + 5_000 && deadline < ms + 6_000, `${deadline - ms} ms after`);
  };
  await acquire();
  assert.deepEqual(deadlines, [0]);
  await acquire(4);
  assert.equal(deadlines.pop(), 0);
  await acquire();
  near(NOW);
  await leases.renew("l").catch(() => {});
  near(NOW);
  await leases.release("l").catch(() => {});
  assert.equal(deadlines.pop(), 0);
  // The server's clock was set, an hour back: learnt from the next answer.
  serverMs = NOW - 3_600_000;
  await acquire();
  near(NOW);
  await acquire();
  near(serverMs);
  // An hour forth: refused once, then learnt anew.
  serverMs = NOW;
  refused = new Error("POINTSMAN_DEADLINE the call runs 3595000 ms after its deadline");
  await assert.rejects(acquire(), { code: "DEADLINE" });
  near(NOW - 3_600_000);
  refused = undefined;
  await acquire();
  assert.equal(deadlines.pop(), 0);
  await acquire();
  near(NOW);
  const withoutTime = new RedisLeases(evaluate, "k");
  for (const expected of [0, 0]) {
    await withoutTime.acquire({ candidates: [] });
    assert.equal(deadlines.pop(), expected);
  }
});
