import type { DemoFile } from '../../src/demo/demo.ts';
import { readDemo } from '../support/demo.ts';
import { makeFolder, startProcess, type Running } from '../support/process.ts';

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

/** `settingsOf`: what only the process in this place has, among those that serve the API or among the workers. */
export async function deploy(
  databaseUrl: string,
  extra: Record<string, string> = {},
  workerCount = 0,
  settingsOf: (place: number) => Record<string, string> = () => ({}),
): Promise<Deployment> {
  const folder = makeFolder();
  const settings = {
    DATA_DIR: folder.path,
    DATABASE_URL: databaseUrl,
    RATE_LIMIT_PRODUCTION: '0',
    RATE_LIMIT_SANDBOX: '0',
    GUEST_VELOCITY_MAX: '1000000',
    ...extra,
  };
  const [serving, places] = databaseUrl.startsWith('sqlite:')
    ? (['serve', [0]] as const)
    : (['api', [0, 1, 2]] as const);
  const start = (command: typeof serving | 'worker', place: number): Promise<Running> =>
    startProcess(command, { ...settings, ...settingsOf(place) });
  const processes = await Promise.all(places.map((place) => start(serving, place)));
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
      const command = list === workers ? 'worker' : serving;
      // On a machine with much else to do the database may not answer the first start in time.
      list[index] = await start(command, index).catch(() => start(command, index));
    },
    url: (n) => processes[n % processes.length]!.url,
    close: async () => {
      await Promise.all([...processes, ...workers].map((running) => running.end('SIGKILL')));
      folder.remove();
    },
  };
}
