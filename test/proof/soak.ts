import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { TABLE_SIZES } from '../traffic/fill.ts';
import { folderOnDisk } from '../traffic/folder.ts';
import { daysFor, fillDays, tidy } from '../traffic/fill.ts';
import { quantile } from '../traffic/figures.ts';
import { cpuOf, cpuOfFamily, startService } from '../traffic/servers.ts';
import { addHosts, withDatabase, type BenchHost } from '../traffic/world.ts';
import { read } from '../../src/db/database.ts';
import { startCluster } from '../support/cluster.ts';
import { idleShare } from './idle.ts';
import { reading } from './invariants.ts';
import { SoakCaller } from './soak-caller.ts';
import { Outside } from './soak-outside.ts';
import { printTable, say, type Line } from './table.ts';

// npm run soak: all that hosts do, at an even pace for a long time, on both engines.
//   node test/proof/soak.ts [--minutes 30] [--seed 20270301] [--engine sqlite,postgres]
//
// Side by side: so each engine has all of the minutes, and a slope over 25 of them is four times as sure as one over ten.
// A caller has one request under way and then pauses, so that two cores carry it.

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '20270301' },
    engine: { type: 'string', default: 'sqlite,postgres' },
  },
});
const MINUTES = Number(options.minutes);
const CALLERS = 8;
const MOST_PAUSE_MS = 300;
const SPACES_EACH = 30;
const STORED = 50_000;
const SAMPLE_MS = Math.min(10_000, (MINUTES * 60_000) / 30);
/** Until then code is compiled and caches fill. */
const SETTLED_MS = 5 * 60_000;
const JUDGED_FROM_MINUTES = 15;
/**
 * MB an hour. Each engine gets 160,000 requests an hour, so 10 of the heap are 60 bytes of each: an entry of a map that nobody deletes is
 * found. Of the whole process more: SQLite's page caches, two of 16 MB, fill for a quarter of an hour (12 MB of them after the
 * first five minutes), and on PostgreSQL it moves by 20 MB with the answers that are under way.
 */
const MOST_GROWTH = { heap: 10, rss: 40 };
/** Percent an hour, 4 in the 25 minutes. Where the machine is busier than this, with others' work, it is told and not judged, nor is RSS, which follows the pace. */
const MOST_SLOWER = 10;
const BUSY = 80;
/**
 * What tables have grown by lies between this and its reciprocal, against the table of bytes. The first bookings split full pages: a few
 * hundred of them took 1.3 times as much.
 */
const FACTOR = MINUTES < JUDGED_FROM_MINUTES ? 2 : 1.5;
const ARRIVE_WITHIN_MS = 60_000;

/** Rows of one booking in the table of bytes: of two hours, made and completed, three events to one subscription. */
const ROWS = { audit: 2, bookings: 1, deliveries: 3, events: 3, hours: 2 };

const TENTHS = Array.from({ length: 10 }, (_, i) => String(i + 1));

