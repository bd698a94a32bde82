import { DatabaseAway } from '../../errors.ts';

/** Batches under way at the same time. While one travels, the next may already be on its way to a free core. */
const AT_ONCE = 2;
/** A batch that takes longer holds up nobody: the next one leaves without waiting for it. */
const SLOW_MS = 5;
const MOST = 200;

interface Call<In, Out> {
  readonly values: In;
  resolve(answer: Out): void;
  reject(error: unknown): void;
}

/**
 * Sends calls together: those of one turn of the event loop, and those that come while earlier ones are under way. A
 * call that comes alone leaves in the turn in which it came.
 */
export class Batcher<In, Out> {
  readonly #send: (batch: readonly In[]) => Promise<readonly Out[]>;
  #waiting: Call<In, Out>[] = [];
  #underWay = 0;
  #leaving = false;

  /** `send` answers in the order of the batch. */
  constructor(send: (batch: readonly In[]) => Promise<readonly Out[]>) {
    this.#send = send;
  }

  call(values: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values, resolve, reject });
      this.#leaveAfterThisTurn();
    });
  }

  #leaveAfterThisTurn(): void {
    if (this.#leaving || this.#underWay >= AT_ONCE || this.#waiting.length === 0) return;
    this.#leaving = true;
    setImmediate(() => {
      this.#leaving = false;
      void this.#leave(this.#waiting.splice(0, MOST));
      this.#leaveAfterThisTurn();
    });
  }

  async #leave(batch: readonly Call<In, Out>[]): Promise<void> {
    this.#underWay++;
    const makeWay = onceOnly(() => {
      this.#underWay--;
      this.#leaveAfterThisTurn();
    });
    const slow = setTimeout(makeWay, SLOW_MS);
    await this.#answer(batch);
    clearTimeout(slow);
    makeWay();
  }

  /** When a batch fails, each of its calls is made by itself: one bad value must not fail its neighbours. */
  async #answer(batch: readonly Call<In, Out>[]): Promise<void> {
    try {
      const answers = await this.#send(batch.map(({ values }) => values));
      for (const [i, call] of batch.entries()) call.resolve(answers[i]!);
    } catch (error) {
      const alone = batch.length === 1 || error instanceof DatabaseAway;
      if (alone) for (const call of batch) call.reject(error);
      else await Promise.all(batch.map((call) => this.#answer([call])));
    }
  }
}

function onceOnly(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}
