import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { logTrouble } from '../log.ts';
import { Pause } from './pause.ts';
import { RunNotes } from './runs.ts';

/** Something that is done again and again, one bounded step at a time. */
export interface Task {
  readonly name: string;
  /** The pause after a step that found nothing more to do. */
  readonly everyMs: number;
  /** Whether it runs under these settings. Without it, it runs under all. */
  isOn?(config: Config): boolean;
  /**
   * One step; true when there is more to do at once. Must be safe to run in many processes together. A step that
   * may take seconds ends early when the worker is stopping; one that may take longer calls `alive` again and again.
   */
  step(ctx: Context, stopping: AbortSignal, alive: () => Promise<void>): Promise<boolean>;
}

export interface Worker {
  /** Resolves when the steps under way have ended. */
  stop(): Promise<void>;
}

/** Each task has a loop of its own, so that none waits for another. */
export function startWorker(ctx: Context, tasks: readonly Task[]): Worker {
  const loops = tasks.map((task) => new Loop(ctx, task));
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

class Loop {
  readonly #ctx: Context;
  readonly #task: Task;
  readonly #done: Promise<void>;
  readonly #stopping = new AbortController();
  readonly #pause = new Pause();
  readonly #notes: RunNotes;

  constructor(ctx: Context, task: Task) {
    this.#ctx = ctx;
    this.#task = task;
    this.#notes = new RunNotes(ctx, task.name);
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#pause.cutShort();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const more = await this.#step();
      if (!more && !this.#stopping.signal.aborted) await this.#pause.wait(this.#task.everyMs);
    }
  }

  async #step(): Promise<boolean> {
    try {
      const alive = (): Promise<void> => this.#notes.stepDone();
      const more = await this.#task.step(this.#ctx, this.#stopping.signal, alive);
      await alive();
      return more;
    } catch (error) {
      logTrouble(this.#ctx.log, error, { task: this.#task.name }, 'task failed; it will be tried again');
      return false;
    }
  }
}
