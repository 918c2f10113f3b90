// Figures of small traces that were calculated by hand.
import assert from "node:assert/strict";
import test from "node:test";
import { pointsman, rows, source } from "./replay-run.mjs";

const request = (timestamp, input_length, output_length, hash_ids) => ({ timestamp, input_length, output_length, hash_ids });

// Round robin over two upstreams: even places go to the first, odd ones to the second.
const EIGHT = [
  request(0, 1_536, 100, [1, 2, 3]), //         first: nothing cached
  request(1_000, 1_536, 100, [1, 2, 3]), //     second: nothing cached; a shared cache has all 1,536
  request(2_000, 2_048, 100, [1, 2, 3, 4]), //  first: 1,536; shared: 1,536
  request(3_000, 1_023, 100, [1, 5]), //        below 1,024: neither hit nor cached
  request(302_000, 2_048, 100, [1, 2, 3, 4]), // first, 300 s after its last use: 2,048; shared: 2,048
  request(302_001, 1_536, 0, [1, 2, 9]), //     second, after 301 s: nothing; shared: 1,024
  request(302_002, 1_024, 100, [1, 8]), //      first: one block, 512, does not count
  request(302_655, 1_300, 100, [1, 2, 10]), //  second: 1,024; shared: 1,024
];
// 12,051 tokens; hits 1,536 + 2,048 + 1,024 = 4,608; a shared cache 7,168.
// Cost: (1.25 · 7,443 + 0.1 · 4,608) / 12,051.
// The limit is 1 a minute (1.2 · 8 / 5.04 min / 2 is less): the 3rd, 4th, 7th and 8th are over it.
// In flight at the last one: the 5th (until 304,500) and the 7th at the first, the 8th at the
// second; the 6th ended at 302,654.6. So 2 / 1.5.

test("eight requests in turn over two upstreams give the figures calculated by hand", () => {
  assert.deepEqual(rows(EIGHT, "--upstreams", "2", "--policies", "round_robin"), {
    round_robin: {
      hit_rate: 0.382375,
      share_of_achievable: 0.642857,
      balance: 1.333333,
      requests_over_limit: 0.5,
      input_cost: 0.810269,
    },
  });
});

test("with one upstream every policy achieves what can be achieved", () => {
  const all = rows(EIGHT, "--upstreams", "1");
  assert.equal(Object.keys(all).length, 9);
  // 7,168 / 12,051, and (1.25 · 4,883 + 0.1 · 7,168) / 12,051; the limit is 1 a minute.
  const expected = { hit_rate: 0.594805, share_of_achievable: 1, balance: 1, requests_over_limit: 0.75, input_cost: 0.565974 };
  for (const [policy, row] of Object.entries(all)) assert.deepEqual({ policy, ...row }, { policy, ...expected });
});

test("a block is missed one millisecond after its time", () => {
  const pair = (gapMs) => [request(0, 1_024, 0, [1, 2]), request(gapMs, 1_024, 0, [1, 2])];
  const hit = (gapMs, ...args) => rows(pair(gapMs), "--upstreams", "1", "--policies", "random", ...args).random.hit_rate;
  assert.equal(hit(300_000), 0.5);
  assert.equal(hit(300_001), 0);
  assert.equal(hit(7_000, "--cache-ttl", "7"), 0.5);
  assert.equal(hit(7_001, "--cache-ttl", "7"), 0);
});

test("a prompt of 1,024 tokens is cached and hit, one of 1,023 is not", () => {
  const hit = (tokens) => rows([request(0, tokens, 0, [1, 2]), request(1, tokens, 0, [1, 2])], "--upstreams", "1").random.hit_rate;
  assert.equal(hit(1_024), 0.5);
  assert.equal(hit(1_023), 0);
  // Nor does the short one help a longer one that begins with the same blocks.
  const longer = (tokens) => rows([request(0, tokens, 0, [1, 2]), request(1, 1_536, 0, [1, 2, 3])], "--upstreams", "1").random.hit_rate;
  assert.equal(longer(1_024), 0.4);
  assert.equal(longer(1_023), 0);
});

test("the load is looked at with the 20th request and not with the last of a longer log", () => {
  const twenty = Array.from({ length: 20 }, () => request(0, 600, 0, [1]));
  const late = request(1_000_000, 600, 0, [1]);
  // 7, 7 and 6 in flight: 7 / (20 / 3). The late one alone would be 3.
  const row = rows([...twenty, late], "--upstreams", "3", "--policies", "round_robin").round_robin;
  assert.equal(row.balance, 1.05);
});

