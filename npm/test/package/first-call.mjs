// One call, named in the arguments, as the first of its process; without a name, all their names.
import * as core from "pointsman";

const UPSTREAMS = ["a", "b"];
const CALLS = {
  AffinityTable: () => new core.AffinityTable().size,
  Chain: () => new core.Chain().push("entry"),
  Leases: () => new core.Leases({ draw: 0 }).inFlight("a", 0),
  LeastUsed: () => new core.LeastUsed(UPSTREAMS, { draw: 0 }).pick(),
  Limits: () => new core.Limits([{ capacity: 1, windowMs: 1 }]).remaining(0),
  NoRepeat: () => new core.NoRepeat().next(UPSTREAMS, 0, 0),
  RoundRobin: () => new core.RoundRobin().next(UPSTREAMS),
  Shuffle: () => new core.Shuffle().next(UPSTREAMS, 0),
  TokenBucket: () => new core.TokenBucket({ capacity: 1, refill: 1, periodMs: 1 }).remaining(0),
  Upstreams: () => new core.Upstreams(UPSTREAMS).order("key"),
  WindowLimit: () => new core.WindowLimit({ capacity: 1, windowMs: 1 }).remaining(0),
  chain: () => core.chain(["entry"]),
  entriesOf: () => core.entriesOf({ messages: [] }),
  logSpaced: () => core.logSpaced(9),
  order: () => core.order("key", UPSTREAMS),
  outcomeOf: () => core.outcomeOf({ status: 200 }),
  pick: () => core.pick("key", UPSTREAMS),
  prefixBytes: () => core.prefixBytes(["entry"]),
  random: () => core.random(UPSTREAMS, 0),
  remainingOf: () => core.remainingOf({ status: 200 }),
  weightedRandom: () => core.weightedRandom(UPSTREAMS, [1, 1], 0),
};

const [, , name] = process.argv;
const exported = Object.keys(core).filter((each) => each !== "PointsmanError");
if (`${exported.sort()}` !== `${Object.keys(CALLS).sort()}`) throw new Error(`exported are ${exported}`);
console.log(JSON.stringify(name === undefined ? Object.keys(CALLS) : { answer: CALLS[name]() }));
