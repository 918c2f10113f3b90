/** Shows how far a long job is, on one line of a terminal; elsewhere nothing. */
export class Progress {
  readonly #terminal: NodeJS.WriteStream | undefined;
  #shownAt = Date.now();
  #dirty = false;

  constructor(terminal: NodeJS.WriteStream) {
    this.#terminal = terminal.isTTY ? terminal : undefined;
  }

  /** At most ten times a second; `all` is 0 where it is not known. */
  show(what: string, done: number, all: number): void {
    if (this.#terminal === undefined || Date.now() - this.#shownAt < 100) return;
    this.#shownAt = Date.now();
    this.#dirty = true;
    const far = all > 0 ? `${Math.floor((100 * Math.min(done, all)) / all)} %` : `${done}`;
    this.#terminal.write(`\r${what}: ${far}\u001b[K`);
  }

  /** Clears the line. */
  end(): void {
    if (this.#dirty) this.#terminal?.write("\r\u001b[K");
    this.#dirty = false;
  }
}
