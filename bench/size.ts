import { join } from 'node:path';
import { startCluster } from '../test/support/cluster.ts';
import { operator } from '../test/support/operator.ts';
import * as bookings from '../src/bookings/bookings.ts';
import type { Context } from '../src/context.ts';
import { read, write, type Db } from '../src/db/database.ts';
import { fill, FIRST_FREE_DAY, tidy } from './support/fill.ts';
import { CLUSTER_SETTINGS } from './support/pgbench.ts';
import type { Report } from './support/report.ts';
import { addHosts, datesFrom, withDatabase, type BenchHost } from './support/world.ts';

const HOSTS = 50;
const SPACES_EACH = 20;
const STORED = 100_000;
const MADE = 20_000;
/** Completed and cleared up so often meanwhile, as autovacuum would. */
const ROUNDS = 5;
const AT_ONCE = 64;

/**
 * Bytes on disk for one booking with all that belongs to it, indexes included: as packed as a bulk load leaves it,
 * and as it grows when bookings come one by one, are completed, and tell one subscription of their host about it.
 */
export async function size(folder: string): Promise<Report> {
  const embedded = await onEngine(`sqlite:${join(folder, 'size.db')}`);
  const cluster = await startCluster(CLUSTER_SETTINGS);
  if (cluster === undefined)
    process.stderr.write('bench: no PostgreSQL on this machine; size leaves it out\n');
  try {
    const postgres = cluster === undefined ? undefined : await onEngine(cluster.url);
    return table([
      { engine: 'embedded engine', ...embedded },
      ...(postgres === undefined ? [] : [{ engine: 'PostgreSQL', ...postgres }]),
    ]);
  } finally {
    cluster?.stop();
  }
}

interface Sizes {
  /** By table, in bytes for one booking. */
  readonly packed: ReadonlyMap<string, number>;
  readonly grown: ReadonlyMap<string, number>;
}

async function onEngine(url: string): Promise<Sizes> {
  return withDatabase(url, async (ctx) => {
    const settle = async (): Promise<ReadonlyMap<string, number>> => {
      if (ctx.db.engine === 'postgres') await tidy(url);
      return tableSizes(ctx.db);
    };
    const hosts = await addHosts(ctx, HOSTS, SPACES_EACH);
    await ctx.db.transaction((tx) => tx.run(subscribeAll));
    const empty = await settle();
    await fill(ctx, hosts, STORED);
    const filled = await settle();
    for (let round = 0; round < ROUNDS; round++) {
      await liveThrough(ctx, hosts, round * (MADE / ROUNDS), MADE / ROUNDS);
      await settle();
    }
    const grown = await settle();
    return { packed: growth(empty, filled, STORED), grown: growth(filled, grown, MADE) };
  });
}

/** Bookings by the service's own code, from creation to completion. */
async function liveThrough(
  ctx: Context,
  hosts: readonly BenchHost[],
  first: number,
  count: number,
): Promise<void> {
  const dates = datesFrom(FIRST_FREE_DAY, 365);
  for (let n = first; n < first + count; n += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, first + count - n) }, (_, i) => n + i);
    await Promise.all(some.map((each) => book(ctx, hosts, dates, each)));
  }
  const later = ctx.clock.now() + 800 * 86_400_000;
  while ((await bookings.completeDue({ ...ctx, clock: { now: () => later } })).more);
}

async function book(
  ctx: Context,
  hosts: readonly BenchHost[],
  dates: readonly string[],
  n: number,
): Promise<void> {
  const host = hosts[n % HOSTS]!;
  const round = Math.floor(n / HOSTS);
  const owner = { hostId: host.hostId, environment: 'production', actor: operator } as const;
  // Dates of one space come in no order, as in life, and none twice.
  const date = dates[(Math.floor(round / SPACES_EACH) * 101) % dates.length]!;
  await bookings.create(ctx, owner, {
    spaceId: host.spaces[round % SPACES_EACH]!,
    date,
    startHour: 14,
    endHour: 16,
    guestEmail: `guest-${Math.floor(n / 5)}@example.com`,
    guestName: 'Ada Miller',
    guestPhone: '+1 212 555 0142',
    settlementMode: 'host_settled',
    idempotencyKey: `order-${n}`,
  });
}

async function tableSizes(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all(TABLE_SIZES[db.engine]);
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

function growth(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  count: number,
): ReadonlyMap<string, number> {
  return new Map([...after].map(([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / count]));
}

function table(engines: readonly (Sizes & { engine: string })[]): Report {
  const columns = engines.flatMap(({ engine, packed, grown }) => [
    { title: `${engine}, packed`, bytes: packed },
    { title: `${engine}, grown`, bytes: grown },
  ]);
  const names = [...new Set(columns.flatMap(({ bytes }) => [...bytes.keys()]))].filter((name) =>
    columns.some(({ bytes }) => Math.round(bytes.get(name) ?? 0) > 0),
  );
  const rows = names
    .sort()
    .map((name) => [name, ...columns.map(({ bytes }) => (bytes.get(name) ?? 0).toFixed(0))]);
  const sums = columns.map(({ bytes }) =>
    [...bytes.values()].reduce((sum, each) => sum + each, 0).toFixed(0),
  );
  return {
    title: `Bytes for one booking of two hours among ${STORED.toLocaleString('en')}, with indexes`,
    table: [['', ...columns.map(({ title }) => title)], ...rows, ['all', ...sums]],
  };
}

interface TableSize {
  name: string;
  bytes: number;
}

/** An index counts with its table. */
const TABLE_SIZES = {
  sqlite: {
    text: `select m.tbl_name as name, sum(s.pgsize) as bytes
      from dbstat s join sqlite_schema m on m.name = s.name group by m.tbl_name`,
    name: 'tableSizes',
    writes: false,
  },
  postgres: read<TableSize>(`
    select relname as name, pg_total_relation_size(relid) as bytes from pg_stat_user_tables`),
} as const;

const subscribeAll = write(`
  insert into webhooks (host_id, id, environment, url, events, is_active, secret, old_secrets, created_at, updated_at)
  select id, id, 'production', 'https://example.com/', 'booking.created booking.completed availability.changed', 1,
    '', '[]', 0, 0 from hosts`);
