/** A request that is being answered. */
interface Running {
  readonly endMs: number;
  readonly upstream: number;
  readonly leaseId: string;
}

/** The requests in flight, the one that ends first in front: a binary heap. */
export class InFlight {
  /** How many each upstream has. */
  readonly counts: number[];
  readonly #heap: Running[] = [];

  constructor(upstreams: number) {
    this.counts = Array.from({ length: upstreams }, () => 0);
  }

  start(running: Running): void {
    this.#count(running.upstream, 1);
    const heap = this.#heap;
    let at = heap.push(running) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || parent.endMs <= running.endMs) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = running;
  }

  /** Takes out the requests that have ended by now. */
  end(nowMs: number, ended: (leaseId: string) => void): void {
    for (let first = this.#heap[0]; first !== undefined && first.endMs <= nowMs; first = this.#heap[0]) {
      this.#count(first.upstream, -1);
      this.#dropFirst();
      ended(first.leaseId);
    }
  }

  #count(upstream: number, by: number): void {
    this.counts[upstream] = (this.counts[upstream] ?? 0) + by;
  }

  #dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const below = endOf(heap[left + 1]) < endOf(heap[left]) ? left + 1 : left;
      const child = heap[below];
      if (child === undefined || child.endMs >= last.endMs) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
  }
}

function endOf(running: Running | undefined): number {
  return running?.endMs ?? Infinity;
}
