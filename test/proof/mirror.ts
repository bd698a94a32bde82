import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startCluster } from '../support/cluster.ts';
import type { Engine } from '../support/engines.ts';
import { networkTo, type Network } from '../support/network.ts';
import { startPair } from '../support/pair.ts';
import { makeFolder } from '../support/process.ts';
import { Business } from './business.ts';
import { connectionsCut, databaseCrash, databaseFrozen, killing, type Fault } from './faults.ts';
import { differences, Mirror, settled } from './keep-mirror.ts';
import { seeded } from './race.ts';
import { deploy, type Deployment } from './services.ts';
import { printTable, say, type Line } from './table.ts';

// npm run mirror: mirrors that ask for what has changed, while everything changes and breaks, must end up equal to the database.
//   node test/proof/mirror.ts [--seconds 4] [--seed N] [--quick]
// --seconds: how long each fault lasts. --quick: short, both engines at once, without PostgreSQL frozen, crashed, or replaced by its
// standby.
// On PostgreSQL three API processes whose clocks are up to 5 s apart, two workers and a network of its own for each place; on SQLite
// one process.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    quick: { type: 'boolean', default: false },
  },
});
const seconds = Number(options.seconds ?? (options.quick ? 1.2 : 4));
const seed = Number(options.seed);

/** A little less than a statement may wait for a lock. */
const LOCKED_MS = 2500;
/** Less than a transaction may be under way to the server. */
const LATE_MS = 6000;
const CLOCKS_MS = [0, -2500, -5000];

const HEADER = ['where', 'changes', '503', 'walks', 'pages', 'bookings', 'behind', 'differences', 'else'];

say(`mirror, seed ${seed}, ${seconds} s a fault`);
const lines = options.quick
  ? await Promise.all([onPostgres(), onSqlite()])
  : [await onPostgres(), await onSqlite(), await overFailover()];
printTable(HEADER, lines, 1);
process.exit(lines.every(({ violations }) => violations.length === 0) ? 0 : 1);

async function onPostgres(): Promise<Line> {
  const cluster = await startCluster({ fsync: 'on' });
  if (cluster === undefined) return notRun('postgres');
  const { port } = new URL(cluster.url);
  const networks = await Promise.all(CLOCKS_MS.map(() => networkTo(Number(port))));
  const settingsOf = (place: number): Record<string, string> => ({
    ...clocks.settingsOf(place),
    DATABASE_URL: cluster.url.replace(port, String(networks[place]!.port)),
  });
  const clocks = makeClocks();
  const deployment = await deploy(engineAt('postgres', cluster.url), {}, 2, settingsOf);
  try {
    return await reflect('postgres', deployment, async (business) => {
      // The third process is the one whose clock is furthest behind, and nobody is to wait for a lock there.
      const [, , late] = networks as [Network, Network, Network];
      const [waited] = await Promise.all([holdLocks(cluster.url, deployment, business), suffer(lost(late))]);
      // After the locks: a mark that waits for other transactions would hide that it has missed a late one.
      await Promise.all([
        suffer(slow(late, LATE_MS, business)),
        suffer(killing('kill -9 of workers', deployment, deployment.workers)),
      ]);
      await suffer(connectionsCut(cluster.url));
      await suffer(killing('kill -9 of API processes', deployment, deployment.processes));
      if (!options.quick) {
        await suffer(slow(late, 9000, business));
        await suffer(slow(late, 11_000, business));
        await suffer(databaseFrozen(cluster));
        await suffer(databaseCrash(cluster));
      }
      return waited;
    });
  } finally {
    await deployment.close();
    for (const network of networks) network.close();
    cluster.stop();
    clocks.remove();
  }
}

async function onSqlite(): Promise<Line> {
  const folder = makeFolder();
  const engine = engineAt('sqlite', `sqlite:${join(folder.path, 'hourkeep.db')}`);
  const deployment = await deploy(engine);
  try {
    return await reflect('sqlite', deployment, async () => {
      await suffer(killing('kill -9 of the process', deployment, deployment.processes), 3 * seconds);
      return [];
    });
  } finally {
    await deployment.close();
    folder.remove();
  }
}

/** The primary dies and its synchronous standby is promoted; a new standby is made while the mirrors go on. */
async function overFailover(): Promise<Line> {
  const pair = await startPair();
  if (pair === undefined) return notRun('postgres, failover');
  const clocks = makeClocks();
  const deployment = await deploy(engineAt('postgres', pair.url), {}, 1, clocks.settingsOf);
  try {
    return await reflect('postgres, failover', deployment, async () => {
      for (let round = 1; round <= 2; round++) {
        await delay(1000 * seconds);
        pair.primary.kill();
        await delay(1000);
        await pair.promote();
        await delay(1000);
        await pair.rebuildStandby();
      }
      await delay(1000 * seconds);
      return [];
    });
  } finally {
    await deployment.close();
    pair.stop();
    clocks.remove();
  }
}

