// Waiting for limits that many workers share: in line, on one timer, and with a way out.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect, RedisLimits } from "../dist/redis.js";
import { CLIENTS } from "./redis-clients.mjs";
import { startServer } from "./redis-server.mjs";

const MINUTE = 60_000;
const NOW = 1_700_000_000_000;
const bucket = (capacity, refill, periodMs) => [{ name: "n", capacity, refill, periodMs }];
const declare = (evaluate, key, limits, more) => new RedisLimits(evaluate, key, limits, { version: 1, ...more });

/** Lets the event loop turn until something holds. */
async function until(holds) {
  while (!holds()) await new Promise((turn) => setImmediate(turn));
}

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

for (const [client, connect] of Object.entries(CLIENTS)) {
  describe(`over ${client}`, () => {
    let connection;
    let evaluate;
    before(async () => {
      connection = await connect(server.port);
      evaluate = connection.evaluate;
    });
    after(() => connection.close());
    const key = (name) => `${client} ${name}`;

    test("a take that waits resolves when it may be used, and not before", async () => {
      const limits = declare(evaluate, key("starts"), bucket(1, 1, 40));
      const turns = Array.from({ length: 5 }, async () => {
        const taken = await limits.takeWhenFree({ n: 1 });
        assert.equal(taken.kind, "granted");
        const { nowMs } = await inspect(evaluate, key("starts"));
        assert.ok(nowMs >= taken.startsAtMs, `${nowMs} is before ${taken.startsAtMs}`);
        return taken.startsAtMs;
      });
      const starts = (await Promise.all(turns)).sort((a, b) => a - b);
      for (let turn = 1; turn < 5; turn++) assert.ok(starts[turn] - starts[turn - 1] >= 40, `${starts}`);
    });

    test("every other answer comes at once", async () => {
      const limits = declare(evaluate, key("at once"), bucket(1, 1, MINUTE));
      assert.equal((await limits.takeWhenFree({ n: 2 })).kind, "never");
      assert.equal((await limits.takeWhenFree({ n: 1 })).kind, "granted");
      assert.equal((await limits.takeWhenFree({ n: 1 }, { maxWaitMs: 1_000 })).kind, "wait");
      assert.equal((await limits.takeWhenFree({ n: 1 }, { maxWaitMs: 0 })).kind, "wait");
    });

    test("five hundred who wait at once are served in the order in which they asked, at the rate", async () => {
      // A script that the server does not know yet is sent twice, and may be passed on its way.
      await declare(evaluate, key("known"), bucket(10, 1, 2)).take({ n: 1 });
      const limits = declare(evaluate, key("crowd"), bucket(10, 1, 2));
      const served = [];
      const waiters = Array.from({ length: 500 }, async (_, at) => {
        const { startsAtMs } = await limits.takeWhenFree({ n: 1 });
        served.push(at);
        return startsAtMs;
      });
      const starts = await Promise.all(waiters);
      assert.deepEqual(served, Array.from({ length: 500 }, (_, at) => at));
      for (let last = 10; last < 500; last++) {
        for (let first = 0; first <= last - 10; first++) {
          const most = 10 + (starts[last] - starts[first]) / 2;
          assert.ok(last - first + 1 <= most, `${last - first + 1} in ${starts[last] - starts[first]} ms`);
        }
      }
    });

    test("who gives up while waiting gives the place back", async () => {
      const limits = declare(evaluate, key("gives up"), bucket(1, 1, MINUTE));
      await limits.take({ n: 1 });
      const reason = { why: "no more" };
      const controllers = [1, 2, 3].map(() => new AbortController());
      const waiting = controllers.map(({ signal }) => limits.takeWhenFree({ n: 1 }, { signal }));
      // Behind the three on this connection.
      assert.equal((await limits.take({ n: 1 }, { maxWaitMs: 4 * MINUTE, takeId: "fourth" })).kind, "granted");
      controllers[1].abort(reason);
      await assert.rejects(waiting[1], (error) => error === reason);
      controllers[0].abort();
      await assert.rejects(waiting[0], { name: "AbortError" });
      controllers[2].abort();
      await assert.rejects(waiting[2], { name: "AbortError" });
      await limits.cancel("fourth");
      const { startsInMs } = await limits.take({ n: 1 }, { maxWaitMs: 4 * MINUTE });
      assert.ok(startsInMs <= MINUTE, `${startsInMs} ms`);
    });

    test("who gives up while the take is on its way gets back what was granted, also where its answer is lost", async () => {
      for (const onUnreachable of ["closed", "open"]) {
        for (const held of ["answer", "error"]) {
          const controller = new AbortController();
          const sent = [];
          const aborting = (...call) => {
            const answer = evaluate(...call);
            sent.push(answer);
            if (controller.signal.aborted) return answer;
            controller.abort("too late");
            return held === "answer" ? answer : answer.then(() => Promise.reject(new Error("Connection is closed.")));
          };
          const name = key(`on its way ${held} ${onUnreachable}`);
          const limits = declare(evaluate, name, bucket(2, 1, MINUTE));
          const given = declare(aborting, name, bucket(2, 1, MINUTE), { onUnreachable });
          await limits.take({ n: 1 });
          // So that each call is one command.
          await limits.cancel("none");
          await limits.settle("none", { n: 0 });
          const { signal } = controller;
          await assert.rejects(given.takeWhenFree({ n: 1 }, { signal }), (error) => error === "too late");
          // It had started at once: what it was charged comes back, by a cancel and a settle.
          await until(() => sent.length === 3);
          await sent[2];
          const second = await limits.take({ n: 1 });
          assert.deepEqual([second.kind, second.remaining], ["granted", { n: 0 }], `${held} ${onUnreachable}`);
        }
      }
    });

    test("who gives up is told at once, also while the server hangs, and the place goes back when it goes on", async () => {
      const limits = declare(evaluate, key("hangs"), bucket(1, 1, MINUTE));
      await limits.take({ n: 1 });
      const controllers = [new AbortController(), new AbortController()];
      const [waiting, underWay] = controllers.map(({ signal }) => () => limits.takeWhenFree({ n: 1 }, { signal }));
      const first = waiting();
      assert.equal((await limits.take({ n: 1 }, { maxWaitMs: 9 * MINUTE, takeId: "behind" })).kind, "granted");
      server.pause();
      try {
        const second = underWay();
        for (const [at, wait] of [first, second].entries()) {
          controllers[at].abort(`enough ${at}`);
          await assert.rejects(wait, (error) => error === `enough ${at}`);
        }
      } finally {
        server.resume();
      }
      // Behind the take that was under way; what gives its place back follows its answer.
      assert.deepEqual(await limits.cancel("behind"), { kind: "returned" });
      await limits.cancel("none");
      const { startsInMs } = await limits.take({ n: 1 }, { maxWaitMs: 9 * MINUTE });
      assert.ok(startsInMs <= MINUTE, `${startsInMs} ms`);
    });

    test("a signal that was aborted before keeps anything from being sent", async () => {
      const sent = [];
      const counting = (...call) => {
        sent.push(call);
        return evaluate(...call);
      };
      const limits = declare(counting, key("before"), bucket(1, 1, MINUTE));
      const reason = new Error("before");
      const signal = AbortSignal.abort(reason);
      await assert.rejects(limits.takeWhenFree({ n: 1 }, { signal }), (error) => error === reason);
      assert.deepEqual(sent, []);
    });
  });
}

