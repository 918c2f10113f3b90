import type { Request } from "./log.js";

/** A block that is in more than this share of all requests says nothing about the session. */
const COMMON_SHARE = 0.2;

/**
 * A session for each request: the key, where the log has one. Otherwise the full blocks are walked
 * from the end; the first that an earlier request had, and that at most 20 % of all requests have,
 * joins the session of the latest request that had it. Without such a block a session begins.
 */
export function sessionsOf(requests: readonly Request[]): string[] {
  const most = COMMON_SHARE * requests.length;
  const counts = countRequests(requests);
  const latest = new Map<number, string>();
  let begun = 0;
  return requests.map((request) => {
    const blocks = request.blocks.subarray(0, request.fullBlocks);
    const tells = (block: number): boolean => latest.has(block) && (counts.get(block) ?? 0) <= most;
    const known = [...blocks].reverse().find(tells);
    const joined = known === undefined ? undefined : latest.get(known);
    const session = request.key ?? joined ?? `session ${(begun += 1)}`;
    for (const block of blocks) latest.set(block, session);
    return session;
  });
}

/** How many requests have each full block. */
function countRequests(requests: readonly Request[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const request of requests) {
    for (const block of new Set(request.blocks.subarray(0, request.fullBlocks))) {
      counts.set(block, (counts.get(block) ?? 0) + 1);
    }
  }
  return counts;
}
