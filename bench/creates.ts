import { join } from 'node:path';
import { startCluster } from '../test/support/cluster.ts';
import { fill, FIRST_FREE_DAY, tidy } from './support/fill.ts';
import { LoadClient, sideBySide, Target } from './support/measure.ts';
import { CLIENTS, CLUSTER_SETTINGS, CreateScript } from './support/pgbench.ts';
import { share, type Report, type Row } from './support/report.ts';
import { startBare, startService } from './support/servers.ts';
import { requestText, type Work } from './support/work.ts';
import { addHosts, datesFrom, withDatabase } from './support/world.ts';

const CONNECTIONS = 64;
const ROUNDS = 3;
const SECONDS = 4;
const WARM_UP_SECONDS = 6;
const SPACES = 25;
/** So that PostgreSQL has seen what it plans for. */
const STORED = 10_000;

/** Bookings of free hours: how much of a bare route, and how much of PostgreSQL itself, is left of them. */
export async function creates(folder: string): Promise<Report> {
  return {
    title: `Create booking, ${CONNECTIONS} connections`,
    rows: [await onEmbedded(join(folder, 'creates')), ...(await onPostgres(join(folder, 'creates-pg')))],
  };
}

async function onEmbedded(folder: string): Promise<Row> {
  const hosts = await withDatabase(`sqlite:${folder}/hourkeep.db`, (ctx) => addHosts(ctx, 1, SPACES));
  const work: Work = { kind: 'create', callers: hosts, dates: datesFrom(FIRST_FREE_DAY, 365) };
  const service = await startService(folder);
  const bare = await startBare(join(folder, 'bare'), await answerTo(service.port, work));
  const client = new LoadClient();
  try {
    const ours = new Target(service, work, 1);
    const theirs = new Target(bare, { ...work, path: '/x' });
    for (const target of [theirs, ours]) await target.load(client, CONNECTIONS, WARM_UP_SECONDS);
    const [create, yardstick] = await sideBySide(
      ROUNDS,
      () => ours.load(client, CONNECTIONS, SECONDS),
      () => theirs.load(client, CONNECTIONS, SECONDS),
    );
    return share(
      'embedded engine, synchronous=FULL',
      create,
      'bare Fastify POST, same bytes',
      yardstick,
      0.3,
    );
  } finally {
    client.stop();
    await Promise.all([service.stop(), bare.stop()]);
  }
}

async function onPostgres(folder: string): Promise<Row[]> {
  const cluster = await startCluster(CLUSTER_SETTINGS);
  if (cluster === undefined) {
    process.stderr.write('bench: no PostgreSQL on this machine; its part of creates is left out\n');
    return [];
  }
  const client = new LoadClient();
  try {
    const dates = datesFrom(FIRST_FREE_DAY, 365);
    const { hosts, script } = await withDatabase(cluster.url, async (ctx) => {
      const hosts = await addHosts(ctx, 2, SPACES);
      await fill(ctx, hosts, STORED);
      return { hosts, script: await CreateScript.record(ctx, hosts[1]!, dates, `${folder}.sql`) };
    });
    await tidy(cluster.url);
    const service = await startService(folder, { DATABASE_URL: cluster.url });
    try {
      const ours = new Target(service, { kind: 'create', callers: [hosts[0]!], dates });
      await ours.load(client, CONNECTIONS, WARM_UP_SECONDS);
      const [create, yardstick] = await sideBySide(
        ROUNDS,
        () => ours.load(client, CONNECTIONS, SECONDS),
        () => script.run(cluster.url, SECONDS),
      );
      const against = `pgbench, same statements, ${CLIENTS} clients`;
      return [share(`PostgreSQL, pool of ${CLIENTS}`, create, against, yardstick, 0.35)];
    } finally {
      await service.stop();
    }
  } finally {
    client.stop();
    cluster.stop();
  }
}

/** The bytes that the service answers to the first request. */
async function answerTo(port: number, work: Work): Promise<string> {
  const [head = '', body = ''] = requestText(work, 0).split('\r\n\r\n');
  const [, path] = head.split(' ');
  const key = /Bearer (\S+)/.exec(head)?.[1];
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  if (answer.status !== 200) throw new Error(`create booking answered ${await answer.text()}`);
  return answer.text();
}
