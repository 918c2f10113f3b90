/** Random whole numbers below 2^53 from a seed: sfc32, two words a number. */
export class Draws {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    this.#state = Uint32Array.of(seed, Math.floor(seed / 2 ** 32), 0x9e3779b9, 1);
    for (let round = 0; round < 12; round += 1) this.#word();
  }

  next(): number {
    return (this.#word() >>> 11) * 2 ** 32 + this.#word();
  }

  #word(): number {
    const [a = 0, b = 0, c = 0, count = 0] = this.#state;
    const word = (a + b + count) >>> 0;
    this.#state[0] = b ^ (b >>> 9);
    this.#state[1] = c + (c << 3);
    this.#state[2] = ((c << 21) | (c >>> 11)) + word;
    this.#state[3] = count + 1;
    return word;
  }
}
