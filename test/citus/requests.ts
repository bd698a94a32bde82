import { randomBytes } from 'node:crypto';
import { median } from '../traffic/figures.ts';
import { cpuOfFamily } from '../traffic/servers.ts';
import { availabilityPath, type Caller } from '../traffic/work.ts';
import { addHosts, datesFrom } from '../traffic/world.ts';
import { buildApp } from '../../src/app.ts';
import type { Context } from '../../src/context.ts';
import type { Read } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createOnNodes } from '../support/citus.ts';
import { openContext } from '../support/context.ts';
import type { TestDatabase } from '../support/engines.ts';
import type { CitusCluster } from './cluster.ts';

const SHARDS = 4;
const HOSTS = 8;
const ROUNDS = 5;
/** Of each kind in a round. */
const REQUESTS = 150;

/** The service in this process on a database of its own, over one connection. */
interface Side {
  readonly ctx: Context;
  readonly database: TestDatabase;
  readonly app: Awaited<ReturnType<typeof buildApp>>;
  readonly hosts: readonly Caller[];
  /** Bookings that are still to be cancelled or moved, with their host's number. */
  readonly made: { id: string; host: number }[];
  next: number;
}

interface Request {
  readonly host: number;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: object;
}

/** The nth request to a service. Hosts with a subscription are the second half of all. */
type Kind = (side: Side, n: number) => Request;

const DATES = datesFrom(30, 365);
const dateOf = (n: number): string => DATES[n % DATES.length]!;
const hostOf = (n: number): number => n % (HOSTS / 2);

const KINDS: Readonly<Record<string, Kind>> = {
  availability: ({ hosts }, n) => ({
    host: hostOf(n),
    method: 'GET',
    url: availabilityPath(hosts[hostOf(n)]!.spaces[0]!, dateOf(n)),
  }),
  'availability, 7 days': ({ hosts }, n) => ({
    host: hostOf(n),
    method: 'GET',
    url: `${availabilityPath(hosts[hostOf(n)]!.spaces[0]!, dateOf(n))}&days=7`,
  }),
  create: (side, n) => booking(side, hostOf(n), n),
  'create, subscribed': (side, n) => booking(side, hostOf(n) + HOSTS / 2, n),
  move: (side, n) => {
    const { id, host } = side.made.shift()!;
    return booking(side, host, n, id);
  },
  cancel: ({ made }) => {
    const { id, host } = made.shift()!;
    const url = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
    return { host, method: 'POST', url, body: { reason: 'Rain' } };
  },
  'list of 50': (_, n) => ({ host: hostOf(n), method: 'GET', url: '/api-bookings/api/v1/bookings?limit=50' }),
};

/** Each takes two hours that no other takes. */
function booking({ hosts }: Side, host: number, n: number, replaces?: string): Request {
  const startHour = (Math.floor(n / DATES.length) * 2) % 24;
  const body = {
    space_id: hosts[host]!.spaces[0]!,
    date: dateOf(n),
    start_hour: startHour,
    end_hour: startHour + 2,
    guest_email: `guest-${n}@example.com`,
    guest_name: 'Ada Miller',
    settlement_mode: 'host_settled',
    idempotency_key: `order-${n}`,
    ...(replaces === undefined ? {} : { replaces }),
  };
  return { host, method: 'POST', url: '/api-create-booking/api/v1/bookings', body };
}

/**
 * What requests of each kind cost the database, one at a time over one connection, in turns with and without Citus; and of each
 * statement whether Citus keeps its plan. It keeps those that it plans from the fast path: one table by host_id = $1, or one row of values.
 */
