import * as bounds from "../bounds.js";
import { argumentError } from "../errors.js";
import { MAX_TIMER_MS } from "./shared-state.js";

/** What stops a wait: an `AbortSignal`. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

interface Waiter {
  readonly startsAtMs: number;
  readonly dueMs: number;
  readonly signal: Signal | undefined;
  readonly start: () => void;
}

/** Refuses what is no signal, before anything hangs on it. */
export function checkSignal(signal: Signal | undefined): void {
  if (signal === undefined || typeof (signal as Partial<Signal> | null)?.addEventListener === "function") return;
  throw argumentError("signal", bounds.shown(signal), "an AbortSignal");
}

/**
 * Those who wait for the start of what they booked, in the order of their starts, on one timer:
 * two starts within a millisecond stay in order.
 */
export class Waiting {
  #line: Waiter[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What to do when a signal is aborted. A signal gets one listener: hosts warn of many. */
  readonly #stops = new Map<Signal, Set<() => void>>();
  readonly #stop = (): void => this.#giveUp();

  /** The answer, or a rejection with the reason of `signal` as soon as that is aborted. */
  unless<T>(signal: Signal, answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stops = this.#stops.get(signal) ?? new Set();
      const stop = (): void => reject(signal.reason);
      if (stops.size === 0) signal.addEventListener("abort", this.#stop);
      this.#stops.set(signal, stops.add(stop));
      if (signal.aborted) stop();
      const forget = (): void => {
        stops.delete(stop);
        if (stops.size === 0) this.#forget(signal);
      };
      void answer.then(resolve, reject).then(forget);
    });
  }

  /**
   * Waits for a start at `startsAtMs` of the server's clock, `startsInMs` after an answer that has
   * just come. The time until then is measured by a clock that nobody sets, and ends never before
   * the start. Who gives up by `signal` leaves the line.
   */
  until(startsAtMs: number, startsInMs: number, signal: Signal | undefined): Promise<void> {
    return new Promise((start) => {
      const waiter = { startsAtMs, dueMs: performance.now() + startsInMs, signal, start };
      let at = this.#line.length;
      while (at > 0 && (this.#line[at - 1]?.startsAtMs ?? 0) > startsAtMs) at -= 1;
      this.#line.splice(at, 0, waiter);
      this.#startDue();
    });
  }

  // A timer may fire a fraction of a millisecond early, and long before a start that is far away.
  #startDue(): void {
    while (this.#line[0] !== undefined && this.#line[0].dueMs <= performance.now()) this.#line.shift()?.start();
    clearTimeout(this.#timer);
    const [first] = this.#line;
    if (first === undefined) return;
    const ms = Math.max(0, Math.ceil(first.dueMs - performance.now()));
    this.#timer = setTimeout(() => this.#startDue(), Math.min(ms, MAX_TIMER_MS));
  }

  #giveUp(): void {
    this.#line = this.#line.filter(({ signal }) => !signal?.aborted);
    for (const [signal, stops] of this.#stops) {
      if (!signal.aborted) continue;
      for (const stop of stops) stop();
      this.#forget(signal);
    }
    this.#startDue();
  }

  #forget(signal: Signal): void {
    this.#stops.delete(signal);
    signal.removeEventListener("abort", this.#stop);
  }
}
