import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Caller } from '../../src/api-keys/caller.ts';
import type { Context } from '../../src/context.ts';
import { migrate } from '../../src/db/migrate.ts';
import * as events from '../../src/events/events.ts';
import { newId } from '../../src/ids/uuid.ts';
import { systemClock } from '../../src/time/clock.ts';
import * as webhooks from '../../src/webhooks/webhooks.ts';
import { addHosts, type BenchHost } from '../../bench/support/world.ts';
import { startCluster } from '../support/cluster.ts';
import { openContext } from '../support/context.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { operator } from '../support/operator.ts';

// node test/proof/webhooks-crash.ts [rounds] [sqlite|postgres]
//
// Kills workers with -9 in the middle of their deliveries, round after round, and then looks whether every
// subscriber has got every event, and whether those that came twice are the same.

export interface CrashReport {
  rounds: number;
  events: number;
  expected: number;
  /** Attempts that arrived, refused ones too. */
  received: number;
  /** Accepted more than once. */
  duplicates: number;
  /** What is wrong; nothing, one hopes. */
  problems: string[];
}

const SUBSCRIBERS = 5;
const EVENTS_A_ROUND = 40;
const SECRET_KEY = 'a key that only the crash test uses';
const SETTLED_WITHIN_MS = 90_000;

export async function crashWorkers(databaseUrl: string, rounds: number): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-crash-'));
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    SECRET_KEY,
    METRICS_PORT: '0',
    LOG_LEVEL: 'error',
  };
  const ctx = openContext(env, 10_000);
  const receivers: Receiver[] = [];
  const workers: ChildProcess[] = [];
  try {
    await migrate(ctx.db, systemClock);
    const [owner] = (await addHosts(ctx, 1, 0)) as [BenchHost];
    const secrets: string[] = [];
    for (let i = 0; i < SUBSCRIBERS; i++) {
      const receiver = await startReceiver();
      failNowAndThen(receiver);
      receivers.push(receiver);
      const wanted = { url: receiver.url, events: ['availability.changed' as const] };
      secrets.push((await webhooks.create(ctx, { actor: operator, ...owner }, wanted)).secret ?? '');
    }
    // An SQLite file has one server, which comes back when it is killed; PostgreSQL has two workers.
    const command = ctx.db.engine === 'sqlite' ? 'serve' : 'worker';
    for (let i = 0; i < (command === 'serve' ? 1 : 2); i++) workers.push(startWorkerProcess(command, env));
    const emitted = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const before = count(receivers);
      await emitAll(ctx, { ...owner, actor: operator }, emitted);
      const enough = before + Math.floor(Math.random() * EVENTS_A_ROUND * SUBSCRIBERS * 0.8) + 1;
      await until(() => count(receivers) >= enough, SETTLED_WITHIN_MS);
      const victim = Math.floor(Math.random() * workers.length);
      await killHard(workers[victim]!);
      workers[victim] = startWorkerProcess(command, env);
    }
    const everything = () => receivers.every((receiver) => distinct(receiver) === emitted.size);
    await until(everything, SETTLED_WITHIN_MS);
    return { rounds, ...judge(receivers, secrets, emitted) };
  } finally {
    await Promise.all(workers.map(killHard));
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await ctx.db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One delivery in ten fails at its first attempt, so that some are retries when the worker dies. */
function failNowAndThen(receiver: Receiver): void {
  const seen = new Set<string>();
  receiver.answer = ({ body }) => {
    const again = seen.has(body.id);
    seen.add(body.id);
    return { status: again || Math.random() > 0.1 ? 204 : 500 };
  };
}

function startWorkerProcess(command: string, env: Record<string, string>): ChildProcess {
  const bin = fileURLToPath(new URL('../../bin/hourkeep', import.meta.url));
  return spawn(bin, [command], {
    env: { ...process.env, ...env, PORT: '0', NODE_ENV: 'test' },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
}

async function killHard(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** A few transactions side by side, some with several events. */
async function emitAll(ctx: Context, caller: Caller, emitted: Set<string>): Promise<void> {
  const emit = async (n: number): Promise<void> => {
    // Told apart by the space they name, which need not exist.
    const mark = newId();
    const day = { spaceId: mark, date: '2027-01-01' };
    const happened = events.availabilityChanged(day, [n % 24], 'block_created');
    await ctx.db.transaction((tx) => events.append(tx, ctx.clock.now(), caller, happened));
    emitted.add(mark);
  };
  for (let n = 0; n < EVENTS_A_ROUND; n += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, i) => emit(n + i)));
  }
}

function count(receivers: readonly Receiver[]): number {
  return receivers.reduce((sum, receiver) => sum + receiver.received.length, 0);
}

/** How many events this receiver has taken: one that it answered with a failure does not count. */
function distinct(receiver: Receiver): number {
  return accepted(receiver).size;
}

function accepted(receiver: Receiver): Set<string> {
  const taken = receiver.received.filter(({ answered }) => answered === 204);
  return new Set(taken.map(({ body }) => body.data.space_id));
}

async function until(condition: () => boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition() && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

function judge(
  receivers: readonly Receiver[],
  secrets: readonly string[],
  emitted: ReadonlySet<string>,
): Omit<CrashReport, 'rounds'> {
  const problems: string[] = [];
  for (const [index, receiver] of receivers.entries()) {
    const byEvent = Map.groupBy(receiver.received, ({ body }) => body.data.space_id);
    const taken = accepted(receiver);
    const missing = [...emitted].filter((mark) => !taken.has(mark));
    if (missing.length > 0) problems.push(`subscriber ${index} misses ${missing.length} events`);
    const verifier = new Verifier(secrets[index]!);
    for (const [mark, all] of byEvent) {
      if (!emitted.has(mark)) problems.push(`subscriber ${index} got ${mark}, which was never committed`);
      const ids = new Set(all.flatMap(({ headers, body }) => [headers['webhook-id'], body.id]));
      if (ids.size !== 1) problems.push(`event ${mark} came under ${ids.size} ids`);
      if (new Set(all.map(({ text }) => text)).size !== 1)
        problems.push(`event ${mark} came in different words`);
      for (const { text, headers } of all) verifier.verify(text, headers as Record<string, string>);
    }
  }
  const expected = emitted.size * receivers.length;
  const received = count(receivers);
  const taken = receivers.flatMap((receiver) => receiver.received).filter(({ answered }) => answered === 204);
  const duplicates = taken.length - receivers.reduce((sum, receiver) => sum + distinct(receiver), 0);
  return { events: emitted.size, expected, received, duplicates, problems };
}

if (import.meta.main) {
  const rounds = Number(process.argv[2] ?? 20);
  const only = process.argv[3];
  let failed = false;
  const run = async (engine: string, url: string): Promise<void> => {
    const report = await crashWorkers(url, rounds);
    failed ||= report.problems.length > 0;
    process.stdout.write(`${JSON.stringify({ engine, ...report })}\n`);
  };
  if (only !== 'postgres') {
    const folder = mkdtempSync(join(tmpdir(), 'hourkeep-crash-db-'));
    await run('sqlite', `sqlite:${join(folder, 'crash.db')}`);
    rmSync(folder, { recursive: true, force: true });
  }
  if (only !== 'sqlite') {
    const cluster = await startCluster();
    if (cluster === undefined) throw new Error('there is no PostgreSQL on this machine');
    await run('postgres', cluster.url).finally(() => cluster.stop());
  }
  process.exit(failed ? 1 : 0);
}
