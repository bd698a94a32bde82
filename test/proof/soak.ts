import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { folderOnDisk } from '../traffic/folder.ts';
import { daysFor, fillDays } from '../traffic/fill.ts';
import { cpuOf, cpuOfFamily, startService } from '../traffic/servers.ts';
import { addHosts, datesFrom, withDatabase, type BenchHost } from '../traffic/world.ts';
import { calendarOf } from '../support/busy-hours.ts';
import { startCluster } from '../support/cluster.ts';
import { listening } from '../support/listening.ts';
import { idleShare } from './idle.ts';
import { reading } from './kept.ts';
import { SoakCaller } from './soak-caller.ts';
import { subscribe, Subscriber } from './subscriber.ts';
import { printTable, say } from './table.ts';

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
const ARRIVE_WITHIN_MS = 60_000;

const SLOW_MS = 100;
/** Of the calendar that is connected now and then: another one each time. */
const BUSY_DATES = datesFrom(1, 20);
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
    const fail = (text: string): void => void failures.push(`${engine}: ${text.slice(0, 400)}`);
    const run = await runService(fail, path, url, hosts, () => (cluster ? cpuOfFamily(cluster.pid()) : 0));
    return () => {
      say(`\n${engine}`);
      reportCourse(fail, run);
      say(run.told);
    };
  } finally {
    cluster?.stop();
  }
}

interface Run {
  begun: number;
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
  const outside = await openOutside();
  const samples: Sample[] = [];
  const begun = Date.now();
  const end = begun + MINUTES * 60_000;
  let done = 0;
  let [unavailable, told] = [0, ''];
  const call = async (caller: SoakCaller): Promise<void> => {
    while (Date.now() < end) {
      await caller.step().catch((error: unknown) => fail(String(error)));
      done++;
      await delay(MOST_PAUSE_MS * caller.random.next());
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
    for (const { key } of hosts) for (const { url } of outside.subscribers) await subscribe(base, key, url);
    const addresses = { service: base, passing: outside.refusing.url, calendar: outside.calendar };
    const callers = hosts.map((host, n) => new SoakCaller(addresses, host, Number(options.seed) + n));
    await Promise.all([watch(), ...callers.map(call)]);
    for (const caller of callers) unavailable += caller.unavailable;
    told = await judgeEvents(fail, url, outside);
  } finally {
    await service.stop();
    await outside.close().catch((error: unknown) => fail(String(error)));
  }
  for (const text of linesOf(join(path, 'server.log')))
    if (/"level":"(error|fatal)"/.test(text)) fail(`logged: ${text}`);
  const memory = linesOf(probe).map((text) => JSON.parse(text) as Memory);
  return { begun, samples, memory, unavailable, told };
}

/** What hosts have on their side: a prompt and a slow receiver of everything, one that refuses, and a calendar. */
async function openOutside() {
  const [prompt, slow, refusing] = [
    await Subscriber.open(),
    await Subscriber.open(204, SLOW_MS),
    await Subscriber.open(503),
  ];
  const subscribers = [prompt, slow, refusing];
  let polls = 0;
  const server = createServer((_request, response) => {
    polls++;
    const events = BUSY_DATES.map((date, i) => {
      const [day, hour] = [date.replaceAll('-', ''), String((i + polls) % 22).padStart(2, '0')];
      return [`UID:${i}`, `DTSTART:${day}T${hour}0000`, 'DURATION:PT2H'];
    });
    // Now and then there is none.
    if (polls % 10 === 0) response.writeHead(503).end();
    else response.writeHead(200, { 'content-type': 'text/calendar' }).end(calendarOf(...events));
  });
  const { port, close } = await listening(server);
  return {
    prompt,
    slow,
    refusing,
    subscribers,
    calendar: `http://127.0.0.1:${port}/calendar.ics`,
    polls: () => polls,
    close: async () => {
      await close();
      await Promise.all(subscribers.map((subscriber) => subscriber.close()));
    },
  };
}

/** Whether all that there are have come. */
async function judgeEvents(
  fail: Fail,
  url: string,
  { prompt, slow, refusing, polls }: Awaited<ReturnType<typeof openOutside>>,
): Promise<string> {
  const deadline = Date.now() + ARRIVE_WITHIN_MS;
  let stored: string[];
  let lost: string[];
  do {
    await delay(500);
    const rows = await reading({ DATABASE_URL: url }, (all) => all<{ id: string }>('select id from events'));
    stored = rows.map(({ id }) => id);
    lost = [...prompt.missing(stored), ...slow.missing(stored)];
  } while (lost.length > 0 && Date.now() < deadline);
  if (lost.length > 0) fail(`${lost.length} events did not come, ${lost[0]} first`);
  return (
    `${stored.length} events, ${lost.length} lost on their way to the prompt or the slow receiver; ` +
    `${refusing.attempts} attempts refused by the third; ${polls()} polls of calendars`
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
    const cells = [
      what,
      ...tenths,
      ...(judged ? [`${anHour.toFixed(1)} ${unit}`, String(most ?? '')] : ['', '']),
    ];
    return { title: what, cells, violations: [] };
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

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text !== '');
}
