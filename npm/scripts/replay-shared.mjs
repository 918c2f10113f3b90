// Replays the public traces in a folder, and compares with what an independent simulator found.
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const TOOL = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

/** Share of achievable in per cent, and balance; means over seeds, eight upstreams. */
const CONVERSATION = {
  random: [18, 1.82],
  round_robin: [19, 1.45],
  least_used: [19, 1.45],
  least_in_flight: [17, 1.22],
  two_choices: [19, 1.41],
  rendezvous: [100, 1.8],
  rendezvous_bounded: [71, 1.41],
  table_last: [93, 1.34],
  table_log: [100, 1.35],
};
const POINTS = 1.5;
const BALANCE = 0.05;

const folder = resolve(process.argv[2]);
function replay(file, ...options) {
  const args = [TOOL, "replay", join(folder, file), "--json", ...options];
  return JSON.parse(execFileSync(process.execPath, args, { stdio: "pipe" }));
}

function check(holds, what) {
  console.log(`${holds ? "ok    " : "not ok"} ${what}`);
  if (!holds) process.exitCode = 1;
}

const found = new Map(replay("mooncake_conversation.jsonl", "--seed", "1-5").map((row) => [row.policy, row]));
for (const [policy, [share, balance]] of Object.entries(CONVERSATION)) {
  const row = found.get(policy);
  const points = 100 * row.share_of_achievable;
  const close = Math.abs(points - share) <= POINTS && Math.abs(row.balance - balance) <= BALANCE;
  check(close, `${policy}: ${points.toFixed(1)} % of achievable (${share}), balance ${row.balance.toFixed(2)} (${balance})`);
}
for (const trace of ["AzureLLMInferenceTrace_code.csv", "AzureLLMInferenceTrace_conv.csv"]) {
  const rows = replay(trace);
  const even = rows.find(({ policy }) => policy === "least_in_flight").balance;
  const chance = rows.find(({ policy }) => policy === "random").balance;
  check(rows.length === found.size && even < chance, `${trace}: balance ${even.toFixed(2)}, by chance ${chance.toFixed(2)}`);
}
