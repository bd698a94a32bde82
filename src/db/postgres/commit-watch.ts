import { DatabaseAway } from '../../errors.ts';

/** A transaction that has taken this long makes us ask the server whether commits wait for its standby. */
const ASK_MS = 600;
const LOOK_EVERY_MS = 100;
const NO_STANDBY = 'commits wait for a synchronous standby that does not answer';

/**
 * Notices when commits wait for a synchronous standby that has gone. The server then keeps each of them, with its
 * connection and its locks, until the standby is back. Ending the wait from outside would let others read, and repeat
 * as acknowledged, what would be lost with the primary.
 *
 * So those who wait are told that the database is away, their connections stay as they are, and no more transactions
 * are begun until one of the old ones has ended.
 */
export class CommitWatch {
  readonly #open = new Set<Transaction>();
  readonly #stuck = new Set<Transaction>();
  readonly #waitsForStandby: (withinMs: number) => Promise<boolean>;
  readonly #onChange: (stuck: boolean) => void;
  readonly #timer = setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
  #asking = false;

  /** `onChange`: the first transaction got stuck, or the last one that was has ended. */
  constructor(waitsForStandby: (withinMs: number) => Promise<boolean>, onChange: (stuck: boolean) => void) {
    this.#waitsForStandby = waitsForStandby;
    this.#onChange = onChange;
  }

  /** What keeps a transaction from beginning. Ask again after waiting for a connection: it must be left to readers. */
  get obstacle(): DatabaseAway | undefined {
    return this.#stuck.size === 0 ? undefined : new DatabaseAway(new Error(NO_STANDBY));
  }

  /** Settles as the transaction does, or with DatabaseAway: then it may still be committed. */
  run<T>(transaction: () => Promise<T>): Promise<T> {
    if (this.obstacle !== undefined) return Promise.reject(this.obstacle);
    return new Promise((resolve, reject) => {
      const it = { since: performance.now(), reject };
      this.#open.add(it);
      void transaction()
        .then(resolve, reject)
        .finally(() => {
          this.#open.delete(it);
          if (this.#stuck.delete(it) && this.#stuck.size === 0) this.#onChange(false);
        });
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const areLong = (): Transaction[] =>
      [...this.#open].filter(({ since }) => since <= performance.now() - ASK_MS);
    if (this.#asking || areLong().length === 0) return;
    this.#asking = true;
    const waits = await this.#waitsForStandby(ASK_MS);
    this.#asking = false;
    if (waits) for (const transaction of areLong()) this.#giveUp(transaction);
  }

  #giveUp(transaction: Transaction): void {
    this.#open.delete(transaction);
    this.#stuck.add(transaction);
    if (this.#stuck.size === 1) this.#onChange(true);
    transaction.reject(new DatabaseAway(new Error(NO_STANDBY), 'unknown'));
  }
}

interface Transaction {
  readonly since: number;
  reject(error: Error): void;
}
