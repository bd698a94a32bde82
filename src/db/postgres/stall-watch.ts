import { DatabaseAway } from '../../errors.ts';

/** An outage is answered within two seconds; this leaves half a second for the rest. */
const STALL_MS = 1400;
/** When it has been silent for so long it is asked whether it is still at work. It has the other half to say so. */
const ASK_MS = 700;
const LOOK_EVERY_MS = 100;

/**
 * Tells an outage from a crowd, and from a statement that takes long. Whoever waits for the database is let go when it
 * has answered nobody for a while: then it is away. As long as it answers somebody, or says that it is at work for us,
 * waiting is only waiting, however long the line is.
 */
export class StallWatch {
  readonly #waiting = new Set<{ since: number; reject(error: Error): void }>();
  readonly #timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  readonly #isAtWork: (withinMs: number) => Promise<boolean>;
  readonly #onStall: () => void;
  #lastAnswer = 0;
  #asking = false;

  constructor(isAtWork: (withinMs: number) => Promise<boolean>, onStall: () => void) {
    this.#isAtWork = isAtWork;
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

  #look(): void {
    const now = performance.now();
    const waitedFor = (ms: number) =>
      this.#lastAnswer > now - ms ? [] : [...this.#waiting].filter(({ since }) => since <= now - ms);
    if (waitedFor(ASK_MS).length > 0) void this.#ask();
    const tired = waitedFor(STALL_MS);
    if (tired.length === 0) return;
    for (const waiter of tired) {
      this.#waiting.delete(waiter);
      waiter.reject(new DatabaseAway(new Error(`the database has answered nobody for ${STALL_MS} ms`)));
    }
    this.#onStall();
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    if (await this.#isAtWork(STALL_MS - ASK_MS)) this.answered();
    this.#asking = false;
  }
}
