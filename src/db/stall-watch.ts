import { DatabaseAway } from '../errors.ts';

/** An outage is answered within two seconds; this leaves half a second for the rest. */
const STALL_MS = 1400;
const LOOK_EVERY_MS = 100;

/**
 * Tells an outage from a crowd. Whoever waits for the database is let go when it has answered nobody for a
 * while: then it is away. As long as it answers somebody, waiting is only waiting, however long the line is.
 */
export class StallWatch {
  readonly #waiting = new Set<{ since: number; reject(error: Error): void }>();
  readonly #timer = setInterval(() => this.#letGo(), LOOK_EVERY_MS).unref();
  readonly #onStall: () => void;
  #lastAnswer = 0;

  constructor(onStall: () => void) {
    this.#onStall = onStall;
  }

  /** The outcome of the work, or DatabaseAway; what comes afterwards goes to `late`. */
  async guard<T>(work: Promise<T>, late: (value: T) => void = () => undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiter = { since: performance.now(), reject };
      this.#waiting.add(waiter);
      work.then(
        (value) => (this.#waiting.delete(waiter) ? resolve(value) : late(value)),
        (error: unknown) => {
          this.#waiting.delete(waiter);
          reject(error);
        },
      );
    });
  }

  answered(): void {
    this.#lastAnswer = performance.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #letGo(): void {
    const limit = performance.now() - STALL_MS;
    if (this.#lastAnswer > limit) return;
    const tired = [...this.#waiting].filter(({ since }) => since <= limit);
    if (tired.length === 0) return;
    for (const waiter of tired) {
      this.#waiting.delete(waiter);
      waiter.reject(new DatabaseAway(new Error(`the database has answered nobody for ${STALL_MS} ms`)));
    }
    this.#onStall();
  }
}
