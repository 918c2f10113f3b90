// Real Redis servers for tests: each on a free port of 127.0.0.1 and in a folder of its own, ended by
// its handle.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const INSTALL = "redis-server is missing: apt-get install redis-server";
const execute = promisify(execFile);
const folders = new Set();
const running = new Set();

// Also where a test fails, or takes so long that its runner ends it.
process.on("SIGTERM", () => process.exit(143));
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A port that nobody listens on, and so low that a cluster's second one, 10,000 above, exists. */
async function freePort() {
  for (;;) {
    const listener = createServer().listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address();
    listener.close();
    await once(listener, "close");
    if (port < 55_000) return port;
  }
}

/** Starts a server, with more options of redis-server where given. */
export async function startServer(...options) {
  const [folder, port] = [newFolder(), await freePort()];
  const ways = ["--port", port, "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"];
  const server = new Server(port, [...ways, ...options], "Ready to accept connections");
  await server.start();
  return server;
}

/** Starts a Sentinel that watches a server under the name `main`. */
export async function startSentinel(primary) {
  const [folder, port] = [newFolder(), await freePort()];
  const file = join(folder, "sentinel.conf");
  writeFileSync(file, `bind 127.0.0.1\nport ${port}\ndir ${folder}\nsentinel monitor main 127.0.0.1 ${primary.port} 1\n`);
  const sentinel = new Server(port, [file, "--sentinel"], "+monitor master main");
  await sentinel.start();
  return sentinel;
}

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-redis-"));
  folders.add(folder);
  return folder;
}

class Server {
  #child;
  #options;
  #ready;

  constructor(port, options, ready) {
    this.port = port;
    this.#options = options;
    this.#ready = ready;
  }

  /** Starts it, again on the same port after `stop`. */
  async start() {
    const child = spawn("redis-server", this.#options.map(String), { stdio: ["ignore", "pipe", "ignore"] });
    await once(child, "spawn").catch((error) => {
      throw error.code === "ENOENT" ? new Error(INSTALL) : error;
    });
    running.add(child);
    this.#child = child;
    let log = "";
    for await (const line of createInterface(child.stdout)) {
      log += `${line}\n`;
      if (line.includes(this.#ready)) {
        child.stdout.resume();
        return;
      }
    }
    throw new Error(`redis-server did not start:\n${log}`);
  }

  /** Ends it, and all that it held. */
  async stop() {
    const child = this.#child;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    running.delete(child);
  }

  /** Stops it in its tracks, connections and all, until `resume`. */
  pause() {
    this.#child.kill("SIGSTOP");
  }

  resume() {
    this.#child.kill("SIGCONT");
  }

  /** What redis-cli prints for a command. */
  async cli(...args) {
    const { stdout } = await execute("redis-cli", ["-h", "127.0.0.1", "-p", this.port, ...args].map(String));
    return stdout.trimEnd();
  }
}

/** Three primaries that share all slots. */
export async function startCluster() {
  const cluster = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"];
  const servers = await Promise.all([1, 2, 3].map(() => startServer(...cluster)));
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
  await servers[0].cli("--cluster", "create", ...addresses, "--cluster-replicas", "0", "--cluster-yes");
  for (const server of servers) {
    // CLUSTER INFO answers at once: each round is one process, and they agree within a second or so.
    while (!(await server.cli("cluster", "info")).includes("cluster_state:ok"));
  }
  return servers;
}
