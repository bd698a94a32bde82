import { completeDue } from '../src/bookings/by-clock.ts';
import { create } from '../src/bookings/create.ts';
import type { Context } from '../src/context.ts';
import { write } from '../src/db/database.ts';
import { operator } from '../test/support/operator.ts';
import type { Bench, Place } from './support/bench.ts';
import { fill, FIRST_FREE_DAY, tidy, TABLE_SIZES } from '../test/traffic/fill.ts';
import type { Report } from './support/report.ts';
import { addHosts, bookingOf, datesFrom, withDatabase, type BenchHost } from '../test/traffic/world.ts';

const HOSTS = 50;
const SPACES_EACH = 20;
const STORED = 100_000;
const MADE = 20_000;
/** Completed and cleared up so often meanwhile, as autovacuum would. */
const ROUNDS = 5;
const AT_ONCE = 64;

/** By table. An index counts with its table. */
type Bytes = ReadonlyMap<string, number>;

/**
 * Bytes on disk for one booking with all that belongs to it, indexes included: as packed as a bulk load leaves it,
 * and as it grows when bookings come one by one, are completed, and tell one subscription of their host about it.
 */
export async function size(bench: Bench): Promise<Report> {
  const columns: [title: string, bytes: Bytes][] = [];
  for (const engine of bench.engines) {
    const { packed, grown } = await onEngine(await bench.newPlace(engine));
    columns.push([`${engine}, packed`, packed], [`${engine}, grown`, grown]);
  }
  const line = (name: string, of: (bytes: Bytes) => number): string[] => [
    name,
    ...columns.map(([, bytes]) => of(bytes).toFixed(0)),
  ];
  const tables = [...new Set(columns.flatMap(([, bytes]) => [...bytes.keys()]))].sort();
  const lines = tables.map((name) => line(name, (bytes) => bytes.get(name) ?? 0));
  const sum = line('all', (bytes) => [...bytes.values()].reduce((sum, each) => sum + each, 0));
  const grew = lines.filter(([, ...cells]) => cells.some((cell) => Number(cell) > 0));
  return {
    title: `Bytes for one booking of two hours among ${STORED.toLocaleString('en')}, with indexes`,
    table: [['', ...columns.map(([title]) => title)], ...grew, sum],
  };
}

async function onEngine({ url }: Place): Promise<{ packed: Bytes; grown: Bytes }> {
  return withDatabase(url, async (ctx) => {
    const settle = async (): Promise<Bytes> => {
      if (ctx.db.engine === 'postgres') await tidy(url);
      const rows = await ctx.db.all(TABLE_SIZES[ctx.db.engine]);
      return new Map(rows.map(({ name, bytes }) => [name, bytes]));
    };
    const hosts = await addHosts(ctx, HOSTS, SPACES_EACH);
    await ctx.db.transaction((tx) => tx.run(subscribeAll));
    const empty = await settle();
    await fill(ctx, hosts, STORED);
    const filled = await settle();
    let grown = filled;
    for (let round = 0; round < ROUNDS; round++) {
      const numbers = Array.from({ length: MADE / ROUNDS }, (_, i) => (round * MADE) / ROUNDS + i);
      await liveThrough(ctx, hosts, numbers);
      grown = await settle();
    }
    return { packed: forEach(STORED, empty, filled), grown: forEach(MADE, filled, grown) };
  });
}

/** Bookings by the service's own code, from creation to completion. */
async function liveThrough(
  ctx: Context,
  hosts: readonly BenchHost[],
  numbers: readonly number[],
): Promise<void> {
  const dates = datesFrom(FIRST_FREE_DAY, 365);
  const book = async (n: number): Promise<void> => {
    const { hostId, environment, spaces } = hosts[n % HOSTS]!;
    const round = Math.floor(n / HOSTS);
    // Dates of one space come in no order, as in life, and none twice.
    const date = dates[(Math.floor(round / SPACES_EACH) * 101) % dates.length]!;
    const hours = { space_id: spaces[round % SPACES_EACH]!, date, start_hour: 14, end_hour: 16 };
    await create(ctx, { hostId, environment, actor: operator }, bookingOf(hours, n));
  };
  for (let i = 0; i < numbers.length; i += AT_ONCE)
    await Promise.all(numbers.slice(i, i + AT_ONCE).map(book));
  const later = ctx.clock.now() + 800 * 86_400_000;
  while ((await completeDue({ ...ctx, clock: { now: () => later } })).more);
}

function forEach(bookings: number, before: Bytes, after: Bytes): Bytes {
  return new Map([...after].map(([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / bookings]));
}

const subscribeAll = write(`
  insert into webhooks (host_id, id, environment, url, events, is_active, secret, old_secrets, created_at, updated_at)
  select id, id, 'production', 'https://example.com/', 'booking.created booking.completed availability.changed', 1,
    '', '[]', 0, 0 from hosts`);