const folder = folderOnDisk();
const failures: string[] = [];
say(`soak, ${MINUTES} minutes, seed ${options.seed}, ${CALLERS} callers an engine`);
say(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.versions.node}`);
try {
  const reports = await Promise.all(options.engine.split(',').map(soak));
  for (const report of reports) report();
} finally {
  folder.remove();
}
for (const failure of failures.slice(0, 30)) say(`FAIL  ${failure}`);
if (failures.length > 30) say(`      … and ${failures.length - 30} more`);
process.exit(failures.length === 0 ? 0 : 1);

/** Answers with what prints the report. */
async function soak(engine: string): Promise<() => void> {
  const cluster = engine === 'postgres' ? await startCluster({ fsync: 'on' }) : undefined;
  if (engine === 'postgres' && cluster === undefined) {
    if (process.env['CI'] === 'true') failures.push('there is no PostgreSQL here');
    return () => say('\npostgres: NOT TESTED, there is no PostgreSQL here');
  }
  const path = join(folder.path, engine);
  const url = cluster?.url ?? `sqlite:${path}/hourkeep.db`;
  try {
    const hosts = await withDatabase(url, async (ctx) => {
      const added = await addHosts(ctx, CALLERS, SPACES_EACH);
      await fillDays(ctx, added, daysFor(STORED, CALLERS * SPACES_EACH));
      return added;
    });
    const before = await tableSizes(url);
    const fail = (text: string): void => void failures.push(`${engine}: ${text.slice(0, 400)}`);
    const run = await runService(fail, path, url, hosts, () => (cluster ? cpuOfFamily(cluster.pid()) : 0));
    const after = await tableSizes(url);
    return () => {
      say(`\n${engine}`);
      reportTimes(run.times);
      reportCourse(fail, run);
      reportBytes(fail, engine, before, after);
      say(run.told);
    };
  } finally {
    cluster?.stop();
  }
}

interface Run {
  begun: number;
  /** Milliseconds, by kind. */
  times: Record<string, number[]>;
  samples: Sample[];
  memory: Memory[];
  /** 503s, after which it was asked again. */
  unavailable: number;
  /** What became of events. */
  told: string;
}

async function runService(
  fail: Fail,
  path: string,
  url: string,
  hosts: readonly BenchHost[],
  databaseCpu: () => number,
): Promise<Run> {
  const probe = join(path, 'memory');
  const service = await startService(path, {
    DATABASE_URL: url,
    RATE_LIMIT_PRODUCTION: '10000',
    CALENDAR_POLL_MINUTES: '1',
    NODE_OPTIONS: `--import=${new URL('memory-probe.ts', import.meta.url).href}`,
    MEMORY_PROBE: probe,
  });
  const base = `http://127.0.0.1:${service.port}`;
  const outside = await Outside.open();
  const times: Record<string, number[]> = {};
  const samples: Sample[] = [];
  const begun = Date.now();
  const end = begun + MINUTES * 60_000;
  let done = 0;
  let [unavailable, told] = [0, ''];
  const call = async (caller: SoakCaller): Promise<void> => {
    while (Date.now() < end) {
      const sent = performance.now();
      try {
        const kind = await caller.step();
        (times[kind] ??= []).push(performance.now() - sent);
      } catch (error) {
        fail(String(error));
      }
      done++;
      await delay(MOST_PAUSE_MS * caller.random());
    }
  };
  const watch = async (): Promise<void> => {
    let idle = idleShare();
    for (let at = begun; at <= end; at += SAMPLE_MS) {
      await delay(Math.max(0, at - Date.now()));
      process.kill(service.pid, 'SIGUSR2');
      samples.push({
        at: Date.now(),
        done,
        cpu: cpuOf(service.pid) + databaseCpu(),
        busy: 100 * (1 - idle()),
      });
      idle = idleShare();
    }
  };
  try {
    for (const { key } of hosts) await outside.subscribe(base, key);
    const addresses = { service: base, passing: outside.passing, calendar: outside.calendar };
    const callers = hosts.map((host, n) => new SoakCaller(addresses, host, Number(options.seed) + n));
    await Promise.all([watch(), ...callers.map(call)]);
    for (const caller of callers) unavailable += caller.unavailable;
    told = await judgeEvents(fail, url, outside, callers);
  } finally {
    await service.stop();
    await outside.close().catch((error: unknown) => fail(String(error)));
  }
  for (const text of linesOf(join(path, 'server.log')))
    if (/"level":"(error|fatal)"/.test(text)) fail(`logged: ${text}`);
  const memory = linesOf(probe).map((text) => JSON.parse(text) as Memory);
  return { begun, times, samples, memory, unavailable, told };
}

/** Whether all that there are have come, and none is missing for what was done. */
async function judgeEvents(
  fail: Fail,
  url: string,
  outside: Outside,
  callers: readonly SoakCaller[],
): Promise<string> {
  const { prompt, slow } = outside.taken;
  const deadline = Date.now() + ARRIVE_WITHIN_MS;
  let stored: string[];
  let lost: string[];
  do {
    await delay(500);
    const rows = await reading({ DATABASE_URL: url }, (all) => all<{ id: string }>('select id from events'));
    stored = rows.map(({ id }) => id);
    lost = stored.filter((id) => !prompt.has(id) || !slow.has(id));
  } while (lost.length > 0 && Date.now() < deadline);
  const untold = callers.flatMap(({ announced }) => announced.filter((what) => !outside.heard.has(what)));
  if (lost.length > 0) fail(`${lost.length} events did not come, ${lost[0]} first`);
  if (untold.length > 0) fail(`${untold.length} changes were never told, ${untold[0]} first`);
  return (
    `${stored.length} events, ${lost.length} lost on their way to the prompt or the slow receiver; ` +
    `${outside.refused} attempts refused by the third; ${outside.polls} polls of calendars`
  );
}

interface Sample {
  at: number;
  /** So far: operations, and microseconds of CPU that the service and its database have used. */
  done: number;
  cpu: number;
  /** Percent of the whole machine since the last one. */
  busy: number;
}

/** Bytes. */
interface Memory {
  at: number;
  heap: number;
  rss: number;
}

type Point = readonly [at: number, value: number];
type Fail = (text: string) => void;

function reportTimes(times: Record<string, number[]>): void {
  const lines = Object.entries(times).map(([kind, ms]) =>
    line(kind, ms.length, quantile(ms, 0.5).toFixed(1), quantile(ms, 0.99).toFixed(1)),
  );
  printTable(['', 'count', 'p50 ms', 'p99 ms'], lines, 1);
}