test("weights are followed by those who know them, and balance is seen beside them", () => {
  const forty = Array.from({ length: 40 }, () => request(0, 600, 0, [1]));
  const all = rows(forty, "--weights", "3,1", "--policies", "round_robin,least_used", "--rpm", "25");
  // 30 and 10: in balance; 5 of the heavier one's 30 are over 25 a minute.
  assert.deepEqual([all.least_used.balance, all.least_used.requests_over_limit], [1, 0.125]);
  // 20 and 20: the lighter one has twice its share, and none is over.
  assert.deepEqual([all.round_robin.balance, all.round_robin.requests_over_limit], [2, 0]);
});

test("the limit that is not given follows the weights", () => {
  const forty = Array.from({ length: 40 }, () => request(0, 600, 0, [1]));
  // 1.2 · 40 a minute are 36 and 12: in turn, 20 and 20, the lighter one is over with 8.
  assert.equal(rows(forty, "--weights", "3,1", "--policies", "round_robin").round_robin.requests_over_limit, 0.2);
});

test("a request that is 60 s old no longer counts against the limit", () => {
  const pair = (gapMs) => [request(0, 600, 0, [1]), request(gapMs, 600, 0, [1])];
  const over = (gapMs) => rows(pair(gapMs), "--upstreams", "1", "--rpm", "1").random.requests_over_limit;
  assert.equal(over(59_999), 0.5);
  assert.equal(over(60_000), 0);
});

test("least in flight passes the busy upstream, round robin does not", () => {
  // The first lasts 10.56 s, the second 0.56 s; the third comes after 1 s.
  const three = [request(0, 600, 500, [1]), request(0, 600, 0, [2]), request(1_000, 600, 0, [3])];
  const all = rows(three, "--upstreams", "2", "--policies", "round_robin,least_in_flight");
  assert.equal(all.round_robin.balance, 2);
  assert.equal(all.least_in_flight.balance, 1);
});

test("a request is in flight for its start, its uncached input and its output, and not at its end", () => {
  // The first lasts 500 + 600 / 10 + 10 · 20 = 760 ms at the first upstream, where the third goes.
  const balance = (timeMs) => {
    const three = [request(0, 600, 10, [1]), request(0, 600, 500, [2]), request(timeMs, 600, 0, [3])];
    return rows(three, "--upstreams", "2", "--policies", "round_robin").round_robin.balance;
  };
  assert.equal(balance(759), 1.333333);
  assert.equal(balance(760), 1);
});

test("requests end in the order of their ends, whatever order they began in", async () => {
  const { InFlight } = await source("in-flight.ts");
  const inFlight = new InFlight(2);
  const ends = [70, 20, 90, 40, 10, 60, 30, 80, 50];
  ends.forEach((endMs, upstream) => inFlight.start({ endMs, upstream: upstream % 2, leaseId: `${endMs}` }));
  const ended = (nowMs) => {
    const ids = [];
    inFlight.end(nowMs, (leaseId) => ids.push(leaseId));
    return ids;
  };
  assert.deepEqual(inFlight.counts, [5, 4]);
  assert.deepEqual(ended(40), ["10", "20", "30", "40"]);
  assert.deepEqual(inFlight.counts, [3, 2]);
  assert.deepEqual(ended(1_000), ["50", "60", "70", "80", "90"]);
  assert.deepEqual(inFlight.counts, [0, 0]);
});

test("bounded rendezvous lets a session go over 1.25 of the share, rounded up, and no further", () => {
  const eight = Array.from({ length: 8 }, () => ({ time: 0, key: "one session" }));
  // Bounds 1, 2, 2, 3, 4, 4, 5, 5: the 3rd, 6th and 8th go on to the second choice. 5 and 3.
  const all = rows(eight, "--upstreams", "2", "--policies", "rendezvous,rendezvous_bounded");
  assert.equal(all.rendezvous_bounded.balance, 1.25);
  assert.equal(all.rendezvous.balance, 2);
});

test("a table follows the last block, a log-spaced table a branch as well", () => {
  // The first has ended before the second comes, which would go to the least used: the other.
  const branch = [request(0, 2_048, 0, [1, 2, 3, 4]), request(5_000, 2_048, 0, [1, 2, 3, 5])];
  const branched = rows(branch, "--upstreams", "2", "--policies", "table_last,table_log");
  assert.deepEqual([branched.table_last.hit_rate, branched.table_log.hit_rate], [0, 0.375]);
  const more = [request(0, 2_048, 0, [1, 2, 3, 4]), request(5_000, 2_560, 0, [1, 2, 3, 4, 5])];
  const followed = rows(more, "--upstreams", "2", "--policies", "table_last,table_log");
  assert.deepEqual([followed.table_last.hit_rate, followed.table_log.hit_rate], [0.444444, 0.444444]);
});

