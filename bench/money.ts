import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import * as apiKeys from '../src/api-keys/api-keys.ts';
import { readConfig } from '../src/config.ts';
import { read, write, type Db } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import * as hosts from '../src/hosts/hosts.ts';
import { createLogger } from '../src/log.ts';
import * as spaces from '../src/spaces/spaces.ts';
import { systemClock } from '../src/time/clock.ts';
import { freePort, startCluster } from '../test/support/cluster.ts';
import { insertManyBookings } from '../test/support/many-bookings.ts';

// Money at scale: what a month of 100 000 lines costs against adding the same rows up in SQL, what other callers
// notice of it, and the earnings of a host with 200 spaces and 1 000 000 bookings.
// Alone: node bench/money.ts [lines] [bookings] [seconds a measurement]

export interface Sizes {
  lines: number;
  bookings: number;
  seconds: number;
}

export interface Result {
  title: string;
  rows: Record<string, string>[];
}

const MONTH = '2026-06';
const TODAY = '2026-06-16';
const EARNING_SPACES = 200;
const PER_DAY = 5;

export async function money(sizes: Partial<Sizes> = {}): Promise<Result> {
  const { lines = 100_000, bookings = 1_000_000, seconds = 8 } = sizes;
  const rows: Record<string, string>[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-bench-'));
  const cluster = await startCluster();
  try {
    for (const url of [`sqlite:${join(folder, 'money.db')}`, cluster?.url]) {
      if (url !== undefined) rows.push(await measure(url, folder, { lines, bookings, seconds }));
    }
  } finally {
    cluster?.stop();
    rmSync(folder, { recursive: true });
  }
  return { title: 'Money: reports at scale', rows };
}

async function measure(databaseUrl: string, folder: string, sizes: Sizes): Promise<Record<string, string>> {
  const config = readConfig({ DATABASE_URL: databaseUrl });
  const db = openDatabase(config, createLogger('silent'), systemClock);
  try {
    await migrate(db, systemClock);
    // Nine of ten are not cancelled and 49 of 50 come through the API.
    const reported = await addHost(db, Math.ceil(sizes.lines / 0.9 / 30 / 24), daysOf(MONTH, 30), 24);
    const days = daysOf('2023-12', Math.ceil(sizes.bookings / EARNING_SPACES / PER_DAY));
    const earning = await addHost(db, EARNING_SPACES, days, PER_DAY);
    if (db.engine === 'postgres') await db.exclusive((tx) => tx.script('analyze'));
    const [sum, sumMs] = await timed(() => db.get(bareSum, [reported.hostId, `${MONTH}-01`, `${MONTH}-30`]));
    const service = await startService(databaseUrl, folder);
    try {
      const report = `/api-settlement-report/api/v1/settlement/report?month=${MONTH}`;
      const [text, reportMs] = await timed(() => get({ url: service.url + report, key: reported.key }));
      const lines = check(text, sum);
      const probe = `${service.url}/api-availability/api/v1/spaces/${earning.spaceId}/availability?date=2026-06-01`;
      const others = (path: string, key: string) =>
        probeBeside({ url: probe, key: earning.key }, { url: service.url + path, key }, sizes.seconds);
      const reports = await others(report, reported.key);
      const summaries = await others('/api-earnings/api/v1/earnings', earning.key);
      const [, earningsMs] = await timed(() =>
        get({ url: `${service.url}/api-earnings/api/v1/earnings`, key: earning.key }),
      );
      return {
        engine: db.engine,
        'report, lines': String(lines),
        'report, ms': reportMs.toFixed(0),
        'bare SQL sum, ms': sumMs.toFixed(0),
        'others’ p99 with and without, ms': `${reports.during.toFixed(2)} and ${reports.alone.toFixed(2)}`,
        'earnings, bookings': String(days.length * EARNING_SPACES * PER_DAY),
        'earnings, ms': earningsMs.toFixed(1),
        'others’ p99 with and without earnings, ms': `${summaries.during.toFixed(2)} and ${summaries.alone.toFixed(2)}`,
      };
    } finally {
      await service.stop();
    }
  } finally {
    await db.close();
  }
}

function daysOf(firstMonth: string, count: number): string[] {
  const first = Temporal.PlainDate.from(`${firstMonth}-01`);
  return Array.from({ length: count }, (_, i) => first.add({ days: i }).toString());
}

async function addHost(db: Db, rooms: number, days: readonly string[], perDay: number) {
  const now = systemClock.now();
  const environment = 'production';
  const { hostId, spaceIds, key } = await db.transaction(async (tx) => {
    const hostId = await hosts.add(tx, now, { ...HOST, email: `${rooms}@example.com` });
    const spaceIds: string[] = [];
    for (let i = 0; i < rooms; i++) {
      const { id } = await spaces.add(tx, now, { ...SPACE, hostId, environment, title: `Room ${i}` });
      spaceIds.push(id);
    }
    const scopes = ['availability:read', 'settlement:read', 'earnings:read'] as const;
    const wanted = { hostId, environment, name: 'bench', scopes, expiresAt: null } as const;
    return { hostId, spaceIds, key: (await apiKeys.create(tx, now, wanted)).key };
  });
  await insertManyBookings(db, { hostId, environment, days, perDay, today: TODAY });
  await db.exclusive((tx) => tx.run(sumCompleted, [hostId]));
  return { hostId, key, spaceId: spaceIds[0]! };
}

const HOST = {
  name: 'Bench',
  timezone: 'UTC',
  currency: 'USD',
  commissionMillionths: 100_000,
  settlementModes: hosts.SETTLEMENT_MODES,
  maxBookingValue: null,
};

const SPACE = {
  categorySlug: 'studio',
  description: null,
  address: '1 Bench Street',
  area: 'Benchville',
  pricePerHour: 5000,
  capacity: null,
  timezone: 'UTC',
  openHour: 0,
  closeHour: 24,
  cancellationNoticeHours: 0,
  ratingHundredths: 0,
  reviewCount: 0,
  isActive: true,
  amenities: [],
  photoUrls: [],
};

const COMMISSION = 'cast(floor(total_price * commission_millionths / 1000000.0 + 0.5) as bigint)';

/** What completing them one by one would have written. */
const sumCompleted = write(`
  insert into monthly_earnings (host_id, environment, space_id, month, bookings, hours, gross, commission)
  select host_id, environment, space_id, substr(date, 1, 7), count(*), sum(end_hour - start_hour), sum(total_price), sum(${COMMISSION})
  from bookings where host_id = $1 and status = 'completed' group by host_id, environment, space_id, substr(date, 1, 7)`);

interface BareSum {
  bookings: number;
  gross: number;
  commission: number;
}

const bareSum = read<BareSum>(`
  select count(*) as bookings, cast(sum(total_price) as bigint) as gross, cast(sum(${COMMISSION}) as bigint) as commission
  from bookings where host_id = $1 and environment = 'production' and date >= $2 and date <= $3
    and source = 'api' and status <> 'cancelled'`);

async function startService(
  databaseUrl: string,
  dataDir: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const command = new URL('../src/cli/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [command, 'serve'], {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      METRICS_PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      RATE_LIMIT_PRODUCTION: '0',
      LOG_LEVEL: 'warn',
    },
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error('the service did not start');
    await pause(50);
  }
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function check(text: string, sum: BareSum | undefined): number {
  const { data } = JSON.parse(text) as { data: { totals: BareSum; lines: unknown[] } };
  const { bookings, gross, commission } = data.totals;
  const same = bookings === sum?.bookings && gross === sum.gross / 100 && commission === sum.commission / 100;
  if (!same) throw new Error(`the report says ${JSON.stringify(data.totals)}, SQL ${JSON.stringify(sum)}`);
  return data.lines.length;
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
  const { title, rows } = await money({
    ...(lines ? { lines } : {}),
    ...(bookings ? { bookings } : {}),
    ...(seconds ? { seconds } : {}),
  });
  process.stdout.write(`${title}\n`);
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) process.stdout.write(`  ${name.padEnd(42)} ${value}\n`);
    process.stdout.write('\n');
  }
}
