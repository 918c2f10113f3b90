/** A script of the bundle. */
export interface Script {
  /** The operation, as its file is called without `.lua`. */
  readonly name: string;
  /** The SHA-1 of `source`, in lower-case hex digits. */
  readonly sha1: string;
  /** What Redis runs, byte for byte. */
  readonly source: string;
}

/**
 * Runs a script on a server: all that is needed of a client. `fromIoredis` and `fromNodeRedis` make
 * one; for another client write one.
 *
 * It resolves with the script's answer, an array of strings and whole numbers, and rejects with an
 * error whose message is the server's error reply, first word first: where the server does not know
 * the script, that is `NOSCRIPT`. Any other error means that the server could not be reached,
 * except the errors of a mistake in the program (`TypeError`, `ReferenceError`, `RangeError`,
 * `SyntaxError`): over `fetch`, which rejects with a `TypeError`, wrap that one.
 *
 * Every argument is text; send it as UTF-8, the keys as keys. It may send a command again after a
 * lost connection: what counts carries an id, and a repeat gets the first answer.
 */
export type Evaluate = (
  command: "EVALSHA" | "EVAL",
  scriptOrSha1: string,
  keys: readonly string[],
  args: readonly string[],
) => Promise<unknown>;

/**
 * Runs a script: EVALSHA, and where the server does not know it, one EVAL, which also makes it
 * known. Nothing else is retried.
 */
export async function run(
  evaluate: Evaluate,
  script: Script,
  key: string,
  args: readonly string[],
): Promise<unknown> {
  try {
    return await evaluate("EVALSHA", script.sha1, [key], args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
  }
  return evaluate("EVAL", script.source, [key], args);
}
