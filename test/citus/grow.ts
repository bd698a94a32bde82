import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fill, FIRST_FREE_DAY } from '../traffic/fill.ts';
import { quantile } from '../traffic/figures.ts';
import { startService } from '../traffic/servers.ts';
import { requestText } from '../traffic/work.ts';
import { addHosts, datesFrom, withDatabase } from '../traffic/world.ts';
import { createOnNodes, onServer } from '../support/citus.ts';
import type { CitusCluster } from './cluster.ts';

const BOOKINGS = 100_000;
const HOSTS = 200;
const SHARDS = 32;

/**
 * Adds the last node to a filled database and spreads the shards anew, while an API process takes bookings. Answers with what
 * that took, and with trouble: answers that were not 200, rows that are gone.
 */
export async function grow(cluster: CitusCluster): Promise<{ told: string; trouble: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-grow-'));
  const name = `hourkeep_grow_${randomBytes(6).toString('hex')}`;
  const database = await createOnNodes(cluster.url, name, cluster.nodes - 1, SHARDS);
  const callers = await withDatabase(database.url, async (ctx) => {
    const hosts = await addHosts(ctx, HOSTS, 2);
    await fill(ctx, hosts, BOOKINGS);
    return hosts;
  });
  await database.distribute();
  const settings = { SECRET_KEY: 'for this proof alone', DATABASE_URL: database.url };
  const api = await startService(join(folder, 'api'), settings, 'api');
  const trouble: string[] = [];
  const times: number[] = [];
  const over = new AbortController();
  let booked = 0;
  const book = async (): Promise<void> => {
    const work = { kind: 'create', callers, dates: datesFrom(FIRST_FREE_DAY, 300) } as const;
    for (; !over.signal.aborted; booked++) {
      const [head = '', body = ''] = requestText(work, booked).split('\r\n\r\n');
      const [method = '', path = ''] = head.split(' ');
      const authorization = /Bearer \S+/.exec(head)![0];
      const headers = { authorization, 'content-type': 'application/json' };
      const startedAt = performance.now();
      const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, { method, headers, body });
      times.push(performance.now() - startedAt);
      if (answer.status !== 200) trouble.push(`answered ${answer.status}: ${await answer.text()}`);
      await answer.text();
    }
  };
  const booking = book();
  try {
    const startedAt = performance.now();
    await database.addNode();
    await onServer(database.url, ['select citus_rebalance_start()']);
    const [job] = await onServer(database.url, [REBALANCE]);
    while ((job![0] as { state: string }).state !== 'finished') {
      await delay(200);
      const [now] = await onServer(database.url, [REBALANCE]);
      job![0] = now![0];
      const { state } = now![0] as { state: string };
      if (state === 'failed' || state === 'cancelled') throw new Error(`the rebalancer has ${state}`);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    over.abort();
    await booking;
    const [rows, places] = await onServer(database.url, [
      'select count(*)::integer as count from bookings',
      `select count(distinct shardid)::integer as count from citus_shards where table_name = 'bookings'::regclass
       group by nodeport order by nodeport`,
    ]);
    const { count } = rows![0] as { count: number };
    if (count !== BOOKINGS + booked) trouble.push(`${BOOKINGS + booked} bookings, ${count} found`);
    const spread = (places as { count: number }[]).map((place) => place.count).join(', ');
    const slowest = `p99 ${quantile(times, 0.99).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms`;
    const told = `${seconds.toFixed(0)} s; shards on nodes: ${spread}; meanwhile ${booked} creates, ${slowest}`;
    return { told, trouble };
  } finally {
    over.abort();
    await booking;
    await api.stop();
    await database.drop();
    rmSync(folder, { recursive: true });
  }
}

const REBALANCE = 'select state::text from pg_dist_background_job order by job_id desc limit 1';
