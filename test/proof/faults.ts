import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Cluster } from '../support/cluster.ts';
import type { Network } from '../support/network.ts';
import type { Running } from '../support/process.ts';
import { query } from '../support/query.ts';
import { send } from '../support/world.ts';
import type { Deployment } from './services.ts';
import type { Traffic } from './traffic.ts';

export interface Fault {
  readonly name: string;
  /** What callers may meet while it lasts. A connection to a process that was killed may always break. */
  readonly meanwhile: 'all 503' | 'some 503' | 'perhaps 503' | 'no 503';
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
    while ((await ask()) !== 429);
    stepClock(to);
    const ahead = await secondsAhead(url);
    if (Math.abs(ahead - to) > 5) throw new Error(`the clock is ${ahead} s ahead, not ${to}`);
    if (Math.abs(seconds) <= WINDOW_S) return;
    if ((await ask()) === 429) throw new Error(`a key is locked out after the clock went to ${to} s`);
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