test("the line keeps its order where two starts are closer than their answers", async () => {
  const answers = [
    ["granted", 1, NOW, 1, 40, 0, 0],
    ["granted", 1, NOW + 10, 1, 30, 0, 0],
    ["granted", 1, NOW + 20, 1, 10, 0, 0],
  ];
  const limits = declare(async () => answers.shift(), "k", bucket(1, 1, 1));
  const served = [];
  const wait = async (name) => {
    await limits.takeWhenFree({ n: 1 });
    served.push(name);
  };
  await Promise.all([wait("first"), wait("second, the same start"), wait("third, an earlier start")]);
  assert.deepEqual(served, ["third, an earlier start", "first", "second, the same start"]);
});

test("what may be used at once does not pass one whose start has come and whose timer is late", async () => {
  const answers = [
    ["granted", 1, NOW, 1, 10, 0, 0],
    ["granted", 1, NOW + 12, 1, 0, 0, 0],
  ];
  const limits = declare(async () => answers.shift(), "k", bucket(1, 1, 1));
  const served = [];
  const first = limits.takeWhenFree({ n: 1 }).then(() => served.push("first"));
  await pause(1);
  for (const until = performance.now() + 12; performance.now() < until; );
  const second = limits.takeWhenFree({ n: 1 }).then(() => served.push("second"));
  await Promise.all([first, second]);
  assert.deepEqual(served, ["first", "second"]);
});

