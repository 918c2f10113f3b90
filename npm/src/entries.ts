import { checkList, shown } from "./bounds.js";
import { argumentError } from "./errors.js";

/**
 * A chat request as it is sent: of Anthropic's Messages (`system`, `messages`, `tools`), of OpenAI's
 * Chat Completions (`messages`, `tools`) or Responses (`instructions`, `input`, `tools`), and of all
 * that speak like one of them.
 */
export interface ChatRequest {
  readonly model?: unknown;
  readonly tools?: unknown;
  readonly response_format?: unknown;
  readonly text?: unknown;
  readonly system?: unknown;
  readonly instructions?: unknown;
  readonly messages?: unknown;
  readonly input?: unknown;
}

/** The most messages that a chain can have, and what stands before them. */
const MOST = 65_535;

/** What an answer has that is sent back as a message, and what a prompt cache does not see. */
const VOLATILE = new Set([
  "id", "status", "created", "created_at", "timestamp", "metadata", "model", "usage", "stop_reason", "stop_sequence",
]);

/**
 * The entries of a chat request, for `chain` and `prefixBytes`: one for what stands before all (model,
 * tools, the format of the answer), one for each part of the system prompt, one for each message. The
 * same conversation gives the same entries, and its next turn begins with all of them:
 * - keys are sorted, and what is `null` is as if it were not there;
 * - `cache_control` is left out wherever it stands, and a string is the same as one block of text, so
 *   that a mark may move from message to message;
 * - so are `id`, `status`, `usage` and the like of a message, but not the ids of tool calls.
 *
 * A message object that was given before is not read again, unless another of its fields or blocks has
 * come or gone: whoever changes the text of a message makes a new object. What the upstream itself
 * remembers of a conversation (`previous_response_id`) is not seen.
 *
 * It is an error if there are no `messages` and no `input`, or one of them is no object.
 */
export function entriesOf(request: ChatRequest): string[] {
  if (!isObject(request)) throw argumentError("request", shown(request), "an object");
  const { model, tools, response_format, text, system, instructions, messages, input } = request;
  const turns = messages ?? (typeof input === "string" ? [{ role: "user", content: input }] : input);
  const argument = isThere(messages) ? "messages" : "input";
  if (!isThere(turns)) throw argumentError("messages", "missing", "a list of messages");
  const format = response_format ?? (isObject(text) ? text["format"] : undefined);
  const head = written(argument, { model, tools, format });
  const prompt = blocks(system ?? instructions).map((block) => written("system", block));
  const all = checkList(argument, turns as readonly unknown[], MOST - 1 - prompt.length);
  return [head, ...prompt, ...Array.from(all, (turn) => message(argument, turn))];
}

interface Known {
  readonly entry: string;
  readonly shape: string;
  readonly content: unknown;
  readonly last: unknown;
}

const known = new WeakMap<object, Known>();

function message(argument: string, turn: unknown): string {
  if (!isObject(turn)) throw argumentError(argument, shown(turn), "a list of objects");
  const { content } = turn;
  const last = Array.isArray(content) ? content.at(-1) : undefined;
  const shape = [turn, content, last].map(extent).join();
  const seen = known.get(turn);
  if (seen !== undefined && seen.content === content && seen.last === last && seen.shape === shape) return seen.entry;
  const kept = Object.entries(turn).filter(([name]) => !VOLATILE.has(name));
  const said = isThere(content) ? blocks(content) : undefined;
  const entry = written(argument, { ...Object.fromEntries(kept), content: said });
  known.set(turn, { entry, shape, content, last });
  return entry;
}

/** How much there is of it. */
function extent(value: unknown): number {
  if (!isObject(value)) return lengthOf(value);
  return Object.values(value).reduce<number>((sum, one) => sum + 1 + lengthOf(one), 0);
}

function lengthOf(value: unknown): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : 0;
}

/** A string is one block of text. */
function blocks(content: unknown): readonly unknown[] {
  if (!isThere(content)) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [content];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function written(argument: string, value: unknown): string {
  try {
    return canonical(value, argument, 0);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) {
      throw argumentError(argument, shown(error.message), "what JSON can hold");
    }
    throw error;
  }
}

/** The deepest that a value of a request may lie. */
const DEEPEST = 200;

/** JSON with sorted keys, without marks and without what is null. */
function canonical(value: unknown, argument: string, depth: number): string {
  if (depth > DEEPEST) throw argumentError(argument, "nested deeper", `at most ${DEEPEST} levels deep`);
  if (typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function") {
    return canonical(value.toJSON(), argument, depth + 1);
  }
  if (Array.isArray(value)) {
    return `[${Array.from(value, (one) => canonical(one, argument, depth + 1)).join()}]`;
  }
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).filter(([name, one]) => name !== "cache_control" && isThere(one));
  fields.sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one, argument, depth + 1)}`).join()}}`;
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== "function" && typeof value !== "symbol";
}
