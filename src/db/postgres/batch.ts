import { isLost } from './away.ts';

/** A batch that takes longer holds up nobody: the next one leaves without waiting for it. */
const SLOW_MS = 5;
const MOST = 200;

interface Call<In, Out> {
  readonly values: In;
  resolve(answer: Out): void;
  reject(error: unknown): void;
}

/**
 * Sends calls together. One that comes while none is under way leaves at once; those that come meanwhile leave together
 * when it is back.
 */
export class Batcher<In, Out> {
  readonly #send: (batch: readonly In[]) => Promise<readonly Out[]>;
  readonly #waiting: Call<In, Out>[] = [];
  #underWay = 0;

  /** `send` answers in the order of the batch. */
  constructor(send: (batch: readonly In[]) => Promise<readonly Out[]>) {
    this.#send = send;
  }

  call(values: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values, resolve, reject });
      if (this.#underWay === 0) void this.#leave();
    });
  }

  async #leave(): Promise<void> {
    this.#underWay++;
    const makeWay = onceOnly(() => {
      this.#underWay--;
      if (this.#waiting.length > 0) void this.#leave();
    });
    const slow = setTimeout(makeWay, SLOW_MS);
    await this.#answer(this.#waiting.splice(0, MOST));
    clearTimeout(slow);
    makeWay();
  }

  /** When a batch fails, each of its calls is made by itself: a bad value, or a host whose node is away, must not fail its neighbours. */
  async #answer(batch: readonly Call<In, Out>[]): Promise<void> {
    try {
      const answers = await this.#send(batch.map(({ values }) => values));
      for (const [i, call] of batch.entries()) call.resolve(answers[i]!);
    } catch (error) {
      const alone = batch.length === 1 || isLost(error);
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
