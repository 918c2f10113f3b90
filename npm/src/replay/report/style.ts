/** The style of the report: light or dark as the reader's system is, and narrow or wide. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1d2733; --dim: #5b6774; --paper: #fbfbf9; --card: #ffffff;
  --rule: #dde1e5; --main: #2468b4; --second: #c2571a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --dim: #9aa6b2; --paper: #14181d;
  --card: #1c2229; --rule: #343d47; --main: #6aaaf0; --second: #f0995a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1080px; padding: 20px 16px 48px; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h1 small { display: block; font-size: 1.05rem; font-weight: 400; }
h2 { font-size: 1.15rem; margin: 36px 0 6px; }
h3 { font: 600 0.95rem ui-monospace, monospace; margin: 0 0 4px; }
p, ul { margin: 6px 0 12px; max-width: 46rem; }
ul { padding-left: 1.2rem; }
li { margin: 4px 0; }
.dim, figcaption, .card p { color: var(--dim); font-size: 0.9rem; }
.pair, .cards { display: grid; gap: 16px; grid-template-columns: 1fr; }
.card, figure { margin: 0; min-width: 0; padding: 12px; background: var(--card);
  border: 1px solid var(--rule); border-radius: 8px; }
.card { display: grid; align-content: space-between; }
@media (min-width: 720px) { .pair { grid-template-columns: 1fr 1fr; }
  .cards { grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); }
  .alone { max-width: 640px; } }
figcaption { margin-bottom: 8px; }
svg { display: block; width: 100%; height: auto; font: 11px system-ui, sans-serif; }
svg text { fill: var(--ink); }
svg .name { font-family: ui-monospace, monospace; font-size: 11px; }
svg .tick, svg .axis { fill: var(--dim); }
svg .tick { font-size: 10px; }
.grid { stroke: var(--rule); } .leader { stroke: var(--dim); stroke-width: 0.7; }
.mark { stroke: var(--second); stroke-width: 1.5; stroke-dasharray: 4 3; }
.dot, .bar { fill: var(--main); }
.busiest, .mean { fill: none; stroke: var(--second); stroke-width: 1.2; }
.mean { stroke: var(--main); stroke-width: 1.8; }
.key { font-weight: 600; } .key.one { color: var(--second); } .key.two { color: var(--main); }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 10px; border-bottom: 1px solid var(--rule); text-align: right; }
th { color: var(--dim); font-weight: 500; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
td { white-space: nowrap; }
td:first-child { font-family: ui-monospace, monospace; font-size: 0.85rem; }
@media (max-width: 480px) { table { width: 100%; } td { border: 0; padding: 0 4px 8px; }
  tr { display: grid; grid-template-columns: repeat(5, 1fr); border-bottom: 1px solid var(--rule); }
  th { align-self: end; border: 0; padding: 4px; font-size: 0.75rem; line-height: 1.2; }
  th:first-child, td:first-child { grid-column: 1 / -1; padding: 6px 0 2px; }
  td:first-child { font-weight: 600; } }
`;
