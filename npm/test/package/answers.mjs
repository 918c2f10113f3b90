// What any build of the package must answer, wherever it runs: a call of each kind, with every time
// and draw given.

const ACCOUNTS = ["acct-1", "acct-2", "acct-3", "acct-4", "acct-5"];

/** Calls the package, and returns its answers as plain values. */
export function answersOf(core) {
  return { ...keyed(core), ...counted(core), ...limited(core), refused: refused(core) };
}

/** The order of the published vectors of format v1. */
export const SESSION_42 = [1, 2, 3, 0, 4];

function keyed(core) {
  const upstreams = new core.Upstreams(ACCOUNTS, { weights: [1, 2, 3, 4, 5], seed: 7n });
  const links = core.chain(["hello", "wörld", "", ["ab", "c"], new Uint8Array([0, 255])]);
  const table = new core.AffinityTable({ maxLinks: 10, ttlMs: 1000 });
  table.remember(links.slice(0, 3), "acct-2", 5000);
  return {
    order: core.order("session:42", ACCOUNTS),
    pick: core.pick("сесия-42 \u{1f600} \ud800", ACCOUNTS),
    weighted: Array.from({ length: 20 }, (_, number) => upstreams.pick(`session-${number}`)),
    links,
    prefixBytes: core.prefixBytes(["hello", "wörld"]),
    recalled: [table.recall(links, 5999), table.recall(links, 6000)],
  };
}

function counted(core) {
  const leastUsed = new core.LeastUsed(["a", "b", "c"], { draw: 1 });
  const shuffle = new core.Shuffle();
  return {
    leastUsed: Array.from({ length: 7 }, () => leastUsed.pick()),
    shuffled: [9, 8, 7, 6].map((draw) => shuffle.next(["a", "b", "c"], draw)),
    drawn: core.weightedRandom(["a", "b", "c"], [1, 0, 2], 4),
  };
}

function limited(core) {
  const bucket = new core.TokenBucket({ capacity: 10, refill: 7, periodMs: 1000 });
  const leases = new core.Leases({ draw: 0 });
  const request = { candidates: [{ upstream: "a", maxInFlight: 1 }], leaseId: "one", ttlMs: 1000 };
  return {
    taken: [10, 1, 11].map((cost) => bucket.take(cost, 1000).kind),
    remaining: bucket.remaining(1500),
    leased: leases.acquire(request, 1000),
    waits: leases.acquire({ ...request, leaseId: "two" }, 1500),
  };
}

function refused(core) {
  try {
    core.order("", ACCOUNTS);
  } catch (error) {
    return { class: error instanceof core.PointsmanError, code: error.code, message: error.message };
  }
  return "not refused";
}