test("a table forgets after its time, and never follows a single block", () => {
  const pair = [request(0, 1_024, 0, [1, 2]), request(5_000, 1_024, 0, [1, 2])];
  const share = (lines, ...args) => rows(lines, "--upstreams", "2", ...args, "--policies", "table_last").table_last.share_of_achievable;
  assert.equal(share(pair), 1);
  assert.equal(share(pair, "--ttl", "6"), 1);
  assert.equal(share(pair, "--ttl", "5"), 0);
  const single = [request(0, 1_024, 0, [1]), request(5_000, 1_024, 0, [1])];
  assert.equal(share(single, "--block-tokens", "1024"), 0);
});

test("a partial tail is no link", () => {
  const share = (lines, ...args) =>
    rows(lines, "--upstreams", "2", "--policies", "table_last", ...args).table_last.share_of_achievable;
  // What is remembered is the second block: the tail is another one when the prompt has grown.
  assert.equal(share([request(0, 1_124, 0, [1, 2, 3]), request(5_000, 1_600, 0, [1, 2, 4, 5])]), 1);
  // One full block and a tail are too few, even if the tail's id comes again.
  const tails = [request(0, 1_100, 0, [1, 2]), request(5_000, 1_800, 0, [1, 2, 3])];
  assert.equal(share(tails, "--block-tokens", "600"), 0);
});

test("the same seed gives the same, and several seeds their mean", () => {
  const lines = Array.from({ length: 60 }, (_, at) => request(at * 500, 1_024, 200, [at % 20, 100 + (at % 20)]));
  const figures = (seed) => rows(lines, "--upstreams", "3", "--policies", "random", "--seed", seed).random;
  const [one, two, three, mean] = ["1", "2", "3", "1-3"].map(figures);
  assert.deepEqual(figures("1"), one);
  assert.notDeepEqual(one, two);
  assert.ok(Math.abs(mean.hit_rate - (one.hit_rate + two.hit_rate + three.hit_rate) / 3) < 2e-6);
  assert.ok(Math.abs(mean.balance - (one.balance + two.balance + three.balance) / 3) < 2e-6);
});

test("more than 1,000 in flight at an upstream are refused by name where leases count them", () => {
  const lines = Array.from({ length: 1_001 }, () => ({ time: 0, key: "k" }));
  assert.throws(() => rows(lines, "--upstreams", "1", "--policies", "least_in_flight"), /more than 1000 requests are in flight/);
  assert.equal(rows(lines, "--upstreams", "1", "--policies", "round_robin").round_robin.balance, 1);
});

test("sessions follow the latest request with the last known block that is not common", async () => {
  const { sessionsOf } = await source("sessions.ts");
  const of = (blocks, fullBlocks = blocks.length, key = undefined) => ({ blocks: Int32Array.from(blocks), fullBlocks, key });
  // Of ten requests, a block may be in two; 6 is in three and says nothing.
  const ten = [of([1]), of([1, 2]), of([3, 4]), of([3, 5]), of([6, 7]), of([6, 8]), of([6, 7]), of([9, 10], 2, "k"), of([9, 11]), of([13, 4], 1)];
  const expected = ["session 1", "session 1", "session 2", "session 2", "session 3", "session 4", "session 3", "k", "k", "session 5"];
  assert.deepEqual(sessionsOf(ten), expected);
  // Of fifteen, a block may be in three: the third joins the latest of the two before.
  const fillers = Array.from({ length: 12 }, () => of([]));
  const latest = [of([1]), of([1, 2], 2, "x"), of([1, 3]), ...fillers];
  assert.deepEqual(sessionsOf(latest).slice(0, 4), ["session 1", "x", "x", "session 2"]);
  // Its last block counts before its first.
  const last = [of([1], 1, "x"), of([2], 1, "y"), of([1, 2]), ...fillers];
  assert.deepEqual(sessionsOf(last).slice(0, 3), ["x", "y", "y"]);
});

test("the table says what the rows say", () => {
  const lines = EIGHT.map((line) => `${JSON.stringify(line)}\n`).join("");
  const ran = pointsman(["replay", "-", "--upstreams", "2", "--policies", "round_robin"], lines);
  assert.deepEqual(ran, {
    status: 0,
    stderr: "",
    stdout: `8 requests in 5.0 min, 2 upstreams; achievable hit rate 59.5 %

policy       hit rate  of achievable  balance  over limit  input cost
-----------  --------  -------------  -------  ----------  ----------
round_robin    38.2 %         64.3 %     1.33      50.0 %       0.810

limit: 1 requests a minute an upstream (1.2 times the mean)
`,
  });
});
