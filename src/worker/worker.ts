import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { logTrouble } from '../log.ts';
import { noteRuns } from './runs.ts';

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
  const stopping = new AbortController();
  const loops = tasks.map((task) => repeat(ctx, task, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function repeat(ctx: Context, task: Task, stopping: AbortSignal): Promise<void> {
  const alive = noteRuns(ctx, task.name);
  const step = async (): Promise<boolean> => {
    try {
      const more = await task.step(ctx, stopping, alive);
      await alive();
      return more;
    } catch (error) {
      logTrouble(ctx.log, error, { task: task.name }, 'task failed; it will be tried again');
      return false;
    }
  };
  while (!stopping.aborted) {
    // Rejects when the worker stops.
    if (!(await step())) await delay(task.everyMs, null, { signal: stopping }).catch(() => undefined);
  }
}
