import { readFileSync } from "node:fs";
import { Failure, USAGE, shown } from "./replay/failure.js";
import { replay } from "./replay/replay.js";

const HELP = `pointsman: which upstream gets this request, and when

  pointsman replay FILE [options]   what would each policy have done with this log of requests?
  pointsman --help | --version

FILE (- is the standard input) is recognised by its first line:
  Mooncake JSONL  {"timestamp": ms, "input_length": tokens, "output_length": tokens, "hash_ids": [...]}
  plain JSONL     {"time": ms or ISO 8601 (UTC without a zone), and one or more of
                   "key": a session, "entries": ["text", ...] or "hash_ids": [...],
                   "input_length", "output_length": tokens}
  Azure CSV       TIMESTAMP,ContextTokens,GeneratedTokens (says nothing about prefixes)
  A length that is missing: input is the text at 4 bytes a token, or 512 tokens a hash id, or 1024
  where there is only a key; output is 256. Requests that have only a key are taken to share one
  prompt as far as the shorter of them reaches. Lines may be in any order of time.

  --upstreams N        simulated upstreams, 1 to 1024 (default 8)
  --weights 2,1,1      a share for each upstream, for the policies that know weights
  --policies a,b       random, round_robin, least_used, least_in_flight, two_choices, rendezvous,
                       rendezvous_bounded, table_last, table_log (default: all)
  --seed N | A-B       the seed of all chance (default 1), or several to take the means over: 1-5
  --ttl S              how long a table remembers a link, in seconds (default 600)
  --cache-ttl S        how long an upstream caches a block after its last use (default 300)
  --rpm N              each upstream's requests a minute (default: 1.2 times the mean, by weight)
  --block-tokens N     tokens a hash id stands for (default 512)
  --lenient            leave damaged lines out and count them, instead of stopping at the first
  --json               an array with one object a policy, instead of a table
  --html FILE          also write a report with plots, one file that needs no network

Figures: hit rate = cached input tokens / input tokens; of achievable = beside one cache that sees
everything; balance = busiest upstream / mean, in flight, 1 is even; over limit = requests sent to
an upstream that was at its limit; input cost = 1.25 for a token that is not cached, 0.1 for one
that is, beside 1 without any cache.

Exit codes: 0, 1 the log cannot be used, 2 wrong usage.
`;

async function main(args: readonly string[]): Promise<void> {
  const [command, ...others] = args;
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(HELP);
  } else if (command === "--version") {
    process.stdout.write(`${version()}\n`);
  } else if (command === "replay") {
    await replay(others);
  } else {
    const message = command === undefined ? "a command is missing" : `command is ${shown(command)}`;
    throw new Failure(`${message}, but must be replay (pointsman --help says more)`, USAGE);
  }
}

function version(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return /"version": "([^"]+)"/.exec(manifest)?.[1] ?? "unknown";
}

// Whoever reads the answer may have seen enough: `pointsman replay … | head -3`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`pointsman: ${error.message}\n`);
  process.exitCode = error.exitCode;
}
