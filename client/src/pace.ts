import { HourkeepError } from './error.ts';
import { within } from './within.ts';

/**
 * Keeps the calls of one client within the rate limit of its key. The service says with every answer how many requests are left and
 * when there is one more; when none is left, calls wait in line instead of being refused.
 */
export class Pace {
  readonly #maxWaitMs: number;
  /** How many may be sent. Unknown before the first answer, and where there is no limit. */
  #left = Infinity;
  /** When there is one more, in milliseconds since 1970. */
  #nextAt = 0;
  /** Sent and not answered yet: what an answer says of the rest may not know of them. */
  #underWay = 0;
  #sent = 0;
  /** What the service last said was left, and how many had been sent when that was read. */
  #said = 0;
  #saidAt = 0;
  #line: Promise<unknown> = Promise.resolve();
  #learned = (): void => undefined;

  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** Does the work when it is this call's turn. Its number is for `learn`. */
  async send<T>(signal: AbortSignal | undefined, work: (turn: number) => Promise<T>): Promise<T> {
    const call = { since: Date.now(), isGone: false };
    const turn = this.#line.then(() => this.#wait(call));
    // Whoever gives up does not hold up those behind.
    this.#line = turn.catch(() => undefined);
    try {
      await within(
        this.#maxWaitMs,
        signal,
        () => this.#tooLong(),
        () => turn,
      );
    } catch (error) {
      call.isGone = true;
      throw error;
    }
    this.#underWay += 1;
    this.#sent += 1;
    try {
      return await work(this.#sent);
    } finally {
      this.#underWay -= 1;
    }
  }

  async #wait(call: { since: number; isGone: boolean }): Promise<void> {
    while (!call.isGone && this.#left <= 0) {
      const wait = this.#nextAt - Date.now();
      // One goes ahead; its answer says how many may follow. Without one, the next goes a second later.
      if (wait <= 0) this.#left = 1;
      // The answers that are under way may say that there are more.
      else if (this.#underWay === 0 && this.#nextAt - call.since > this.#maxWaitMs) this.#tooLong();
      else
        await within<void>(
          wait,
          undefined,
          () => undefined,
          () => this.#nextAnswer(),
        );
    }
    if (call.isGone) return;
    this.#left -= 1;
    if (this.#left <= 0) this.#nextAt = Math.max(this.#nextAt, Date.now() + 1000);
  }

  #nextAnswer(): Promise<void> {
    return new Promise((resolve) => {
      this.#learned = resolve;
    });
  }

  #tooLong(): never {
    throw new HourkeepError(
      'RATE_LIMIT_EXCEEDED',
      `Rate limit exceeded: no request is left within ${this.#maxWaitMs} ms`,
      {
        retryAfter: Math.max(0, Math.ceil((this.#nextAt - Date.now()) / 1000)),
      },
    );
  }

  /** `RateLimit: "default";r=58;t=12`: 58 are left, and in 12 seconds there is one more. */
  learn(turn: number, headers: Headers): void {
    const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
    if (left === undefined) return;
    // Answers come in any order. Of requests that were under way together, the one that says least was counted last.
    if (turn > this.#saidAt || Number(left) < this.#said) {
      this.#said = Number(left);
      this.#saidAt = this.#sent;
      this.#nextAt = Date.now() + 1000 * Number(seconds);
    }
    const others = this.#underWay - 1;
    this.#left = this.#said - others;
    this.#learned();
  }
}
