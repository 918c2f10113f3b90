// What `pointsman replay` writes: JSON, HTML, help; and the sample trace.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { SAMPLE, sampleTrace } from "../scripts/make-sample.mjs";
import { folder, logOf, pointsman, source } from "./replay-run.mjs";

const POLICIES = ["random", "round_robin", "least_used", "least_in_flight", "two_choices", "rendezvous", "rendezvous_bounded", "table_last", "table_log"];
const FIELDS = ["policy", "hit_rate", "share_of_achievable", "balance", "requests_over_limit", "input_cost"];

test("the sample trace is what its generator writes, byte by byte, and small", () => {
  assert.equal(readFileSync(SAMPLE, "utf8"), sampleTrace());
  assert.ok(statSync(SAMPLE).size < 400_000);
});

test("JSON is an array with one object a policy, in the order of the table", () => {
  const { stdout, stderr, status } = pointsman(["replay", SAMPLE, "--json"]);
  assert.equal(status, 0);
  assert.equal(stderr, "limit: 41 requests a minute an upstream (1.2 times the mean)\n");
  const found = JSON.parse(stdout);
  assert.deepEqual(found.map((row) => row.policy), POLICIES);
  for (const row of found) assert.deepEqual(Object.keys(row), FIELDS);
  const figures = Object.fromEntries(found.map((row) => [row.policy, row]));
  const share = (policy) => figures[policy].share_of_achievable;
  assert.ok(share("rendezvous") > 0.99 && share("table_log") > 0.99);
  assert.ok(share("random") < 0.4 && share("least_in_flight") < 0.4);
  const balances = found.map((row) => row.balance);
  assert.equal(figures.least_in_flight.balance, Math.min(...balances));
});

test("policies that were asked for come alone, once, and give what they give among all", () => {
  const rows = (...args) => JSON.parse(pointsman(["replay", SAMPLE, "--json", ...args]).stdout);
  const all = rows();
  const some = rows("--policies", "table_log,random,table_log");
  assert.deepEqual(some, all.filter(({ policy }) => policy === "random" || policy === "table_log"));
});

function report(name, ...args) {
  const file = join(folder, name);
  const { status, stderr } = pointsman(["replay", ...args, "--html", file]);
  assert.equal(status, 0, stderr);
  return readFileSync(file, "utf8");
}

test("the HTML report loads nothing, and has every policy and every plot", () => {
  const html = report("report.html", SAMPLE);
  assert.match(html, /^<!doctype html>/);
  assert.doesNotMatch(html, /https?:|<script|<link|<img|<iframe|\ssrc=|\shref=|url\(|@import/i);
  assert.doesNotMatch(html, /NaN|undefined|Infinity|\[object/);
  for (const policy of POLICIES) assert.ok(html.includes(`<h3>${policy}</h3>`) && html.includes(`<td>${policy}</td>`));
  // One scatter, two sets of bars, and two drawings a policy.
  assert.equal(html.match(/<svg /g).length, 3 + 2 * POLICIES.length);
  assert.equal(html.match(/<svg /g).length, html.match(/<\/svg>/g).length);
});

test("the HTML report has no plot of hits where none are possible", () => {
  const lines = ["TIMESTAMP,ContextTokens,GeneratedTokens", "2023-11-16 18:17:03.9799600,4808,10"];
  const html = report("azure.html", logOf("azure.csv", lines), "--upstreams", "1");
  assert.doesNotMatch(html, /NaN|undefined|Infinity/);
  assert.equal(html.match(/<svg /g).length, 1 + 2 * POLICIES.length);
});

test("the name of the log cannot break out of the report", () => {
  const html = report("named.html", logOf("<b>&.jsonl", [{ time: 0, key: "k" }]));
  assert.ok(html.includes("with &#60;b&#62;&#38;.jsonl"));
});

test("a report that cannot be written is said, and nothing is printed", () => {
  const file = join(folder, "none", "report.html");
  const { status, stdout, stderr } = pointsman(["replay", SAMPLE, "--policies", "random", "--html", file]);
  assert.deepEqual([status, stdout], [1, ""]);
  assert.ok(stderr.startsWith(`pointsman: cannot write ${file}: ENOENT`), stderr);
});

test("labels keep off each other and off the points, even where all points are in one place", async () => {
  const { placeLabels } = await source("report/labels.ts");
  const frame = { left: 40, top: 14, right: 372, bottom: 290 };
  const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  for (const [dx, dy] of [[0, 0], [20, 0], [0, 15], [30, 20]]) {
    const placed = placeLabels(POLICIES.map((words, at) => ({ x: 80 + at * dx, y: 60 + at * dy, words })), frame);
    placed.forEach(({ box }, at) => {
      assert.ok(box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom);
      placed.forEach((other, index) => {
        if (index !== at) assert.ok(!overlap(box, other.box));
        assert.ok(!overlap(box, { left: other.x - 4, right: other.x + 4, top: other.y - 4, bottom: other.y + 4 }));
      });
    });
  }
});

test("help names every option and policy; the version is the package's", () => {
  const { stdout, status } = pointsman(["replay", "--help"]);
  assert.equal(status, 0);
  const options = ["upstreams", "weights", "policies", "seed", "ttl", "cache-ttl", "rpm", "block-tokens", "lenient", "json", "html"];
  for (const option of options) assert.ok(stdout.includes(`--${option}`), option);
  for (const policy of POLICIES) assert.ok(stdout.includes(policy), policy);
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.deepEqual(pointsman(["--version"]), { stdout: `${version}\n`, stderr: "", status: 0 });
});
