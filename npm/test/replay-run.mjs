// Runs the command line tool as it is built, and loads single files of its source.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

/** A folder that goes with the process. */
export const folder = mkdtempSync(join(tmpdir(), "pointsman-replay-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** What the tool prints, and its exit code. */
export function pointsman(args, input = "") {
  const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, ...args], { input, encoding: "utf8" });
  return { stdout, stderr, status };
}

/** Puts lines into a file: objects as JSON, text as it is. */
export function logOf(name, lines) {
  const file = join(folder, name);
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(file, texts.map((text) => `${text}\n`).join(""));
  return file;
}

/** The rows of a replay, by policy. */
export function rows(lines, ...args) {
  const ran = pointsman(["replay", logOf("rows.jsonl", lines), "--json", ...args]);
  if (ran.status !== 0) throw new Error(ran.stderr);
  return Object.fromEntries(JSON.parse(ran.stdout).map(({ policy, ...row }) => [policy, row]));
}

/** A file of npm/src/replay as a module. */
export async function source(name) {
  const entry = fileURLToPath(new URL(`../src/replay/${name}`, import.meta.url));
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: "esm", write: false, platform: "node" });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}