/** Lets the business and the mirrors run through all troubles, then compares. */
async function reflect(
  where: string,
  deployment: Deployment,
  trouble: (business: Business) => Promise<string[]>,
): Promise<Line> {
  const business = new Business(deployment, seeded(seed));
  const mirrors = [20, 50, 200].map((limit, i) => new Mirror(deployment, i, limit));
  const running = mirrors.map((mirror) => mirror.run());
  business.start();
  await delay(1000);
  const unfelt = await trouble(business);
  await business.stop();
  for (const mirror of mirrors) mirror.stop();
  await Promise.all(running);

  const stored = await settled(deployment, mirrors);
  const different = mirrors.flatMap((mirror, i) =>
    differences(mirror.records, stored).map((text) => `mirror ${i + 1}: ${text}`),
  );
  const undone = ['created', 'moved', 'cancelled', 'paid', 'refunded', 'erased', 'over'].filter(
    (what) => business.done[what] === undefined,
  );
  const completed = [...stored.values()].some(({ status, date }) => status === 'completed' && date < '2020');
  const other = [
    ...unfelt,
    ...business.wrong,
    ...mirrors.flatMap(({ wrong }) => wrong),
    ...undone.map((what) => `nothing was ${what}`),
    ...(completed ? [] : ['nothing was completed by the clock']),
  ];
  const sum = (of: (mirror: Mirror) => number): number => mirrors.reduce((all, each) => all + of(each), 0);
  say(`[${where}] ${JSON.stringify(business.done)}`);
  return {
    title: where,
    cells: [
      where,
      String(Object.values(business.done).reduce((a, b) => a + b, 0)),
      String(business.unavailable),
      String(sum(({ walks }) => walks)),
      String(sum(({ pages }) => pages)),
      String(stored.size),
      `${(Math.max(...mirrors.map(({ behindMs }) => behindMs)) / 1000).toFixed(1)} s`,
      String(different.length),
      String(other.length),
    ],
    violations: [...different, ...other],
  };
}

async function suffer(fault: Fault, forSeconds = seconds): Promise<void> {
  await fault.begin();
  await delay(forSeconds * 1000);
  await fault.end();
  await delay(500);
}

/**
 * The way of the third process to the database: half of its transactions arrive late, and carry the time at which they were made. It
 * makes some bookings that nobody changes again.
 */
function slow(network: Network, lateMs: number, business: Business): Fault {
  const begin = async (): Promise<void> => {
    network.holdBack('hk_begin', 2, lateMs);
    for (let i = 0; i < 6; i++) void business.create({}, 2);
  };
  const end = async (): Promise<void> => {
    network.holdNothingBack();
    await delay(lateMs);
  };
  return { name: `transactions ${lateMs} ms late`, meanwhile: 'some 503', kills: [], begin, end };
}

function lost(network: Network): Fault {
  const [begin, end] = [async () => network.lose(), async () => network.find()];
  return { name: 'network to PostgreSQL lost', meanwhile: 'some 503', kills: [], begin, end };
}

/**
 * Somebody holds what a create, a move, a cancellation and a payment wait for, as long as they may wait. They have been given their
 * times before, and nobody changes these bookings again. Answers with what went wrong.
 */
async function holdLocks(url: string, { demo }: Deployment, business: Business): Promise<string[]> {
  const unchanged = await Promise.all(
    [0, 1, 0].map((process) => business.create({ settlement_mode: 'platform_settled' }, process)),
  );
  const [moved, cancelled, paid] = unchanged.map((id) => id ?? '');
  const guest_email = 'waiting@example.com';
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `guest ${demo.host.id} production ${guest_email}`,
  ]);
  await client.query('select 1 from bookings where id = any($1) for update', [unchanged]);
  const waiting = [
    business.create({ guest_email }, 0),
    business.create({ guest_email }, 1),
    business.move(moved!, 0),
    business.cancel(cancelled!, 1),
    business.pay(paid!),
  ];
  const first = await Promise.race([...waiting, delay(LOCKED_MS, 'all waited' as const)]);
  await client.query('rollback');
  await client.end();
  const done = (await Promise.all(waiting)).filter((id) => id !== undefined);
  return first === 'all waited' && done.length === waiting.length
    ? []
    : [`of ${waiting.length} who were to wait for a lock, ${done.length} were served`];
}

function engineAt(name: Engine['name'], url: string): Engine {
  return { name, createDatabase: async () => ({ url, drop: async () => undefined }) };
}

/** A clock of its own for each place. */
function makeClocks(): { settingsOf(place: number): Record<string, string>; remove(): void } {
  const folder = makeFolder();
  const module = new URL('stepping-clock.ts', import.meta.url).href;
  const settingsOf = (place: number): Record<string, string> => {
    const file = join(folder.path, `offset-${place}`);
    writeFileSync(file, String(CLOCKS_MS[place]));
    return { NODE_OPTIONS: `--import=${module}`, STEPPING_CLOCK: file };
  };
  return { settingsOf, remove: folder.remove };
}

function notRun(where: string): Line {
  const isFailure = process.env['CI'] === 'true';
  const why = 'PostgreSQL’s server programs are missing';
  return { title: where, cells: [where, `NOT TESTED: ${why}`], violations: isFailure ? [why] : [] };
}
