// What `pointsman/redis` must send and answer, wherever it runs; here a script's answer is a constant.

/** Calls the package, and returns what it sent and answered as plain values. */
export async function answersOf(redis) {
  const sent = [];
  const evaluate = async (command, scriptOrSha1, keys, args) => {
    sent.push([command, scriptOrSha1.length, keys, args]);
    return ["leased", 1, 1_000, 0, ":a", 7, 61_000, 0];
  };
  const leases = new redis.RedisLeases(evaluate, "key", { draw: 0 });
  const candidates = [{ upstream: "a", maxInFlight: 1 }];
  const leased = await leases.acquire({ candidates, leaseId: "l" }, { now: 1_000 });
  const refused = await leases.renew("l").catch((error) => [error instanceof redis.PointsmanError, error.code]);
  return { exports: Object.keys(redis).sort(), sent, leased, refused };
}
