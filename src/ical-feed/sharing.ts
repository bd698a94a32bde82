/** A reading that several wait for. It ends when all of them have gone. */
interface Shared<T> {
  readonly answer: Promise<T>;
  readonly allGone: AbortController;
  readers: number;
}

/**
 * Those who ask for the same at the same time share one reading. Whoever comes while one is underway shares the
 * next one with all others who do, because what they have just changed may lie behind the first one already.
 */
export class Sharing<T> {
  readonly #underway = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Shared<T>>();

  join(key: string, signal: AbortSignal, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    let shared = this.#next.get(key);
    if (shared === undefined) {
      const allGone = new AbortController();
      shared = { answer: this.#begin(key, allGone.signal, read), allGone, readers: 0 };
      this.#next.set(key, shared);
    }
    const { answer, allGone } = shared;
    shared.readers++;
    signal.addEventListener('abort', () => {
      if (--shared.readers > 0) return;
      // Whoever comes now begins another one.
      if (this.#next.get(key) === shared) this.#next.delete(key);
      allGone.abort(signal.reason);
    });
    return answer;
  }

  async #begin(key: string, allGone: AbortSignal, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // At least a turn, in which it is entered as the next one.
    await this.#underway.get(key)?.catch(() => undefined);
    allGone.throwIfAborted();
    this.#next.delete(key);
    const reading = read(allGone);
    this.#underway.set(key, reading);
    try {
      return await reading;
    } finally {
      if (this.#underway.get(key) === reading) this.#underway.delete(key);
    }
  }
}
