import type { Evaluate } from "./script.js";

/** What is used of a client of ioredis, iovalkey or the like. */
export interface IoredisClient {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArgs: string[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...keysAndArgs: string[]): Promise<unknown>;
}

/** What is used of a client of node-redis. */
export interface NodeRedisClient {
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/**
 * Over a `Redis` or a `Cluster` of ioredis (seen with version 6). It sends commands whose replies
 * were lost again once it is connected (`autoResendUnfulfilledCommands`), up to
 * `maxRetriesPerRequest` times: ids make that harmless. Its `keyPrefix` goes before the keys.
 */
export function fromIoredis(client: IoredisClient): Evaluate {
  return (command, scriptOrSha1, keys, args) =>
    command === "EVALSHA"
      ? client.evalsha(scriptOrSha1, keys.length, ...keys, ...args)
      : client.eval(scriptOrSha1, keys.length, ...keys, ...args);
}

/**
 * Over what `createClient`, `createClientPool`, `createCluster` or `createSentinel` of node-redis
 * makes (package `redis`, seen with version 6). Text must come as strings: a type mapping of it to
 * `Buffer` makes every answer a `REPLY` error.
 */
export function fromNodeRedis(client: NodeRedisClient): Evaluate {
  return (command, scriptOrSha1, keys, args) => {
    const options = { keys: [...keys], arguments: [...args] };
    return command === "EVALSHA" ? client.evalSha(scriptOrSha1, options) : client.eval(scriptOrSha1, options);
  };
}
