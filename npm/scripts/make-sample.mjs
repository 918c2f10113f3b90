// Makes npm/examples/sample-trace.jsonl: invented traffic in the shape of the Mooncake traces.
//
// Four applications, each with a system prompt of its own: three of conversations that grow turn
// by turn (now and then an answer is asked for again, from an earlier turn), and one that asks
// single questions about a few long documents. The rate rises and falls, with one burst. Only
// whole numbers and divisions decide, so that every machine writes the same bytes.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SEED = 20240501;
const BLOCK = 512;
const LENGTH_MS = 600_000;
// Conversations begin before the trace does, so that it begins in full swing.
const BEFORE_MS = 300_000;
const APPLICATIONS = [
  { weight: 8, systemTokens: 700, turns: 5, inputTokens: 400, outputTokens: 260 },
  { weight: 5, systemTokens: 950, turns: 4, inputTokens: 1_500, outputTokens: 320 },
  { weight: 1, systemTokens: 2_100, turns: 8, inputTokens: 900, outputTokens: 380 },
  { weight: 8, systemTokens: 600, turns: 1, inputTokens: 300, outputTokens: 180, documents: 60, documentTokens: 6_000 },
];

/** Where the trace lies. */
export const SAMPLE = fileURLToPath(new URL("../examples/sample-trace.jsonl", import.meta.url));

/** The whole file. */
export function sampleTrace() {
  const random = generator(SEED);
  const below = (count) => Math.floor(random() * count);
  // Skewed to the left, between a tenth and three times the mean.
  const around = (mean) => Math.floor(mean * (0.1 + 2.9 * random() * random()));
  const ids = { next: 0 };
  const prompts = APPLICATIONS.map((application) => begun(application, below, around, ids));
  const requests = [];
  for (let nowMs = -BEFORE_MS; nowMs < LENGTH_MS; nowMs += gapMs(nowMs, below)) {
    const prompt = prompts[chosen(below)];
    requests.push(...conversation(nowMs, prompt(), below, around, ids, random));
  }
  const kept = requests.filter(({ timestamp }) => timestamp >= 0 && timestamp < LENGTH_MS);
  kept.sort((a, b) => a.timestamp - b.timestamp);
  return kept.map((request) => `${JSON.stringify(request)}\n`).join("");
}

/** mulberry32: numbers from 0 up to 1, exact in every engine. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word = (word + Math.imul(word ^ (word >>> 7), word | 61)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** From one new conversation to the next: a slow rise and fall, and a burst of half a minute. */
function gapMs(nowMs, below) {
  const fromMiddle = Math.abs(2 * nowMs - LENGTH_MS) / LENGTH_MS;
  const burst = nowMs >= 420_000 && nowMs < 450_000;
  return 1 + below(burst ? 600 : 1_200 + Math.floor(600 * fromMiddle));
}

function chosen(below) {
  let left = below(APPLICATIONS.reduce((sum, { weight }) => sum + weight, 0));
  return APPLICATIONS.findIndex(({ weight }) => (left -= weight) < 0);
}

/** How a conversation of an application begins: its system prompt, and maybe a document. */
function begun(application, below, around, ids) {
  const system = grown({ tokens: 0, full: [] }, application.systemTokens, ids);
  const documents = Array.from({ length: application.documents ?? 0 }, () =>
    grown(system, around(application.documentTokens), ids),
  );
  return () => ({ application, prefix: documents[below(documents.length)] ?? system });
}

/** A prompt with more tokens behind it. A block keeps its id from when it is full. */
function grown({ tokens, full }, more, ids) {
  const blocks = Math.floor((tokens + more) / BLOCK);
  const added = Array.from({ length: blocks - full.length }, () => ids.next++);
  return { tokens: tokens + more, full: [...full, ...added] };
}

function conversation(startMs, { application, prefix }, below, around, ids, random) {
  const turns = application.turns === 1 ? 1 : 1 + below(2 * application.turns - 1);
  const requests = [];
  let before = prefix;
  let nowMs = startMs;
  for (let turn = 0; turn < turns; turn += 1) {
    const prompt = grown(before, 1 + around(application.inputTokens), ids);
    const output = 1 + around(application.outputTokens);
    const tail = prompt.tokens % BLOCK === 0 ? [] : [ids.next++];
    requests.push({
      timestamp: nowMs,
      input_length: prompt.tokens,
      output_length: output,
      hash_ids: [...prompt.full, ...tail],
    });
    nowMs += 1_000 + 20 * output + 5_000 + below(50_000);
    const askedAgain = random() < 0.1;
    if (!askedAgain) before = grown(prompt, output, ids);
  }
  return requests;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(SAMPLE, sampleTrace());
