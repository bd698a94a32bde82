import type { DemoFile } from '../../src/demo/demo.ts';
import { EVENT_TYPES } from '../../src/events/events.ts';
import { readDemo } from '../support/demo.ts';
import type { Engine } from '../support/engines.ts';
import { makeFolder, startProcess, type Running } from '../support/process.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { NOBODY, send } from '../support/world.ts';

/** A deployment as an operator has it: one process on an SQLite file, or several on one PostgreSQL. */
export interface Deployment {
  /** DATABASE_URL and the rest, for starting another process beside it. */
  settings: Record<string, string>;
  demo: DemoFile;
  /** Those that serve the API. */
  processes: Running[];
  /** Workers apart; on SQLite the one process does their work. */
  workers: Running[];
  url(n: number): string;
  /** kill -9, and another one in its place as a supervisor would start it; resolves when that one is ready. */
  replace(list: Running[], index: number): Promise<void>;
  close(): Promise<void>;
}

const NO_LIMITS = {
  RATE_LIMIT_PRODUCTION: '0',
  RATE_LIMIT_SANDBOX: '0',
  GUEST_VELOCITY_MAX: '1000000',
  LOG_LEVEL: 'warn',
};

/** Subscribes the demo host to everything, where nobody listens: events that nobody wants are not written. */
export async function wantEvents({ demo, url }: Deployment): Promise<void> {
  const body = { url: NOBODY, events: EVENT_TYPES };
  for (const key of [demo.keys.production, demo.keys.sandbox]) {
    const answer = await send(url(0), 'POST', WEBHOOKS, { key, body });
    if (answer.status !== 201) throw new Error(`no subscription: ${JSON.stringify(answer.body)}`);
  }
}

/** `settingsOf`: what only the process in this place has, among those that serve the API or among the workers. */
export async function deploy(
  engine: Engine,
  extra: Record<string, string> = {},
  workerCount = 0,
  settingsOf: (place: number) => Record<string, string> = () => ({}),
): Promise<Deployment> {
  const folder = makeFolder();
  const database = await engine.createDatabase('template');
  const settings = {
    ...NO_LIMITS,
    DATA_DIR: folder.path,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
    ...extra,
  };
  const start = (command: 'serve' | 'api' | 'worker', place: number): Promise<Running> =>
    startProcess(command, { ...settings, ...settingsOf(place) });
  const processes =
    engine.name === 'sqlite'
      ? [await start('serve', 0)]
      : await Promise.all([0, 1, 2].map((place) => start('api', place)));
  const workers = await Promise.all(
    Array.from({ length: workerCount }, (_, place) => start('worker', place)),
  );
  return {
    settings,
    demo: readDemo(folder.path),
    processes,
    workers,
    replace: async (list, index) => {
      await list[index]!.end('SIGKILL');
      const command = list === workers ? 'worker' : engine.name === 'sqlite' ? 'serve' : 'api';
      list[index] = await start(command, index);
    },
    url: (n) => processes[n % processes.length]!.url,
    close: async () => {
      await Promise.all([...processes, ...workers].map((running) => running.end('SIGKILL')));
      await database.drop();
      folder.remove();
    },
  };
}
