import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Cluster } from '../support/cluster.ts';
import type { Network } from '../support/network.ts';
import { makeFolder, type Running, type TestFolder } from '../support/process.ts';
import { query } from '../support/query.ts';
import { send } from '../support/world.ts';
import type { Deployment } from './services.ts';
import type { Traffic } from './traffic.ts';

export interface Fault {
  readonly name: string;
  /** What callers may meet while it lasts. A connection to a process that was killed may always break. */
  readonly meanwhile: 'all 503' | 'some 503' | 'some writes 503' | 'perhaps 503' | 'no 503';
  readonly movesClock?: boolean;
  /** Resolves once the fault is there. */
  begin(): Promise<void>;
  /** Resolves once its cause is gone. What comes after is the service's own doing. */
  end(): Promise<void>;
  /** Processes that were killed and started again, for as long as it lasted. */
  readonly kills?: readonly Kill[];
  /** What else must hold when callers have found their way again; answers with what does not. */
  after?(traffic: Traffic): Promise<string[]>;
}

export interface Kill {
  /** Its place among those that serve the API; undefined for a worker. */
  process: number | undefined;
  at: number;
  readyAt: number;
}

/** How long a new process may serve before the next kill. */
const LIFE_MS = 1000;

/** kill -9, again and again, of one process after another; each is started again at once. */
export function killing(name: string, deployment: Deployment, list: Running[]): Fault {
  const kills: Kill[] = [];
  const ending = new AbortController();
  let loop: Promise<void>;
  const run = async (): Promise<void> => {
    for (let i = 0; !ending.signal.aborted; i++) {
      const index = i % list.length;
      const process = list === deployment.processes ? index : undefined;
      const kill: Kill = { process, at: performance.now(), readyAt: Infinity };
      kills.push(kill);
      await deployment.replace(list, index);
      kill.readyAt = performance.now();
      await delay(LIFE_MS);
    }
  };
  return {
    name,
    meanwhile: 'no 503',
    kills,
    begin: async () => {
      loop = run();
    },
    end: () => {
      ending.abort();
      return loop;
    },
  };
}

export function databaseCrash(cluster: Cluster): Fault {
  const [begin, end] = [() => cluster.crash(), () => cluster.restart()];
  return { name: 'PostgreSQL crashes and restarts', meanwhile: 'all 503', begin, end };
}

export function databaseFrozen(cluster: Cluster): Fault {
  return {
    name: 'PostgreSQL frozen (SIGSTOP)',
    meanwhile: 'all 503',
    begin: async () => cluster.freeze(),
    end: async () => cluster.thaw(),
  };
}

export function networkLost(network: Network): Fault {
  return {
    name: 'network to PostgreSQL lost',
    meanwhile: 'all 503',
    begin: async () => network.lose(),
    end: async () => network.find(),
  };
}

const CUT_EVERY_MS = 300;

/** All connections of the service, several times a second. */
export function connectionsCut(url: string): Fault {
  const client = new Client({ connectionString: url, application_name: 'chaos' });
  let timer: NodeJS.Timeout;
  const cut = (): Promise<unknown> =>
    client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'hourkeep%'`);
  return {
    name: 'connections cut',
    meanwhile: 'some 503',
    begin: async () => {
      await client.connect();
      await cut();
      // The last one may still be under way at the end.
      timer = setInterval(() => void cut().catch(() => undefined), CUT_EVERY_MS);
    },
    end: async () => {
      clearInterval(timer);
      await client.end();
    },
  };
}

/** A window of the rate limit. */
const WINDOW_S = 60;

/** The server's clock steps, and back in the end; the processes keep theirs. A key at its limit is not locked out by it. */
export function databaseClockStep(
  { url, stepClock }: Cluster & { stepClock: (seconds: number) => void },
  seconds: number,
  deployment: Deployment,
): Fault {
  const ask = async (): Promise<number> => {
    const { status } = await send(deployment.url(0), 'GET', '/api-listings/api/v1/spaces', {
      key: deployment.demo.keys.sandbox,
    });
    return status;
  };
  const step = async (to: number): Promise<void> => {
    while ((await ask()) === 200);
    stepClock(to);
    const ahead = await secondsAhead(url);
    if (Math.abs(ahead - to) > 5) throw new Error(`the clock is ${ahead} s ahead, not ${to}`);
    if (Math.abs(seconds) <= WINDOW_S) return;
    const status = await ask();
    if (status !== 200) throw new Error(`a key is locked out (${status}) after the clock went to ${to} s`);
  };
  return {
    name: `PostgreSQL’s clock steps ${Math.abs(seconds)} s ${seconds < 0 ? 'back and ahead' : 'ahead and back'}`,
    // The server's own time limits go by its clock: a step may end a statement that waits for a lock.
    meanwhile: 'perhaps 503',
    begin: () => step(seconds),
    end: () => step(0),
  };
}

async function secondsAhead(url: string): Promise<number> {
  const [row] = await query<{ now: number }>(
    url,
    'select extract(epoch from clock_timestamp())::float8 as now',
  );
  return row!.now - Date.now() / 1000;
}

const STEP_BACK_MS = 10 * 60_000;

/** Every process's own clock jumps back, for good (see stepping-clock.ts). */
export function clockSteppingBack(file: string): Fault {
  return {
    name: 'clock steps back 10 minutes',
    meanwhile: 'no 503',
    movesClock: true,
    begin: async () => writeFileSync(file, String(-STEP_BACK_MS)),
    end: async () => undefined,
  };
}

/** A small disk of its own, or the reason why there is none. */
export type SmallDisk = { folder: TestFolder } | { missing: string };

const DISK_SIZE = '48m';

export function mountSmallDisk(): SmallDisk {
  if (process.getuid?.() !== 0) return { missing: 'only root can mount a tmpfs' };
  const folder = makeFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE}`, 'tmpfs', folder.path], {
      stdio: 'pipe',
    });
  } catch (error) {
    folder.remove();
    return { missing: `mount failed: ${(error as Error).message.split('\n').at(-1)}` };
  }
  const remove = (): void => {
    execFileSync('umount', ['--lazy', folder.path]);
    folder.remove();
  };
  return { folder: { path: folder.path, remove } };
}

/**
 * Fills the disk to the last block beside the database. Writes go on as long as the log has room in blocks that
 * it had before; reads need none.
 */
export function diskFull(folder: string): Fault {
  const filler = join(folder, 'filler');
  return {
    name: 'disk full',
    meanwhile: 'some writes 503',
    begin: async () => {
      const { bavail, bsize } = statfsSync(folder);
      // One block more than there is: what fits is written before the error comes.
      try {
        writeFileSync(filler, Buffer.alloc((bavail + 1) * bsize, 1));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    end: async () => rmSync(filler),
  };
}
