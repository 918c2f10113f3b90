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
  readonly end: (hasStarted: boolean) => void;
}

/**
 * Those who wait for the start of what they booked, in the order of their starts, on one timer:
 * two starts within a millisecond stay in order.
 */
export class Waiting {
  #line: Waiter[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How many wait by each signal. A signal gets one listener: hosts warn of many. */
  readonly #signals = new Map<Signal, number>();
  readonly #leave = (): void => this.#giveUp();

  /**
   * Waits for a start at `startsAtMs` of the server's clock, `startsInMs` after an answer that has
   * just come. The time until then is measured by a clock that nobody sets, and ends never before
   * the start. `false`: `signal` was aborted before.
   */
  until(startsAtMs: number, startsInMs: number, signal: Signal | undefined): Promise<boolean> {
    return new Promise((end) => {
      const waiter = { startsAtMs, dueMs: performance.now() + startsInMs, signal, end };
      let at = this.#line.length;
      while (at > 0 && (this.#line[at - 1]?.startsAtMs ?? 0) > startsAtMs) at -= 1;
      this.#line.splice(at, 0, waiter);
      if (signal !== undefined) this.#count(signal, 1);
      this.#startDue();
    });
  }

  // A timer may fire a fraction of a millisecond early, and long before a start that is far away.
  #startDue(): void {
    while (this.#line[0] !== undefined && this.#line[0].dueMs <= performance.now()) {
      const started = this.#line.shift();
      if (started !== undefined) this.#end(started, true);
    }
    clearTimeout(this.#timer);
    const [first] = this.#line;
    if (first === undefined) return;
    const ms = Math.max(0, Math.ceil(first.dueMs - performance.now()));
    this.#timer = setTimeout(() => this.#startDue(), Math.min(ms, MAX_TIMER_MS));
  }

  #giveUp(): void {
    const gone = this.#line.filter(({ signal }) => signal?.aborted);
    this.#line = this.#line.filter(({ signal }) => !signal?.aborted);
    for (const waiter of gone) this.#end(waiter, false);
    this.#startDue();
  }

  #end({ signal, end }: Waiter, hasStarted: boolean): void {
    if (signal !== undefined) this.#count(signal, -1);
    end(hasStarted);
  }

  #count(signal: Signal, more: 1 | -1): void {
    const before = this.#signals.get(signal) ?? 0;
    if (before + more > 0) this.#signals.set(signal, before + more);
    else this.#signals.delete(signal);
    if (before === 0) signal.addEventListener("abort", this.#leave);
    if (before + more === 0) signal.removeEventListener("abort", this.#leave);
  }
}
