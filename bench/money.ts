import { copyFileSync } from 'node:fs';
import type { Context } from '../src/context.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { read, write } from '../src/db/database.ts';
import { closeDue } from '../src/books/closing.ts';
import { datesFrom as datesAfter } from '../src/time/dates.ts';
import { insertManyBookings } from '../test/support/many-bookings.ts';
import type { Bench, Place } from './support/bench.ts';
import { COMMISSION, inBulk, sumCompleted } from './support/fill.ts';
import { answerTo, inTurns, LoadClient } from './support/measure.ts';
import { median, rowOf, type Figure, type Report, type Row } from './support/report.ts';
import { withServer, type Server } from './support/servers.ts';
import { asking, availabilityPath, feedPaths, type Work } from './support/work.ts';
import { addHosts, datesFrom, withDatabase, type BenchHost } from './support/world.ts';

// Long reads: what a month of 100 000 lines costs against adding the same rows up in SQL, the earnings of a host with 200
// spaces and 1 000 000 bookings, and what other callers notice of these, of that host's lists and of a feed of thousands. All
// share the machine, so the same reads are also asked of another process: what others notice of those is no order of work.

const MONTH = '2026-06';
const TODAY = '2026-06-16';
/** One in ten is cancelled, and one in fifty comes from elsewhere: 100 000 lines. */
const REPORTED = { spaces: 155, days: datesAfter(`${MONTH}-01`, 30)!, perDay: 24, today: TODAY };
const EARNING = { spaces: 200, days: datesAfter('2023-12-01', 1000)!, perDay: 5, today: TODAY };
/** Booked out for months ahead, hour by hour. Several, as each feed may be asked for 60 times a minute. */
const FED = { spaces: 6, days: datesFrom(0, 150), perDay: 24, today: datesFrom(0, 1)[0]! };

/** Others: so many, each with a pause after an answer. */
const [CONNECTIONS, PAUSE_MS] = [4, 5];
const SECONDS = 1;
/** The worker looks for a month to close every two seconds, and adds up what 100 000 lines come to. */
const CLOSING_SECONDS = 4;
/** The first one warms up. */
const TURNS = 4;
/** What others may notice of long reads: against none, and against what they notice when another process answers them. */
const [BELOW, BELOW_ANOTHER] = [1.5, 1.2];
/** What others notice of one more like themselves is the machine: no order of work makes room for a fifth. */
const THE_SAME = 'availability';

export async function money(bench: Bench): Promise<Report> {
  const rows: Row[] = [];
  for (const engine of bench.engines) rows.push(...(await onEngine(bench, await bench.newPlace(engine))));
  return { title: 'Long reads, and what others notice of them', rows };
}

async function onEngine({ pace, newPlace }: Bench, place: Place): Promise<Row[]> {
  const { engine, reported, earning, fed, monthSum, lifeSum } = await withDatabase(place.url, fillAndSum);
  const asked = (path: string, { key }: BenchHost): Work => asking(key, path);
  const reads = {
    [THE_SAME]: asked(availabilityPath(earning.spaces[1]!, '2026-06-01'), earning),
    reports: asked(`/api-settlement-report/api/v1/settlement/report?month=${MONTH}`, reported),
    earnings: asked('/api-earnings/api/v1/earnings', earning),
    lists: asked('/api-bookings/api/v1/bookings?status=confirmed', earning),
    feeds: asking(fed.key, ...feedPaths(fed)),
  };
  const others = asked(availabilityPath(earning.spaces[0]!, '2026-06-01'), earning);
  let lines = 0;
  const placeOfAnother = engine === 'sqlite' ? copyFile(place, await newPlace('embedded engine')) : place;
  const measureAll = async (server: Server, another: Server): Promise<Record<string, Figure>> => {
    const figures: Record<string, Figure> = {};
    for (const [name, work] of Object.entries(reads)) {
      await warm(() => answerTo(another, work));
      const [text, took] = await warm(() => answerTo(server, work));
      if (name === 'reports') lines = (JSON.parse(text) as { data: { lines: unknown[] } }).data.lines.length;
      figures[name] = took;
      const loading = (loaded: Server) => () => place.load([loaded], work, 1, SECONDS);
      const [during, elsewhere, without] = await p99InTurns(
        () => client.load([server], others, CONNECTIONS, SECONDS, place.databaseCpu, PAUSE_MS),
        [loading(server), loading(another), async () => {}],
      );
      Object.assign(figures, {
        [`during ${name}`]: during,
        [`elsewhere ${name}`]: elsewhere,
        [`without ${name}`]: without,
      });
    }
    const [closing, calm] = await p99InTurns(
      () => client.load([server], others, CONNECTIONS, CLOSING_SECONDS, place.databaseCpu, PAUSE_MS),
      [() => withDatabase(place.url, (ctx) => closeAgain(ctx, reported)), async () => {}],
    );
    return { ...figures, closing: closing!, calm: calm! };
  };
  const measure = () =>
    withServer(
      () => place.start(),
      (server) =>
        withServer(
          () => placeOfAnother.start(),
          (another) => measureAll(server, another),
        ),
    );
  const client = new LoadClient();
  const [seen] = await inTurns(pace.rounds, [measure]).finally(() => client.stop());
  const row = (what: string, ours: string, against: string, theirs: readonly Figure[]): Row =>
    rowOf('ms', [`${engine}, ${what}`, seen![ours]!], [against, theirs]);
  const everyRound = (once: Figure): Figure[] => Array<Figure>(pace.rounds).fill(once);
  const { spaces, days, perDay } = EARNING;
  const earned = `earnings of ${spaces} spaces, ${spaces * days.length * perDay} bookings`;
  return [
    row(`report of ${lines} lines`, 'reports', 'the same rows added up in SQL', everyRound(monthSum)),
    row(earned, 'earnings', 'the bookings added up in SQL', everyRound(lifeSum)),
    ...Object.keys(reads).flatMap((name) => {
      const beside = (against: string, when: string): Row =>
        row(`others’ p99 during ${name}`, `during ${name}`, against, seen![`${when} ${name}`]!);
      return [
        {
          ...beside('without', 'without'),
          target: name === THE_SAME ? undefined : { below: BELOW },
        },
        { ...beside('another process answers them', 'elsewhere'), target: { below: BELOW_ANOTHER } },
      ];
    }),
    {
      ...row(`others’ p99 while a month of ${lines} lines is closed`, 'closing', 'without', seen!['calm']!),
      target: { below: BELOW },
    },
  ];
}

