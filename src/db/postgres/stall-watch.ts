import { DatabaseAway } from '../../errors.ts';

/** During an outage requests are answered within two seconds. This leaves half a second for everything else. */
const STALL_MS = 1400;
/** After this long without an answer the server is asked whether it is still working for us; it has as long to say so. */
const ASK_MS = 700;
const LOOK_EVERY_MS = 100;

/**
 * Notices when the database has stopped answering. Those who have waited for STALL_MS are told that it is away, but only
 * if it has answered nobody in that time and does not say that it is working on one of our statements. While it answers
 * somebody, there is only a queue, however long.
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

  /** Settles as the work does, or with DatabaseAway in a stall. A result that comes after that goes to `late`. */
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
