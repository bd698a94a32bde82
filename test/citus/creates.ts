import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoadClient } from '../traffic/load-client.ts';
import { median } from '../traffic/figures.ts';
import { cpuOf, cpuOfFamily, startService, type Server } from '../traffic/servers.ts';
import type { Caller } from '../traffic/work.ts';
import { addHosts, datesFrom, withDatabase } from '../traffic/world.ts';
import { createOnNodes } from '../support/citus.ts';
import type { TestDatabase } from '../support/engines.ts';
import type { CitusCluster } from './cluster.ts';

const HOSTS = 200;
const SHARDS = 32;
const CONNECTIONS = 24;
const ROUNDS = 3;
const SECONDS = 3;

interface Stage {
  readonly what: string;
  readonly database: TestDatabase;
  readonly api: Server;
  readonly callers: readonly Caller[];
  readonly samples: Sample[];
  next: number;
}

interface Sample {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU for one create: of the API process, of the coordinator, and of the other nodes together. */
  readonly api: number;
  readonly coordinator: number;
  readonly others: number;
}

/**
 * Creates per second of one API process on the server without Citus, and with the shards on one node and on more, in
 * turns. Answers with a line for each.
 */
export async function measureCreates(cluster: CitusCluster): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-citus-'));
  const stages: Stage[] = [];
  const client = new LoadClient();
  try {
    for (let nodes = 0; nodes <= cluster.nodes; nodes++) stages.push(await setStage(cluster, nodes, folder));
    for (let round = 0; round <= ROUNDS; round++) {
      for (const stage of stages) {
        const sample = await load(cluster, stage, client);
        // The first round warms up.
        if (round > 0) stage.samples.push(sample);
      }
    }
    return [HEAD, ...stages.map(lineOf)];
  } finally {
    client.stop();
    for (const { api, database } of stages) {
      await api.stop();
      await database.drop();
    }
    rmSync(folder, { recursive: true });
  }
}

/** No nodes: not distributed. */
async function setStage({ url }: CitusCluster, nodes: number, folder: string): Promise<Stage> {
  const name = `hourkeep_creates_${randomBytes(6).toString('hex')}`;
  const database = await createOnNodes(url, name, Math.max(1, nodes), SHARDS);
  if (nodes > 0) await database.distribute();
  const callers = await withDatabase(database.url, (ctx) => addHosts(ctx, HOSTS, 1));
  const settings = {
    NODE_ENV: 'production',
    SECRET_KEY: 'for this measurement alone',
    DATABASE_URL: database.url,
  };
  const api = await startService(join(folder, name), { ...settings, RATE_LIMIT_PRODUCTION: '10000' }, 'api');
  const what = nodes === 0 ? 'not distributed' : `${nodes} ${nodes === 1 ? 'node' : 'nodes'}`;
  return { what, database, api, callers, samples: [], next: 0 };
}

async function load({ servers }: CitusCluster, stage: Stage, client: LoadClient): Promise<Sample> {
  const cpu = (): number[] => [cpuOf(stage.api.pid), ...servers.map((server) => cpuOfFamily(server.pid()))];
  const before = cpu();
  const work = { kind: 'create', callers: stage.callers, dates: datesFrom(30, 365) } as const;
  const options = { connections: CONNECTIONS, seconds: SECONDS, first: stage.next };
  const { requests, p50, p99, next } = await client.run({
    ports: [stage.api.port],
    works: [work],
    ...options,
  });
  stage.next = next;
  const [api = NaN, coordinator = NaN, ...others] = cpu().map((now, i) => (now - before[i]!) / requests);
  const ofOthers = others.reduce((sum, each) => sum + each, 0);
  return { perSecond: requests / SECONDS, p50, p99, api, coordinator, others: ofOthers };
}

const COLUMNS = ['perSecond', 'p50', 'p99', 'api', 'coordinator', 'others'] as const;

const HEAD = row('', ['creates/s', 'p50 ms', 'p99 ms', 'CPU µs: API', 'coordinator', 'other nodes']);

function lineOf({ what, samples }: Stage): string {
  // NaN: one of the server's processes ended while their times were added up.
  const known = (column: keyof Sample): number[] =>
    samples.map((sample) => sample[column]).filter((value) => !Number.isNaN(value));
  const medians = COLUMNS.map((column) => median(known(column)));
  return row(
    what,
    medians.map((value, i) => value.toFixed(COLUMNS[i]!.startsWith('p') && i > 0 ? 1 : 0)),
  );
}

function row(name: string, cells: readonly string[]): string {
  return [name.padEnd(16), ...cells.map((cell) => cell.padStart(12))].join(' ');
}
