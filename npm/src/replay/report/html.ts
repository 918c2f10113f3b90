import { basename } from "node:path";
import type { Figures } from "../figures.js";
import type { Replay } from "../replay.js";
import { bars } from "./bars.js";
import { highestLoad, loadOverTime, sharesSent } from "./load.js";
import { escaped } from "./markup.js";
import { percent } from "./numbers.js";
import { scatter } from "./scatter.js";
import { STYLE } from "./style.js";
import { COLUMNS, heading, notes } from "./table.js";
import { WHAT_IT_DOES, WHICH_SUITS } from "./words.js";

/** The report as one HTML file that loads nothing. */
export function htmlReport(replay: Replay): string {
  const file = escaped(basename(replay.options.file));
  const parts = [inShort, table, tradeOff, figureBars, cards, suits, model].map((part) => part(replay));
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>pointsman replay: ${file}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>What each policy would have done<small>with ${file}</small></h1>
<p class="dim">${escaped(heading(replay))}. ${notes(replay).map((note) => `${escaped(sentence(note))} `).join("")}</p>
${parts.join("\n")}
</body>
</html>
`;
  return page.replaceAll(/(\d) %/g, "$1\u00a0%");
}

function sentence(note: string): string {
  return `${note.slice(0, 1).toUpperCase()}${note.slice(1)}.`;
}

/** Input costs so near to each other are taken as equal. */
const SAME_COST = 0.005;

function inShort({ figures, achievable }: Replay): string {
  const evenest = mostEven(figures);
  const even = `<b>${evenest.policy}</b> spreads the load most evenly: its busiest upstream has ${evenest.balance.toFixed(2)} times the mean in flight.`;
  if (achievable === 0) return `<p>${even}</p>`;
  const least = Math.min(...figures.map((one) => one.inputCost));
  const cheapest = mostEven(figures.filter((one) => one.inputCost <= least + SAME_COST));
  return `<p><b>${cheapest.policy}</b> makes the input cheapest: ${percent(cheapest.hitRate)} of its tokens come from a cache (${percent(cheapest.shareOfAchievable)} of what is possible), with its busiest upstream at ${cheapest.balance.toFixed(2)} times the mean. ${even}</p>`;
}

function mostEven(figures: readonly Figures[]): Figures {
  return figures.reduce((best, one) => (one.balance < best.balance ? one : best));
}

function table({ figures }: Replay): string {
  const head = COLUMNS.map(({ title }) => `<th scope="col">${title}</th>`).join("");
  const rows = figures.map((one) => `<tr>${COLUMNS.map(({ cell }) => `<td>${cell(one)}</td>`).join("")}</tr>`);
  return `<h2>The figures</h2>
<table><thead><tr>${head}</tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table>
<ul class="dim">
<li><b>hit rate</b>: input tokens that an upstream had in its cache, of all input tokens. <b>of achievable</b>: beside one cache that sees every request.</li>
<li><b>balance</b>: requests in flight at the busiest upstream, beside the mean. 1 is even, and lower is better.</li>
<li><b>over limit</b>: requests sent to an upstream that already had its requests of that minute.</li>
<li><b>input cost</b>: a cached token costs 0.1 and any other 1.25; without any cache the cost is 1.</li>
</ul>`;
}

function tradeOff({ figures, achievable }: Replay): string {
  if (achievable === 0) return "";
  return `<h2>Hits against evenness</h2>
<figure class="alone"><figcaption>Up: more of the achievable hits. Left: more even. The best place is at the upper left.</figcaption>
${scatter(figures)}</figure>`;
}

function figureBars({ figures, achievable }: Replay): string {
  if (achievable === 0) {
    const rows = figures.map((one) => ({ name: one.policy, value: one.balance, words: one.balance.toFixed(2) }));
    const drawing = bars("Balance of each policy", rows, { value: 1, words: "even" });
    return `<h2>Evenness</h2>\n<figure class="alone"><figcaption>Balance: shorter is better.</figcaption>${drawing}</figure>`;
  }
  const hits = figures.map((one) => ({ name: one.policy, value: one.hitRate, words: percent(one.hitRate) }));
  const costs = figures.map((one) => ({ name: one.policy, value: one.inputCost, words: one.inputCost.toFixed(3) }));
  return `<h2>Hit rate and input cost</h2>
<div class="pair">
<figure><figcaption>Hit rate: longer is better.</figcaption>
${bars("Hit rate of each policy", hits, { value: achievable, words: `achievable: ${percent(achievable)}` })}</figure>
<figure><figcaption>Input cost: shorter is better.</figcaption>
${bars("Input cost of each policy", costs, { value: 1, words: "without a cache: 1" })}</figure>
</div>`;
}

function cards({ figures, options }: Replay): string {
  const highest = highestLoad(figures);
  const card = (one: Figures): string => `<section class="card"><div><h3>${one.policy}</h3>
<p>${WHAT_IT_DOES[one.policy]}</p></div>
<div>${loadOverTime(one, highest)}
${sharesSent(one, options.weights)}</div></section>`;
  return `<h2>Policy by policy</h2>
<p class="dim">Requests in flight over time: <span class="key one">busiest upstream</span> and <span class="key two">mean of all</span>, on the same scale for every policy; below, the share of all requests that each upstream got, with a dashed line at its fair share.</p>
<div class="cards">
${figures.map(card).join("\n")}
</div>`;
}

function suits(): string {
  return `<h2>Which policy suits</h2>\n<ul>\n${WHICH_SUITS.map((one) => `<li>${one}</li>`).join("\n")}\n</ul>`;
}

function model({ options }: Replay): string {
  return `<h2>How it was simulated</h2>
<p class="dim">Each upstream caches the prompts that it gets, without a limit of size, for ${options.cacheTtlMs / 1_000} s after their last use. Prompts and hits below 1,024 tokens do not count. A request lasts 0.5 s, 1 s for every 10,000 tokens that were not cached, and 20 ms for each token of the answer. In flight is looked at with every 20th request. A table forgets after ${options.memoryTtlMs / 1_000} s. A session is the log's key; without one, a prompt joins the session of the latest prompt whose beginning it continues, by a block that at most 20 % of all requests have. Every decision was made by the pointsman library itself.</p>`;
}
