import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { startService, type Server } from '../../bench/support/servers.ts';
import { availabilityPath } from '../../bench/support/work.ts';
import { addHosts, bookingOf, datesFrom, withDatabase, type BenchHost } from '../../bench/support/world.ts';
import * as bookings from '../../src/bookings/bookings.ts';
import * as calendars from '../../src/calendars/calendars.ts';
import { createOnNodes, onServer } from '../support/citus.ts';
import type { CitusCluster } from './cluster.ts';

const HOSTS = 12;
const SHARDS = 8;
/** Every request is answered within this time. */
const ANSWER_MS = 2000;
/** What a worker does by the clock it has done after this. */
const WORK_MS = 20_000;

/**
 * An API process and a worker on two nodes. One is stopped: requests for its hosts are 503, and those for others, their deliveries,
 * completions and calendars go on. Then it is started again. Answers with what was not so.
 */
export async function stopNode({ url, servers }: CitusCluster): Promise<string[]> {
  const node = servers[1]!;
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-away-'));
  const database = await createOnNodes(url, `hourkeep_away_${randomBytes(6).toString('hex')}`, 2, SHARDS);
  await database.distribute();
  const hosts = await withDatabase(database.url, (ctx) => addHosts(ctx, HOSTS, 1));
  const [lost, others] = await byNode(database.url, hosts);
  const outside = await startOutside();
  const settings = {
    SECRET_KEY: 'for this proof alone',
    DATABASE_URL: database.url,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  };
  const api = await startService(join(folder, 'api'), settings, 'api');
  const worker = await startService(join(folder, 'worker'), settings, 'worker');
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
    for (const host of hosts) await ask(api, host, 'POST', WEBHOOKS, subscription(outside.url));
    // So that all processes have connections to both nodes.
    for (const [i, host] of hosts.entries())
      expect('before: 200', (await create(api, host, i)).status === 200);
    await eventually(() => outside.paths('/hook').length >= HOSTS);
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
    const sent = HOSTS + 3 * others.length;
    expect('deliveries of others go on', await eventually(() => outside.paths('/hook').length >= sent));
    const ended = await addWork(database.url, others[0]!, `${outside.url}/calendar.ics`);
    expect('calendars of others are read', await eventually(() => outside.paths('/calendar.ics').length > 0));
    const isCompleted = async (): Promise<boolean> => {
      const key = `host_id = '${others[0]!.hostId}' and date = '${ended}'`;
      const [found] = await onServer(database.url, [
        `select 1 from bookings where ${key} and status = 'completed'`,
      ]);
      return found!.length === 1;
    };
    expect('bookings of others are completed', await eventually(isCompleted));
    await back();
    const isBack = async (): Promise<boolean> => (await read(api, lost[0]!)).status === 200;
    expect('a node that is back serves its hosts', await eventually(isBack));
    const before = outside.paths('/hook').length;
    expect('and takes bookings', (await create(api, lost[0]!, 300)).status === 200);
    expect('and delivers', await eventually(() => outside.paths('/hook').length > before));
  } finally {
    await back();
    await api.stop();
    await worker.stop();
    outside.close();
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

/** A booking that has ended, and a calendar that is due. Answers the booking's date. */
async function addWork(url: string, host: BenchHost, calendar: string): Promise<string> {
  const [date] = datesFrom(-2, 1);
  await withDatabase(url, (ctx) =>
    ctx.db.transaction(async (tx) => {
      const now = ctx.clock.now();
      const request = bookingOf(
        { space_id: host.spaces[0]!, date: date!, start_hour: 1, end_hour: 2 },
        'ended',
      );
      const state = {
        source: 'api',
        status: 'confirmed',
        payment_status: 'host_collected',
        paid_at: null,
      } as const;
      const times = { cancellation_reason: null, created_at: now, updated_at: now };
      await bookings.enterAsItStands(tx, host, request, { ...state, ...times });
      await calendars.add(tx, now, ctx.secrets, { ...host, id: host.spaces[0]! }, calendar);
    }),
  );
  return date!;
}

/** Receives webhooks, and has a calendar without events. */
async function startOutside() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then(() => {
      seen.push(request.url!);
      response.writeHead(200, { 'content-type': 'text/calendar' });
      response.end('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths: (path: string) => seen.filter((each) => each === path),
    close: () => server.closeAllConnections(),
  };
}

const WEBHOOKS = '/api-webhooks/api/v1/webhooks';
const DATES = datesFrom(30, 365);

function subscription(url: string): object {
  return { url: `${url}/hook`, events: ['booking.created'] };
}

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

async function eventually(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + WORK_MS;
  while (performance.now() < deadline) {
    if (await holds()) return true;
    await delay(50);
  }
  return false;
}
