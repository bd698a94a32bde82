import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const { lines = 100_000, bookings = 1_000_000, seconds = 3 } = sizes;
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
      const [text, reportMs] = await timed(() => get(service.url + report, reported.key));
      const lines = check(text, sum);
      const probe = `${service.url}/api-availability/api/v1/spaces/${earning.spaceId}/availability?date=2026-06-01`;
      const quiet = () => p99(probe, earning.key, sizes.seconds);
      const beside = async (path: string, key: string) => {
        const worker = new Worker(new URL(import.meta.url), { workerData: { url: service.url + path, key } });
        await once(worker, 'online');
        const during = await quiet();
        await worker.terminate();
        return during;
      };
      await quiet();
      const alone = await quiet();
      const duringReport = await beside(report, reported.key);
      const duringEarnings = await beside('/api-earnings/api/v1/earnings', earning.key);
      const [, earningsMs] = await timed(() =>
        get(`${service.url}/api-earnings/api/v1/earnings`, earning.key),
      );
      return {
        engine: db.engine,
        'report, lines': String(lines),
        'report, ms': reportMs.toFixed(0),
        'bare SQL sum, ms': sumMs.toFixed(0),
        'others’ p99 alone, ms': alone.toFixed(2),
        'during reports, ms': duringReport.toFixed(2),
        'earnings, bookings': String(days.length * EARNING_SPACES * PER_DAY),
        'earnings, ms': earningsMs.toFixed(1),
        'others’ p99 during earnings, ms': duringEarnings.toFixed(2),
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
  insert into monthly_earnings (space_id, month, bookings, hours, gross, commission)
  select space_id, substr(date, 1, 7), count(*), sum(end_hour - start_hour), sum(total_price), sum(${COMMISSION})
  from bookings where host_id = $1 and status = 'completed' group by space_id, substr(date, 1, 7)`);

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
    await new Promise((resolve) => setTimeout(resolve, 50));
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

const CONNECTIONS = 4;
const PAUSE_MS = 5;

/** Four callers who ask again as soon as they are answered. */
async function p99(url: string, key: string, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const until = performance.now() + seconds * 1000;
  const latencies: number[] = [];
  const ask = async (): Promise<void> => {
    while (performance.now() < until) {
      latencies.push((await timed(() => get(url, key, agent)))[1]);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  agent.destroy();
  latencies.sort((a, b) => a - b);
  return latencies[Math.floor(latencies.length * 0.99)]!;
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  const value = await work();
  return [value, performance.now() - start];
}

async function discard(url: string, key: string): Promise<void> {
  const sent = request(url, { headers: { authorization: `Bearer ${key}` } });
  sent.end();
  const [answer] = await once(sent, 'response');
  answer.resume();
  await once(answer, 'end');
}

async function get(url: string, key: string, agent?: Agent): Promise<string> {
  const sent = request(url, { headers: { authorization: `Bearer ${key}` }, ...(agent ? { agent } : {}) });
  sent.end();
  const [answer] = await once(sent, 'response');
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`);
  return Buffer.concat(parts).toString();
}

if (!isMainThread) {
  // Downloads have a thread of their own, so that they do not slow the one that measures.
  const { url, key } = workerData as { url: string; key: string };
  for (;;) await discard(url, key);
} else if (process.argv[1] === import.meta.filename) {
  const [lines, bookings, seconds] = process.argv.slice(2).map(Number);
  const { title, rows } = await money({
    ...(lines ? { lines } : {}),
    ...(bookings ? { bookings } : {}),
    ...(seconds ? { seconds } : {}),
  });
  process.stdout.write(`${title}\n`);
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) process.stdout.write(`  ${name.padEnd(34)} ${value}\n`);
    process.stdout.write('\n');
  }
}
