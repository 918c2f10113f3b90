const WINDOW_MS = 60_000;

/** The requests that one upstream got in the last 60 s, beside its limit of requests a minute. */
export class RequestRate {
  readonly #limit: number;
  #times: number[] = [];
  #first = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a request; whether the last 60 s already held as many as the limit allows. */
  record(nowMs: number): boolean {
    while ((this.#times[this.#first] ?? Infinity) <= nowMs - WINDOW_MS) this.#first += 1;
    const over = this.#times.length - this.#first >= this.#limit;
    this.#times.push(nowMs);
    if (this.#first > 1_000 && this.#first * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#first);
      this.#first = 0;
    }
    return over;
  }
}
