import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { readConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import { createLogger } from '../src/log.ts';
import { systemClock } from '../src/time/clock.ts';
import { startCluster } from '../test/support/cluster.ts';
import { format, type Report, type Row } from './support/report.ts';
import { startService } from './support/servers.ts';
import { median, spreadOf } from './support/spread.ts';
import { PACE } from './support/turns.ts';
import { addBusyHosts, sumLife, sumMonth, type BareSum } from './money-data.ts';

// Long reads: what a month of 100 000 lines costs against adding the same rows up in SQL, the earnings of a host with 200
// spaces and 1 000 000 bookings, and what other callers notice of these, of that host's lists and of a feed of thousands.
// Alone: node bench/money.ts [lines] [bookings] [seconds a measurement]

export interface Sizes {
  lines: number;
  bookings: number;
  seconds: number;
  rounds: number;
}

const MONTH = '2026-06';
const LAST_DATE = '2026-06-30';
const TODAY = '2026-06-16';
const REPORT = `/api-settlement-report/api/v1/settlement/report?month=${MONTH}`;
const EARNINGS = '/api-earnings/api/v1/earnings';
const LIST = '/api-bookings/api/v1/bookings?status=confirmed';
/** So many days ahead a space is booked out, hour by hour: 3600 entries of its feed. */
const FEED_DAYS = 150;
/** These cost next to nothing: what others notice of them is the machine, which the clients use too. */
const CONTROL = 'health checks';
/** What others may notice of long reads. */
const BELOW = 1.5;
const EARNING_SPACES = 200;
const PER_DAY = 5;

export async function money(sizes: Partial<Sizes> = {}): Promise<Report> {
  const { lines = 100_000, bookings = 1_000_000, seconds = 3, rounds = PACE.rounds } = sizes;
  const rows: Row[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-bench-'));
  const cluster = await startCluster();
  try {
    for (const url of [`sqlite:${join(folder, 'money.db')}`, cluster?.url]) {
      if (url !== undefined) rows.push(...(await measure(url, folder, { lines, bookings, seconds, rounds })));
    }
  } finally {
    cluster?.stop();
    rmSync(folder, { recursive: true });
  }
  return { title: 'Long reads, and what others notice of them', rows };
}

async function measure(databaseUrl: string, folder: string, sizes: Sizes): Promise<Row[]> {
  const config = readConfig({ DATABASE_URL: withoutForeignKeys(databaseUrl) });
  const db = openDatabase(config, createLogger('silent'));
  try {
    await migrate(db, systemClock);
    const today = Temporal.Now.plainDateISO('UTC');
    const [reported, earning, fed] = await addBusyHosts(db, [
      // Nine of ten are not cancelled, some of the others are paid, and 49 of 50 come through the API.
      {
        rooms: Math.ceil(sizes.lines / 0.9 / 30 / 24),
        firstMonth: MONTH,
        days: 30,
        perDay: 24,
        today: TODAY,
      },
      {
        rooms: EARNING_SPACES,
        firstMonth: '2023-12',
        days: Math.ceil(sizes.bookings / EARNING_SPACES / PER_DAY),
        perDay: PER_DAY,
        today: TODAY,
      },
      {
        rooms: 1,
        firstMonth: today.toString().slice(0, MONTH.length),
        days: FEED_DAYS,
        perDay: 24,
        today: today.toString(),
      },
    ]);
    if (reported === undefined || earning === undefined || fed === undefined)
      throw new Error('hosts are missing');
    const [monthSum, monthSumMs] = await warm(() =>
      db.get(sumMonth, [reported.hostId, `${MONTH}-01`, LAST_DATE]),
    );
    const [, lifeSumMs] = await warm(() => db.exclusive((tx) => tx.get(sumLife, [earning.hostId])));

    const long: Record<string, LongRead> = {
      [CONTROL]: { path: '/healthz', key: earning.key },
      reports: { path: REPORT, key: reported.key },
      earnings: { path: EARNINGS, key: earning.key },
      lists: { path: LIST, key: earning.key },
      feeds: { path: `/api-ical-feed?space_id=${fed.spaceId}&token=${fed.token}`, key: fed.key },
    };
    const availability = `/api-availability/api/v1/spaces/${earning.spaceId}/availability?date=2026-06-01`;
    const took: Record<string, number[]> = {};
    const noticed: Record<string, { during: number; alone: number }[]> = {};
    let lines = 0;
    for (let round = 0; round < sizes.rounds; round++) {
      const service = await startService(folder, { DATABASE_URL: databaseUrl });
      const at = ({ path, key }: LongRead): Target => ({
        url: `http://127.0.0.1:${service.port}${path}`,
        key,
      });
      try {
        for (const [name, read] of Object.entries(long)) {
          const [text, ms] = await warm(() => get(at(read)));
          if (name === 'reports') lines = checkedLines(text, monthSum);
          (took[name] ??= []).push(ms);
          const probe = at({ path: availability, key: earning.key });
          (noticed[name] ??= []).push(await probeBeside(probe, at(read), sizes.seconds));
        }
      } finally {
        await service.stop();
      }
    }
    const row = (what: string, ours: readonly number[], against: string, theirs: readonly number[]): Row => {
      const spread = spreadOf(ours.map((ms, i) => ms / theirs[i % theirs.length]!));
      return {
        what: `${db.engine}, ${what}`,
        ours: { ms: median(ours) },
        against,
        reference: { ms: median(theirs) },
        ratio: spread.median,
        spread,
      };
    };
    const earned = `earnings of ${EARNING_SPACES} spaces, ${earning.bookings} bookings`;
    return [
      row(`report of ${lines} lines`, took['reports']!, 'the same rows added up in SQL', [monthSumMs]),
      row(earned, took['earnings']!, 'the bookings added up in SQL', [lifeSumMs]),
      ...Object.entries(noticed).map(([name, all]) => ({
        ...row(
          `others’ p99 during ${name}`,
          all.map(({ during }) => during),
          'without',
          all.map(({ alone }) => alone),
        ),
        ...(name === CONTROL ? {} : { target: { below: BELOW } }),
      })),
    ];
  } finally {
    await db.close();
  }
}

/** On PostgreSQL a look-up for each reference would be half the time of filling the tables. */
function withoutForeignKeys(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  if (url.protocol === 'postgres:') url.searchParams.set('options', '-c session_replication_role=replica');
  return url.href;
}

/** Exactly what SQL adds up, or the figures beside it are worth nothing. */
function checkedLines(text: string, sum: BareSum | undefined): number {
  const { data } = JSON.parse(text) as { data: { totals: BareSum; lines: unknown[] } };
  const { bookings, gross, commission } = data.totals;
  const same = bookings === sum?.bookings && gross === sum.gross / 100 && commission === sum.commission / 100;
  if (!same) throw new Error(`the report says ${JSON.stringify(data.totals)}, SQL ${JSON.stringify(sum)}`);
  return data.lines.length;
}

interface LongRead {
  path: string;
  key: string;
}

interface Target {
  url: string;
  key: string;
}

const CONNECTIONS = 4;
const PAUSE_MS = 5;
const BURST_MS = 300;

/**
 * What callers of one address notice while another is asked for again and again. Bursts and rests take turns, so that
 * whatever else the machine does falls on both alike.
 */
async function probeBeside(
  probe: Target,
  beside: Target,
  seconds: number,
): Promise<{ during: number; alone: number }> {
  const busy = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...beside, busy } });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const until = performance.now() + seconds * 1000;
  const during: number[] = [];
  const alone: number[] = [];
  const ask = async (): Promise<void> => {
    while (performance.now() < until) {
      const before = Atomics.load(busy, 0);
      const [, took] = await timed(() => get(probe, agent));
      (before + Atomics.load(busy, 0) > 0 ? during : alone).push(took);
      await pause(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  agent.destroy();
  await worker.terminate();
  return { during: p99(during), alone: p99(alone) };
}

function p99(latencies: number[]): number {
  return latencies.sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? NaN;
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  const value = await work();
  return [value, performance.now() - start];
}

/** The second of two: the first one warms up. */
async function warm<T>(work: () => Promise<T>): Promise<[T, number]> {
  await work();
  return timed(work);
}

async function get({ url, key }: Target, agent?: Agent): Promise<string> {
  const sent = request(url, { headers: { authorization: `Bearer ${key}` }, ...(agent ? { agent } : {}) });
  sent.end();
  const [answer] = await once(sent, 'response');
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`);
  return Buffer.concat(parts).toString();
}

/** In a thread of its own, so that downloading does not slow the one that measures. */
async function burst({ busy, ...target }: Target & { busy: Int32Array }): Promise<never> {
  for (;;) {
    const start = performance.now();
    Atomics.store(busy, 0, 1);
    do await get(target);
    while (performance.now() - start < BURST_MS);
    Atomics.store(busy, 0, 0);
    await pause(performance.now() - start);
  }
}

if (!isMainThread) {
  await burst(workerData as Target & { busy: Int32Array });
} else if (process.argv[1] === import.meta.filename) {
  const [lines, bookings, seconds] = process.argv.slice(2).map(Number);
  const report = await money({
    ...(lines ? { lines } : {}),
    ...(bookings ? { bookings } : {}),
    ...(seconds ? { seconds } : {}),
  });
  process.stdout.write(`${format([report])}\n`);
}