/** Has the service add up what a closed month comes to once more, and waits until it has. */
async function closeAgain({ db }: Context, { hostId }: BenchHost): Promise<void> {
  await db.once(reopen, [hostId]);
  while ((await db.get(selectFigures, [hostId]))?.figures === null) await pause(20);
}

const OF_MONTH = `host_id = $1 and environment = 'production' and month = '${MONTH}'`;
const reopen = write(`update closings set figures = null, closing_balance = null where ${OF_MONTH}`);
const selectFigures = read<{ figures: string | null }>(`select figures from closings where ${OF_MONTH}`);

/** Three hosts with their bookings, and what adding them up takes. */
async function fillAndSum(ctx: Context) {
  const businesses = [REPORTED, EARNING, FED];
  const spacesEach = businesses.map(({ spaces }) => spaces);
  const hosts = await addHosts(ctx, businesses.length, spacesEach);
  await inBulk(ctx.db, async () => {
    for (const [i, business] of businesses.entries())
      await insertManyBookings(ctx.db, { ...business, ...hosts[i]! });
  });
  await ctx.db.migration(async (tx) => {
    await tx.run(sumCompleted);
    await tx.script('analyze');
  });
  // What the worker would else do first.
  await closeDue(ctx, new AbortController().signal, async () => undefined);
  const [reported, earning, fed] = hosts as [BenchHost, BenchHost, BenchHost];
  const month = [reported.hostId, REPORTED.days.at(0)!, REPORTED.days.at(-1)!];
  const [, monthSum] = await warm(() => ctx.db.get(sumMonth, month));
  const [, lifeSum] = await warm(() => ctx.db.migration((tx) => tx.get(sumLife, [earning.hostId])));
  return { engine: ctx.db.engine, reported, earning, fed, monthSum, lifeSum };
}

const BARE_SUM = `
  select count(*) as bookings, cast(sum(total_price) as bigint) as gross,
    cast(sum(${COMMISSION}) as bigint) as commission
  from bookings where host_id = $1 and environment = 'production'`;

/** What a report adds up, and nothing else. */
const sumMonth = read<unknown>(
  `${BARE_SUM} and date >= $2 and date <= $3 and source = 'api' and status <> 'cancelled'`,
);

/** What earnings would add up if nobody had kept sums. */
const sumLife = read<unknown>(`${BARE_SUM} and status = 'completed'`);

/** The p99 that others see beside each load: the median of some turns, so that whatever else the machine does falls on all alike. */
async function p99InTurns(
  ask: () => Promise<Figure>,
  loads: readonly (() => Promise<unknown>)[],
): Promise<Figure[]> {
  const seen = loads.map((): number[] => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [i, load] of loads.entries()) {
      const [{ p99 }] = await Promise.all([ask(), load()]);
      if (turn > 0) seen[i]!.push(p99!);
    }
  }
  return seen.map((p99s) => ({ ms: median(p99s) }));
}

/** A file belongs to one process: another one gets a copy of it. */
function copyFile(from: Place, to: Place): Place {
  copyFileSync(new URL(from.url).pathname, new URL(to.url).pathname);
  return to;
}

/** The second of two: the first one warms up. */
async function warm<T>(work: () => Promise<T>): Promise<[T, Figure]> {
  await work();
  const start = performance.now();
  const value = await work();
  return [value, { ms: performance.now() - start }];
}
