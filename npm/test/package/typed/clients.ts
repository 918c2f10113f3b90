import { Cluster, Redis } from "ioredis";
import { type Evaluate, fromIoredis, fromNodeRedis } from "pointsman/redis";
import { createClient, createClientPool, createCluster, createSentinel } from "redis";

const overIoredis: Evaluate[] = [fromIoredis(new Redis()), fromIoredis(new Cluster([]))];
const overNodeRedis: Evaluate[] = [
  fromNodeRedis(createClient()),
  fromNodeRedis(createClient({ RESP: 2 })),
  fromNodeRedis(createClientPool()),
  fromNodeRedis(createCluster({ rootNodes: [] })),
  fromNodeRedis(createSentinel({ name: "primary", sentinelRootNodes: [] })),
];

// @ts-expect-error A client of another kind has other methods.
fromIoredis(createClient());
// @ts-expect-error The other way round, too.
fromNodeRedis(new Redis());

export { overIoredis, overNodeRedis };
