import type { Context } from '../context.ts';
import { DatabaseAway } from '../errors.ts';

/** Something the clock does: again and again, a bounded step at a time. */
export interface Task {
  readonly name: string;
  /** How long it rests when there was nothing more to do. */
  readonly everyMs: number;
  /**
   * One step; true when there is more to do at once. Must be safe to run in many processes together. A step that
   * may take seconds ends early when the worker is stopping.
   */
  step(ctx: Context, stopping: AbortSignal): Promise<boolean>;
}

export interface Worker {
  /** Lets a resting task begin now. */
  wake(taskName: string): void;
  /** Resolves when the steps under way have ended. */
  stop(): Promise<void>;
}

/** Each task has a loop of its own, so that none waits for another. */
export function startWorker(ctx: Context, tasks: readonly Task[]): Worker {
  const loops = new Map(tasks.map((task) => [task.name, new Loop(ctx, task)]));
  return {
    wake: (name) => loops.get(name)?.wake(),
    stop: async () => {
      await Promise.all([...loops.values()].map((loop) => loop.stop()));
    },
  };
}

class Loop {
  readonly #ctx: Context;
  readonly #task: Task;
  readonly #done: Promise<void>;
  readonly #stopping = new AbortController();
  #woken = false;
  #endRest: (() => void) | undefined;

  constructor(ctx: Context, task: Task) {
    this.#ctx = ctx;
    this.#task = task;
    this.#done = this.#run();
  }

  wake(): void {
    this.#woken = true;
    this.#endRest?.();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#endRest?.();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#woken = false;
      const more = await this.#step();
      if (!more && !this.#woken && !this.#stopping.signal.aborted) await this.#rest();
    }
  }

  async #step(): Promise<boolean> {
    try {
      return await this.#task.step(this.#ctx, this.#stopping.signal);
    } catch (error) {
      const level = error instanceof DatabaseAway ? 'warn' : 'error';
      const { message, stack } = error as Error;
      this.#ctx.log[level](
        { task: this.#task.name, error: { message, stack } },
        'task failed; it will be tried again',
      );
      return false;
    }
  }

  async #rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#task.everyMs);
      this.#endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endRest = undefined;
  }
}
