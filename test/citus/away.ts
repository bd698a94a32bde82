import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startService, type Server } from '../traffic/servers.ts';
import { availabilityPath } from '../traffic/work.ts';
import { addHosts, datesFrom, withDatabase, type BenchHost } from '../traffic/world.ts';
import { createOnNodes, onServer } from '../support/citus.ts';
import type { CitusCluster } from './cluster.ts';

const HOSTS = 12;
const SHARDS = 8;
/** Every request is answered within this time. */
const ANSWER_MS = 2000;
/** A node that was started again serves within this time. */
const BACK_MS = 20_000;

/**
 * An API process on two nodes. One is stopped: requests for its hosts are 503, and those for others go on. Then it is started
 * again. Answers with what was not so.
 */
export async function stopNode({ url, servers }: CitusCluster): Promise<string[]> {
  const node = servers[1]!;
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-away-'));
  const database = await createOnNodes(url, `hourkeep_away_${randomBytes(6).toString('hex')}`, 2, SHARDS);
  await database.distribute();
  const hosts = await withDatabase(database.url, (ctx) => addHosts(ctx, HOSTS, 1));
  const [lost, others] = await byNode(database.url, hosts);
  const settings = {
    SECRET_KEY: 'for this proof alone',
    DATABASE_URL: database.url,
  };
  const api = await startService(join(folder, 'api'), settings, 'api');
  const trouble: string[] = [];
  const expect = (what: string, holds: boolean): void => {
    if (!holds) trouble.push(what);
  };
  let isDown = false;
  const back = async (): Promise<void> => {
    if (isDown) await node.restart();
    isDown = false;
  };
  try {
    // So that all processes have connections to both nodes.
    for (const [i, host] of hosts.entries())
      expect('before: 200', (await create(api, host, i)).status === 200);
    await node.crash();
    isDown = true;
    for (let round = 0; round < 3; round++) {
      for (const host of lost) {
        for (const answer of [await read(api, host), await create(api, host, 100 + round)]) {
          expect(`a lost host is 503, not ${answer.status}`, answer.status === 503);
          expect(`503 took ${answer.ms.toFixed(0)} ms`, answer.ms < ANSWER_MS);
        }
      }
      for (const [i, host] of others.entries()) {
        expect('others read', (await read(api, host)).status === 200);
        expect('others book', (await create(api, host, 200 + round * HOSTS + i)).status === 200);
      }
    }
    const together = await Promise.all([...lost, ...others].map((host) => read(api, host)));
    const served = together.map(({ status }) => status);
    expect(
      'others that travel with a lost host are served',
      served.filter((status) => status === 200).length === others.length,
    );
    await back();
    const isBack = async (): Promise<boolean> => (await read(api, lost[0]!)).status === 200;
    expect('a node that is back serves its hosts', await eventually(isBack));
    expect('and takes bookings', (await create(api, lost[0]!, 300)).status === 200);
  } finally {
    await back();
    await api.stop();
    await database.drop();
    rmSync(folder, { recursive: true });
  }
  return [...new Set(trouble)];
}

/** Those whose rows are on the second node, and all others. */
async function byNode(url: string, hosts: readonly BenchHost[]): Promise<[BenchHost[], BenchHost[]]> {
  const [rows] = await onServer(url, [
    `select h.id from unnest(array['${hosts.map(({ hostId }) => hostId).join("','")}']::uuid[]) as h (id)
     join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('spaces', h.id) where p.groupid > 0`,
  ]);
  const ids = new Set((rows as { id: string }[]).map(({ id }) => id));
  return [hosts.filter(({ hostId }) => ids.has(hostId)), hosts.filter(({ hostId }) => !ids.has(hostId))];
}

const DATES = datesFrom(30, 365);

interface Answered {
  readonly status: number;
  readonly ms: number;
}

function read(api: Server, host: BenchHost): Promise<Answered> {
  return ask(api, host, 'GET', availabilityPath(host.spaces[0]!, DATES[0]!));
}

function create(api: Server, host: BenchHost, n: number): Promise<Answered> {
  const body = {
    space_id: host.spaces[0]!,
    date: DATES[n]!,
    start_hour: 10,
    end_hour: 12,
    guest_email: `guest-${n}@example.com`,
    guest_name: 'Ada Miller',
    settlement_mode: 'host_settled',
  };
  return ask(api, host, 'POST', '/api-create-booking/api/v1/bookings', body);
}

async function ask(
  { port }: Server,
  { key }: BenchHost,
  method: string,
  path: string,
  body?: object,
): Promise<Answered> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const startedAt = performance.now();
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...sent });
  await answer.text();
  return { status: answer.status, ms: performance.now() - startedAt };
}

async function eventually(holds: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + BACK_MS;
  while (performance.now() < deadline) {
    if (await holds()) return true;
    await delay(50);
  }
  return false;
}