/** Each tenth of the run, and what changes in an hour, by least squares over all that was measured after the first minutes. */
function reportCourse(fail: Fail, { begun, samples, memory, unavailable }: Run): void {
  const between = (of: (now: Sample, last: Sample) => number): Point[] =>
    samples.slice(1).map((now, i) => [now.at, of(now, samples[i]!)]);
  const megabytes = (of: keyof Memory): Point[] => memory.map((taken) => [taken.at, taken[of] / 1e6]);
  const rates = between((now, last) => (1000 * (now.done - last.done)) / (now.at - last.at));
  const costs = between((now, last) => (now.cpu - last.cpu) / (now.done - last.done));
  const busy = between((now) => now.busy);
  const noisy = mean(busy) > BUSY;
  const courses: [what: string, points: Point[], unit: 'MB' | '%', most?: number | undefined][] = [
    ['operations a second', rates, '%', noisy ? undefined : -MOST_SLOWER],
    ['CPU µs an operation', costs, '%'],
    ['machine busy, %', busy, '%'],
    ['heap MB, collected', megabytes('heap'), 'MB', MOST_GROWTH.heap],
    ['RSS MB', megabytes('rss'), 'MB', noisy ? undefined : MOST_GROWTH.rss],
  ];
  const judged = MINUTES >= JUDGED_FROM_MINUTES;
  const tenthOf = ([at]: Point): number => Math.floor((10 * (at - begun)) / (MINUTES * 60_000));
  const lines = courses.map(([what, points, unit, most]) => {
    const tenths = TENTHS.map((_, i) => mean(points.filter((point) => tenthOf(point) === i)).toFixed(1));
    const settled = points.filter(([at]) => at >= begun + SETTLED_MS);
    const anHour = slope(settled) * 3_600_000 * (unit === '%' ? 100 / mean(settled) : 1);
    if (judged && most !== undefined && Math.sign(most) * anHour > Math.abs(most))
      fail(`${what}: ${anHour.toFixed(1)} ${unit} an hour, at most ${most}`);
    return line(what, ...tenths, judged ? `${anHour.toFixed(1)} ${unit}` : '', judged ? (most ?? '') : '');
  });
  printTable(['by tenth of the run', ...TENTHS, 'an hour', 'at most'], lines, 1);
  if (noisy)
    say(`NOISY: others keep this machine busy; throughput, RSS and ${unavailable} × 503 are NOT JUDGED`);
  else if (unavailable > 0) fail(`${unavailable} × 503`);
  if (!judged) say(`slopes are NOT JUDGED: that takes ${JUDGED_FROM_MINUTES} minutes`);
}

function mean(points: readonly Point[]): number {
  return sum(points, ([, value]) => value) / points.length;
}

/** By least squares, a millisecond. */
function slope(points: readonly Point[]): number {
  const [middle, level] = [sum(points, ([at]) => at) / points.length, mean(points)];
  const rise = sum(points, ([at, value]) => (at - middle) * (value - level));
  return rise / sum(points, ([at]) => (at - middle) ** 2);
}

function sum(points: readonly Point[], of: (point: Point) => number): number {
  return points.reduce((total, point) => total + of(point), 0);
}

type Sizes = Record<string, { bytes: number; rows: number }>;

/** By table, with indexes, as the table of bytes has them. */
async function tableSizes(url: string): Promise<Sizes> {
  if (url.startsWith('postgres')) await tidy(url);
  return withDatabase(url, async ({ db }) => {
    const sizes: Sizes = {};
    for (const { name, bytes } of await db.all(TABLE_SIZES[db.engine])) {
      const counted = read<{ rows: number }>(`select count(*) as rows from ${name}`);
      sizes[name] = { bytes, rows: name in ROWS ? (await db.get(counted))!.rows : 0 };
    }
    return sizes;
  });
}

/** What docs/benchmarks.md says of a row of each table, as it grows. */
function promisedBytes(engine: string): Map<string, number> {
  const text = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');
  const column = engine === 'sqlite' ? 1 : 3;
  const found = [...text.slice(text.indexOf('Bytes for one booking')).matchAll(/^(\w+)((?: +\d+){4})$/gm)];
  const ofBooking = new Map(
    found.map(([, name = '', cells = '']) => [name, Number(cells.trim().split(/ +/)[column])]),
  );
  return new Map(Object.entries(ROWS).map(([name, rows]) => [name, ofBooking.get(name)! / rows]));
}

function reportBytes(fail: Fail, engine: string, before: Sizes, after: Sizes): void {
  const promised = promisedBytes(engine);
  let [grown, expected] = [0, 0];
  for (const [name, { bytes }] of Object.entries(after)) grown += bytes - (before[name]?.bytes ?? 0);
  const lines = Object.keys(ROWS).map((name) => {
    const [from, to] = [before[name]!, after[name]!];
    const rows = to.rows - from.rows;
    const each = promised.get(name)!;
    expected += rows * each;
    return line(name, rows, ((to.bytes - from.bytes) / rows).toFixed(0), each.toFixed(0));
  });
  const made = after['bookings']!.rows - before['bookings']!.rows;
  lines.push(line('all, for one booking', made, (grown / made).toFixed(0), (expected / made).toFixed(0)));
  printTable(['bytes of a row', 'new rows', 'bytes', 'table of bytes'], lines, 1);
  const ratio = grown / expected;
  say(
    `the database grew by ${ratio.toFixed(2)} times what the table of bytes says (promised: within ${FACTOR})`,
  );
  if (!(ratio < FACTOR && ratio > 1 / FACTOR))
    fail(`the database grew by ${ratio.toFixed(2)} times what was expected`);
}

function line(title: string, ...cells: readonly (string | number)[]): Line {
  return { title, cells: [title, ...cells.map(String)], violations: [] };
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text !== '');
}