test("a start that is further away than any timer reaches is waited for", async () => {
  const answers = [
    ["granted", 1, NOW, 1, 2 ** 31 + 5, 0, 0],
    ["returned", 1, NOW, 1],
  ];
  const controller = new AbortController();
  const limits = declare(async () => answers.shift(), "k", bucket(1, 1, 1));
  const waiting = limits.takeWhenFree({ n: 1 }, { signal: controller.signal });
  assert.equal(await Promise.race([waiting, pause(50, "still waiting")]), "still waiting");
  controller.abort();
  await assert.rejects(waiting, { name: "AbortError" });
});

test("a signal that is aborted while the take is being sent is heard", async () => {
  const controller = new AbortController();
  const answers = [["granted", 1, NOW, 1, 0, 0, 0], ["returned", 1, NOW, 1]];
  const evaluate = async () => {
    controller.abort("at once");
    return answers.shift();
  };
  const limits = declare(evaluate, "k", bucket(1, 1, 1));
  const { signal } = controller;
  await assert.rejects(limits.takeWhenFree({ n: 1 }, { signal }), (error) => error === "at once");
  await until(() => answers.length === 0);
});

test("a signal has one listener while somebody waits by it, and none afterwards", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set();
  const watched = {
    get aborted() {
      return signal.aborted;
    },
    reason: "enough",
    addEventListener: (type, listener) => {
      listeners.add(listener);
      signal.addEventListener(type, listener);
    },
    removeEventListener: (type, listener) => {
      listeners.delete(listener);
      signal.removeEventListener(type, listener);
    },
  };
  let startsInMs = 5;
  const evaluate = async (_command, _script, _keys, args) =>
    args.length > 3 ? ["granted", 1, NOW, 1, startsInMs, 0, 0] : ["returned", 1, NOW, 1];
  const limits = declare(evaluate, "k", bucket(1, 1, 1));
  const wait = () => limits.takeWhenFree({ n: 1 }, { signal: watched });
  const started = [wait(), wait()];
  assert.equal(listeners.size, 1);
  await Promise.all(started);
  await pause(1);
  assert.equal(listeners.size, 0);
  startsInMs = MINUTE;
  const givenUp = Promise.allSettled([wait(), wait()]);
  await pause(1);
  assert.equal(listeners.size, 1);
  controller.abort();
  for (const { reason } of await givenUp) assert.equal(reason, "enough");
  assert.equal(listeners.size, 0);
});

test("what was refused is not given back", async () => {
  const controller = new AbortController();
  const sent = [];
  const evaluate = async (...call) => {
    sent.push(call);
    controller.abort("at once");
    return ["wait", 1, NOW, 1, 5, ":n"];
  };
  const limits = declare(evaluate, "k", bucket(1, 1, 1));
  const { signal } = controller;
  await assert.rejects(limits.takeWhenFree({ n: 1 }, { signal }), (error) => error === "at once");
  await pause(1);
  assert.equal(sent.length, 1);
});

test("what cannot be given back is no second error", async () => {
  const controller = new AbortController();
  const answers = [async () => ["granted", 1, NOW, 1, 1_000, 0, 0]];
  const failing = async () => {
    throw new Error("Connection is closed.");
  };
  const limits = declare(() => (answers.shift() ?? failing)(), "k", bucket(1, 1, 1));
  const waiting = limits.takeWhenFree({ n: 1 }, { signal: controller.signal });
  await pause(1);
  controller.abort("enough");
  await assert.rejects(waiting, (error) => error === "enough");
});

test("a process that has nothing to wait for ends by itself, and no rejection goes unhandled", () => {
  for (const client of Object.keys(CLIENTS)) {
    const program = fileURLToPath(new URL("redis-ends.mjs", import.meta.url));
    const args = ["--unhandled-rejections=strict", "--trace-warnings", program, client, String(server.port)];
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 20_000 });
    assert.deepEqual({ status, signal, stdout, stderr }, { status: 0, signal: null, stdout: "ends\n", stderr: "" }, client);
  }
});
