import type { Bench, EngineName, Place } from './support/bench.ts';
import { daysFor, fillDays, tidy } from './support/fill.ts';
import { repeatedRequests } from './support/repeated.ts';
import { format, spreadText, type Report, type Row } from './support/report.ts';
import { withServer } from './support/servers.ts';
import { inTurns, loadedSide, rowOf, type Side } from './support/turns.ts';
import { addHosts, withDatabase } from './support/world.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const CONNECTIONS = 4;
const SECONDS = 0.25;
/** Longer: there are fewer creates in a second, and how long each takes depends on the disk. */
const SECONDS_OF_CREATES = 1.5;
const WARM_UP_SECONDS = 0.15;
/**
 * Each host makes so many bookings beforehand, as in a day's business: the pages it writes are in memory, and PostgreSQL has
 * logged each of them whole once, as it does after every checkpoint.
 */
const BOOKED_BEFORE = 2;
const CONNECTIONS_BEFORE = 64;

/** What all of them have in common is today: only what lies before it, or beside it, grows. */
const SHAPES = {
  'of one host': {
    promised: 1.3,
    // No host will have more.
    upTo: 1_000_000,
    hosts: () => 1,
    spacesEach: 12,
    // A longer past, of more than the twelve months that earnings tell even where it is shortest.
    days: (bookings: number) => daysFor(bookings, 12),
  },
  'of all hosts': {
    promised: 1.15,
    upTo: Infinity,
    // More hosts, each with 2000 bookings.
    hosts: (bookings: number) => bookings / 2000,
    spacesEach: 4,
    days: () => daysFor(2000, 4),
  },
};
type Shape = keyof typeof SHAPES;

/** One engine with so many bookings of one host, or of all, against the smallest number. */
interface Column {
  readonly engine: EngineName;
  readonly shape: Shape;
  readonly size: number;
  readonly rows: readonly Row[];
}

/** How much longer everything that a host asks for again and again takes once there are a hundred times as many bookings. */
export async function growth(bench: Bench): Promise<Report> {
  const columns: Column[] = [];
  for (const shape of Object.keys(SHAPES) as Shape[]) {
    const { promised, upTo } = SHAPES[shape];
    const sizes = bench.bookings === undefined ? SIZES : [SIZES[0]!, Math.min(bench.bookings, upTo)];
    for (const engine of bench.engines) {
      const sides: Side[] = [];
      for (const size of sizes) sides.push(await filledSide(await bench.newPlace(engine), shape, size));
      const [few, ...more] = await inTurns(bench.pace.rounds, sides);
      for (const [i, many] of more.entries()) {
        const target = { below: promised };
        const rows = Object.entries(many).map(([what, ours]) =>
          rowOf('ms', [what, ours], [what, few![what]!], { target }),
        );
        columns.push({ engine, shape, size: sizes[i + 1]!, rows });
      }
      // A long run that is broken off has said something.
      process.stderr.write(`${format([report(columns)])}\n\n`);
    }
  }
  return report(columns);
}

async function filledSide(place: Place, shape: Shape, bookings: number): Promise<Side> {
  const { hosts, spacesEach, days } = SHAPES[shape];
  const startedAt = performance.now();
  const callers = await withDatabase(place.url, async (ctx) => {
    const added = await addHosts(ctx, hosts(bookings), spacesEach);
    await fillDays(ctx, added, days(bookings));
    return added;
  });
  await tidy(place.url);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stderr.write(`bench: filled with ${bookings} bookings ${shape} in ${seconds} s\n`);

  const start = () => place.start();
  const works = await withServer(start, async (server) => {
    const works = await repeatedRequests(server.port, callers, bookings / callers.length);
    for (let booked = 0; booked < BOOKED_BEFORE * callers.length;) {
      const create = works['create booking']!;
      const { perSecond } = await place.load([server], create, CONNECTIONS_BEFORE, WARM_UP_SECONDS);
      booked += perSecond! * WARM_UP_SECONDS;
    }
    return works;
  });
  const loads = Object.entries(works).map(([what, work]) => {
    const seconds = work.kind === 'create' ? SECONDS_OF_CREATES : SECONDS;
    return { what, work, connections: CONNECTIONS, seconds, warmUp: WARM_UP_SECONDS };
  });
  return loadedSide(place, start, loads);
}

/** All ratios as a table, and the worst one of each column for the target. */
function report(columns: readonly Column[]): Report {
  const few = SIZES[0]!.toLocaleString('en');
  const worst = columns.map(({ engine, shape, size, rows }): Row => {
    const row = rows.reduce((a, b) => (b.spread.median > a.spread.median ? b : a));
    const where = `${engine}, ${size.toLocaleString('en')} ${shape}`;
    return { ...row, what: `${where}, worst: ${row.what}`, against: `among ${few}` };
  });
  const headings = columns.map(
    ({ engine, shape, size }) => `${engine.split(' ')[0]}, 10^${Math.log10(size)} ${shape}`,
  );
  const cell = (row: Row): string => `${row.spread.median.toFixed(2)} (${spreadText(row)})`;
  const lines = (columns[0]?.rows ?? []).map(({ what }, i) => [
    what,
    ...columns.map(({ rows }) => cell(rows[i]!)),
  ]);
  const title = `Among more and more bookings, ${CONNECTIONS} connections: p50 ÷ p50 among ${few}`;
  return { title, rows: worst, table: [['', ...headings], ...lines] };
}
