import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Order, Result } from './process.ts';

/** A process that plays worlds of a project, one after the other. */
export class Player implements Disposable {
  readonly #child;
  readonly #ended: Promise<never>;

  constructor(folder: string) {
    this.#child = fork(join(folder, 'test/simulate/process.ts'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#ended = once(this.#child, 'exit').then(([code]) => {
      throw new Error(`a process of the simulation ended with ${code}`);
    });
    // Handled where a result is waited for.
    this.#ended.catch(() => undefined);
  }

  async play(order: Order): Promise<Result> {
    this.#child.send(order);
    const [result] = (await Promise.race([once(this.#child, 'message'), this.#ended])) as [Result];
    return result;
  }

  [Symbol.dispose](): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