export async function measureRequests(cluster: CitusCluster): Promise<string[]> {
  const sides = [await openSide(cluster, false), await openSide(cluster, true)];
  try {
    const lines = [row('CPU µs of the database', ['PostgreSQL', 'Citus', 'ratio'])];
    const planned: string[] = [];
    for (const [kind, request] of Object.entries(KINDS)) {
      const spent = sides.map((): number[] => []);
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [i, side] of sides.entries()) {
          const before = await plansOf(side);
          const cost = await load(cluster, side, request);
          // The first round warms up.
          if (round > 0) spent[i]!.push(cost);
          if (round === ROUNDS && i === 1)
            planned.push('', `${kind}:`, ...describe(before, await plansOf(side)));
        }
      }
      const [plain = NaN, citus = NaN] = spent.map(median);
      lines.push(row(kind, [plain.toFixed(0), citus.toFixed(0), (citus / plain).toFixed(1)]));
    }
    return [...lines, ...planned];
  } finally {
    for (const { app, ctx, database } of sides) {
      await app.close();
      await ctx.db.close();
      await database.drop();
    }
  }
}

/** With all shards on the coordinator. */
async function openSide({ url }: CitusCluster, distributed: boolean): Promise<Side> {
  const name = `hourkeep_requests_${randomBytes(6).toString('hex')}`;
  const database = await createOnNodes(url, name, 1, SHARDS);
  if (distributed) await database.distribute();
  const ctx = openContext({
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '1',
    GUEST_VELOCITY_MAX: '1000000',
    RATE_LIMIT_PRODUCTION: '10000',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  });
  await migrate(ctx.db, ctx.clock);
  const hosts = await addHosts(ctx, HOSTS, 1);
  const app = await buildApp(ctx);
  const side: Side = { ctx, database, app, hosts, made: [], next: 0 };
  for (let host = HOSTS / 2; host < HOSTS; host++) await send(side, subscription(host));
  return side;
}

/** Nobody listens there, and no worker sends. */
function subscription(host: number): Request {
  const body = { url: 'http://127.0.0.1:9/', events: ['booking.created', 'availability.changed'] };
  return { host, method: 'POST', url: '/api-webhooks/api/v1/webhooks', body };
}

async function load({ servers }: CitusCluster, side: Side, kind: Kind): Promise<number> {
  const cpu = (): number => servers.reduce((sum, server) => sum + cpuOfFamily(server.pid()), 0);
  const before = cpu();
  for (let i = 0; i < REQUESTS; i++) await send(side, kind(side, side.next++));
  return (cpu() - before) / REQUESTS;
}

async function send({ app, hosts, made }: Side, { host, method, url, body }: Request): Promise<void> {
  const headers = { authorization: `Bearer ${hosts[host]!.key}` };
  const answer = await app.inject({ method, url, headers, ...(body && { payload: body }) });
  if (answer.statusCode >= 300) throw new Error(`${method} ${url} answered ${answer.body}`);
  if (url.startsWith('/api-create-booking')) made.push({ id: answer.json().data.booking.id, host });
}

interface Prepared {
  readonly name: string;
  readonly statement: string;
  /** How often it was run with a plan that was kept, and with one that was made for that time. */
  readonly kept: number;
  readonly anew: number;
}

/** Those that name a table of Citus. Asked over the connection that has sent them all. */
const selectPrepared: Read<Prepared> = {
  text: `select name, statement, generic_plans as kept, custom_plans as anew from pg_prepared_statements
    where exists (select 1 from pg_dist_partition where statement ~ ('\\m' || logicalrelid || '\\M'))
    order by name`,
  name: '',
  writes: false,
};

async function plansOf({ ctx }: Side): Promise<Map<string, Prepared>> {
  const rows = await ctx.db.all(selectPrepared);
  return new Map(rows.map((row) => [row.name, row]));
}

/** What was sent between two looks. */
function describe(before: Map<string, Prepared>, after: Map<string, Prepared>): string[] {
  return [...after.values()].flatMap(({ name, statement, kept, anew }) => {
    const earlier = before.get(name) ?? { kept: 0, anew: 0 };
    const often = anew - earlier.anew;
    if (kept + often === earlier.kept) return [];
    const how = often === 0 ? 'fast path' : 'EACH TIME';
    return `  ${how}  ${statement.replaceAll(/\s+/g, ' ').trim().slice(0, 110)}`;
  });
}

function row(name: string, cells: readonly string[]): string {
  return [name.padEnd(24), ...cells.map((cell) => cell.padStart(12))].join(' ');
}
