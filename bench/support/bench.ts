import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onServer } from '../../test/support/citus.ts';
import { startCluster } from '../../test/support/cluster.ts';
import { LoadClient } from '../../test/traffic/load-client.ts';
import type { Pace, Side } from './measure.ts';
import type { Figure } from '../../test/traffic/figures.ts';
import {
  cpuOfFamily,
  startService,
  withServer,
  type Command,
  type Server,
} from '../../test/traffic/servers.ts';
import type { Work } from '../../test/traffic/work.ts';

export interface Options {
  readonly pace: Pace;
  /** The folder of another checkout: hold this one against it instead of the yardsticks. */
  readonly against?: string | undefined;
  /** The larger size of growth. */
  readonly bookings?: number | undefined;
}

export type EngineName = 'embedded engine' | 'PostgreSQL';

/** What a part measures with. */
export interface Bench extends Options {
  /** PostgreSQL is missing where the machine has none: what needs it is left out. */
  readonly engines: readonly EngineName[];
  newPlace(engine: EngineName): Promise<Place>;
}

/** A database, empty at first, and what can be done with the services on it. */
export interface Place {
  readonly url: string;
  readonly folder: string;
  /** Microseconds that the database's own processes have used so far; NaN where it has none. */
  databaseCpu(): number;
  start(settings?: Record<string, string>, command?: Command, root?: string): Promise<Server>;
  load(servers: readonly Server[], work: Work, connections: number, seconds: number): Promise<Figure>;
}

/** fsync as in production; what checkpoints cost comes at its own times and would fall on one side or the other. */
const CLUSTER_SETTINGS = { fsync: 'on', max_wal_size: '8GB', checkpoint_timeout: '1h' };
let made = 0;

/** Each part has a PostgreSQL server of its own: what others left behind would be vacuumed while it measures. */
export async function withBench<T>(
  parent: string,
  options: Options,
  part: (bench: Bench) => Promise<T>,
): Promise<T> {
  const cluster = await startCluster(CLUSTER_SETTINGS);
  if (cluster === undefined) process.stderr.write('bench: no PostgreSQL on this machine; it is left out\n');
  const client = new LoadClient();
  const place = (url: string, folder: string, databaseCpu: () => number): Place => ({
    url,
    folder,
    databaseCpu,
    start: (settings, command, root) =>
      startService(folder, { DATABASE_URL: url, ...settings }, command, root),
    load: (...what) => client.load(...what, databaseCpu),
  });
  const newPlace = async (engine: EngineName): Promise<Place> => {
    const name = `bench_${made++}`;
    const folder = join(parent, name);
    mkdirSync(folder);
    if (engine === 'embedded engine') return place(`sqlite:${folder}/hourkeep.db`, folder, () => NaN);
    await onServer(cluster!.url, [`create database ${name}`]);
    return place(new URL(`/${name}`, cluster!.url).href, folder, () => cpuOfFamily(cluster!.pid()));
  };
  const engines = ['embedded engine', ...(cluster === undefined ? [] : ['PostgreSQL'])] as EngineName[];
  return part({ ...options, engines, newPlace }).finally(() => {
    client.stop();
    cluster?.stop();
  });
}

/** How a server is loaded with one thing: over so many connections, for so long, after so long a warm-up. */
export interface Load {
  readonly what: string;
  readonly work: Work;
  readonly connections: number;
  readonly seconds: number;
  readonly warmUp: number;
}

/** Starts a server, loads it with one thing after the other, and stops it. */
export function loadedSide(place: Place, start: () => Promise<Server>, loads: readonly Load[]): Side {
  return () =>
    withServer(start, async (server) => {
      const figures: Record<string, Figure> = {};
      for (const { what, work, connections, seconds, warmUp } of loads) {
        await place.load([server], work, connections, warmUp);
        figures[what] = await place.load([server], work, connections, seconds);
      }
      return figures;
    });
}
