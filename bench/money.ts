import { copyFileSync } from 'node:fs';
import type { Context } from '../src/context.ts';
import { closeDue } from '../src/settlement/closing.ts';
import { datesFrom as datesAfter } from '../src/time/dates.ts';
import { insertManyBookings } from '../test/support/many-bookings.ts';
import type { Bench, Place } from './support/bench.ts';
import { inBulk, sumCompleted } from '../test/traffic/fill.ts';
import { answerTo, LoadClient } from '../test/traffic/load-client.ts';
import { inTurns } from './support/measure.ts';
import { median, type Figure } from '../test/traffic/figures.ts';
import { rowOf, type Report, type Row } from './support/report.ts';
import { withServer, type Server } from '../test/traffic/servers.ts';
import { asking, availabilityPath, feedPaths, type Work } from '../test/traffic/work.ts';
import { addHosts, datesFrom, withDatabase, type BenchHost } from '../test/traffic/world.ts';

// Long reads: what other callers notice of a month of 100 000 lines, of the earnings and lists of a host with 200 spaces and
// 1 000 000 bookings, and of a feed of thousands. All share the machine, so the same reads are also asked of another process: what others notice of those is no order of work.

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
  const { engine, hosts } = await withDatabase(place.url, fillAll);
  const [reported, earning, fed] = hosts as [BenchHost, BenchHost, BenchHost];
  const asked = (path: string, { key }: BenchHost): Work => asking(key, path);
  const reads = {
    [THE_SAME]: asked(availabilityPath(earning.spaces[1]!, '2026-06-01'), earning),
    reports: asked(`/api-settlement-report/api/v1/settlement/report?month=${MONTH}`, reported),
    earnings: asked('/api-earnings/api/v1/earnings', earning),
    lists: asked('/api-bookings/api/v1/bookings?status=confirmed', earning),
    feeds: asking(fed.key, ...feedPaths(fed)),
  };
  const others = asked(availabilityPath(earning.spaces[0]!, '2026-06-01'), earning);
  const placeOfAnother = engine === 'sqlite' ? await newPlace('embedded engine') : place;
  // A file belongs to one process: another one gets a copy of it.
  if (placeOfAnother !== place)
    copyFileSync(new URL(place.url).pathname, new URL(placeOfAnother.url).pathname);
  const measureAll = async (server: Server, another: Server): Promise<Record<string, Figure>> => {
    const figures: Record<string, Figure> = {};
    for (const [name, work] of Object.entries(reads)) {
      for (const asked of [another, server]) await answerTo(asked, work);
      const loading = (loaded: Server) => () => place.load([loaded], work, 1, SECONDS);
      const [during, elsewhere, without] = await p99InTurns(
        () => client.load([server], others, CONNECTIONS, SECONDS, place.databaseCpu, PAUSE_MS),
        [loading(server), loading(another), async () => {}],
      );
      figures[`during ${name}`] = during!;
      figures[`elsewhere ${name}`] = elsewhere!;
      figures[`without ${name}`] = without!;
    }
    return figures;
  };
  const measure = async () => {
    const startAnother = () => placeOfAnother.start();
    const beside = (server: Server) => withServer(startAnother, (another) => measureAll(server, another));
    return withServer(() => place.start(), beside);
  };
  const client = new LoadClient();
  const [seen] = await inTurns(pace.rounds, [measure]).finally(() => client.stop());
  return Object.keys(reads).flatMap((name) => {
    const beside = (against: string, when: string, below?: number): Row => {
      const ours = [`${engine}, others’ p99 during ${name}`, seen![`during ${name}`]!] as const;
      const target = below === undefined ? undefined : { below };
      return rowOf('ms', ours, [against, seen![`${when} ${name}`]!], { target });
    };
    return [
      beside('without', 'without', name === THE_SAME ? undefined : BELOW),
      beside('another process answers them', 'elsewhere', BELOW_ANOTHER),
    ];
  });
}

/** Three hosts with their bookings. */
async function fillAll(ctx: Context) {
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
  return { engine: ctx.db.engine, hosts };
}

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
