import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import type { Booking } from '../../src/bookings/schemas.ts';
import { Random } from '../simulate/random.ts';
import { CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { networkTo, type Network } from '../support/network.ts';
import { onConnection } from '../support/query.ts';
import { send, type Answer } from '../support/world.ts';
import { connectionsCut, databaseCrash, databaseFrozen, killing, networkLost, type Fault } from './faults.ts';
import { deploy, type Deployment } from './services.ts';
import { printTable, say, type Line } from './table.ts';
import { Traffic, type Sample } from './traffic.ts';

// npm run mirror: mirrors that ask for what has changed, while everything changes and breaks, must end up equal to the database.
//   node test/proof/mirror.ts [--seconds 4] [--seed N] [--quick]
// --seconds: how long each fault lasts. --quick: short, without PostgreSQL frozen or crashed.
// Three API processes whose clocks are up to 5 s apart and two workers on PostgreSQL, a network of its own for each place. (On SQLite
// one process and one clock say what has changed: npm run simulate shows that.)

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
/** As promised, unless a transaction is stuck for longer. */
const BEHIND_MS = 30_000;
const GIVE_UP_MS = 10_000;
/** Bookings that nobody changes again. */
let asked = 0;

const HEADER = ['changes', 'walks', 'pages', 'bookings', 'behind', 'differences', 'else'];

async function onPostgres(cluster: Cluster): Promise<Line> {
  const { port } = new URL(cluster.url);
  const networks = await Promise.all(CLOCKS_MS.map(() => networkTo(Number(port))));
  const deployment = await deploy(cluster.url, {}, 2, (place) => ({
    ...clockOff(CLOCKS_MS[place]!),
    DATABASE_URL: cluster.url.replace(port, String(networks[place]!.port)),
  }));
  try {
    return await reflect(deployment, async () => {
      // The third process is the one whose clock is furthest behind, and nobody is to wait for a lock there.
      const [, , late] = networks as [Network, Network, Network];
      const [waited] = await Promise.all([holdLocks(cluster.url, deployment), suffer(networkLost(late))]);
      // After the locks: a mark that waits for other transactions would hide that it has missed a late one.
      await Promise.all([
        suffer(slow(late, LATE_MS, deployment)),
        suffer(killing('kill -9 of workers', deployment, deployment.workers)),
      ]);
      await suffer(connectionsCut(cluster.url));
      await suffer(killing('kill -9 of API processes', deployment, deployment.processes));
      if (!options.quick) {
        await suffer(slow(late, 9000, deployment));
        await suffer(slow(late, 11_000, deployment));
        await suffer(databaseFrozen(cluster));
        await suffer(databaseCrash(cluster));
      }
      return waited;
    });
  } finally {
    await deployment.close();
    for (const network of networks) network.close();
    cluster.stop();
  }
}

/** Lets traffic and the mirrors run through all troubles, then compares. */
async function reflect(deployment: Deployment, trouble: () => Promise<string[]>): Promise<Line> {
  const traffic = new Traffic(deployment, new Random(seed), { callers: 12 });
  const mirrors = [20, 50, 200].map((limit, i) => new Mirror(deployment, i, limit));
  const running = mirrors.map((mirror) => mirror.run());
  traffic.start();
  await delay(1000);
  const unfelt = await trouble();
  const isDone = (what: string): boolean => traffic.done[what] !== undefined;
  while (!['created', 'moved', 'cancelled'].every(isDone)) await delay(100);
  await traffic.stop();
  for (const mirror of mirrors) mirror.stop();
  await Promise.all(running);

  const stored = await settled(deployment, mirrors);
  const different = mirrors.flatMap((mirror, i) =>
    differences(mirror.records, stored).map((text) => `mirror ${i + 1}: ${text}`),
  );
  // Nobody is judged by how long an answer takes.
  const isWrong = ({ outcome, text }: Sample): boolean =>
    outcome === 'wrong' && !text.startsWith('no answer');
  const other = [
    ...unfelt,
    ...traffic.samples.filter(isWrong).map(({ text }) => text),
    ...mirrors.flatMap(({ wrong }) => wrong),
  ];
  const sum = (of: (mirror: Mirror) => number): number => mirrors.reduce((all, each) => all + of(each), 0);
  const cells = [
    Object.values(traffic.done).reduce((a, b) => a + b, 0),
    sum(({ walks }) => walks),
    sum(({ pages }) => pages),
    stored.size,
    `${(Math.max(...mirrors.map(({ behindMs }) => behindMs)) / 1000).toFixed(1)} s`,
    different.length,
    other.length,
  ];
  return { title: 'mirror', cells: cells.map(String), violations: [...different, ...other] };
}

/** One who keeps a copy of a host's bookings, and knows nothing but what the list of changes says. */
class Mirror {
  readonly records = new Map<string, Booking>();
  readonly wrong: string[] = [];
  walks = 0;
  pages = 0;
  behindMs = 0;
  readonly #deployment: Deployment;
  readonly #limit: number;
  readonly #first: number;
  #since = '1970-01-01T00:00:00Z';
  #stopping = false;

  /** `first`: the process that is asked for the first page, and so for the mark. */
  constructor(deployment: Deployment, first: number, limit: number) {
    this.#deployment = deployment;
    this.#first = first;
    this.#limit = limit;
  }

  async run(): Promise<void> {
    while (!this.#stopping) {
      await this.walk();
      await delay(100);
    }
  }

  stop(): void {
    this.#stopping = true;
  }

  async walk(): Promise<void> {
    const begun = Date.now();
    const marks = new Set<string>();
    // Each page from another process.
    const query = `updated_since=${this.#since}&limit=${this.#limit}`;
    for await (const { bookings, pagination } of pages(this.#deployment, query, this.#first)) {
      for (const booking of bookings) this.records.set(booking.id, booking);
      marks.add(pagination.synced_to!);
      this.pages++;
    }
    this.walks++;
    const [syncedTo] = marks;
    if (marks.size > 1) this.wrong.push(`synced_to differs from page to page: ${[...marks].join()}`);
    this.#since = syncedTo!;
    const behind = begun - Date.parse(syncedTo!);
    this.behindMs = Math.max(this.behindMs, behind);
    if (behind > BEHIND_MS) this.wrong.push(`synced_to was ${behind} ms behind the clock`);
  }
}

/** All bookings, as they were before and after the last walk of all mirrors. */
async function settled(
  deployment: Deployment,
  mirrors: readonly Mirror[],
): Promise<ReadonlyMap<string, Booking>> {
  const readAll = async (): Promise<Map<string, Booking>> => {
    const found = new Map<string, Booking>();
    for await (const { bookings } of pages(deployment, 'limit=200'))
      for (const booking of bookings) found.set(booking.id, booking);
    return found;
  };
  for (;;) {
    const before = await readAll();
    await Promise.all(mirrors.map((mirror) => mirror.walk()));
    if (isDeepStrictEqual(before, await readAll())) return before;
  }
}

/** Asks again, of the process whose turn it is, until there is an answer. */
async function* pages(
  deployment: Deployment,
  query: string,
  first = 0,
): AsyncGenerator<Answer['body']['data']> {
  const { demo, url } = deployment;
  for (let [turn, after] = [first, '']; ;) {
    const path = `/api-bookings/api/v1/bookings?${query}${after}`;
    const call = { key: demo.keys.production, signal: AbortSignal.timeout(GIVE_UP_MS) };
    const answer = await send(url(turn++), 'GET', path, call).catch(() => undefined);
    if (answer?.status === 200) {
      yield answer.body.data;
      const { next_cursor } = answer.body.data.pagination;
      if (next_cursor === null) return;
      after = `&cursor=${next_cursor}`;
    } else if (answer !== undefined && answer.status !== 503) throw new Error(answer.text);
    else await delay(50);
  }
}

function differences(mirror: ReadonlyMap<string, Booking>, stored: ReadonlyMap<string, Booking>): string[] {
  const found = [...mirror.keys()].filter((id) => !stored.has(id)).map((id) => `${id} was never committed`);
  for (const [id, booking] of stored) {
    const mirrored = mirror.get(id);
    if (mirrored === undefined) found.push(`${id}, last changed ${booking.updated_at}, is missing`);
    else if (!isDeepStrictEqual(mirrored, booking))
      found.push(`${id} is ${JSON.stringify(mirrored)} instead of ${JSON.stringify(booking)}`);
  }
  return found;
}

async function suffer(fault: Fault, forSeconds = seconds): Promise<void> {
  await fault.begin();
  await delay(forSeconds * 1000);
  await fault.end();
  await delay(500);
}

/** Asks for a booking that nobody changes again; answers with its id, or undefined if it was not made. */
async function book(
  deployment: Deployment,
  process: number,
  fields: object = {},
): Promise<string | undefined> {
  const n = asked++;
  const body = {
    space_id: deployment.demo.spaces[0]!.id,
    date: nextJune(10 + Math.floor(n / 16)),
    start_hour: 8 + (n % 16),
    end_hour: 9 + (n % 16),
    guest_name: 'Mirror',
    guest_email: `mirror-${n}@example.com`,
    ...fields,
  };
  return change(deployment, process, CREATE, body);
}

async function change(
  { demo, url }: Deployment,
  process: number,
  path: string,
  body: object,
): Promise<string | undefined> {
  const answer = await send(url(process), 'POST', path, { key: demo.keys.production, body }).catch(
    () => undefined,
  );
  return answer?.status === 200 ? answer.body.data.booking.id : undefined;
}

/**
 * The way of the third process to the database: half of its transactions arrive late, and carry the time at which they were made. It
 * makes some bookings that nobody changes again.
 */
function slow(network: Network, lateMs: number, deployment: Deployment): Fault {
  const begin = async (): Promise<void> => {
    // It has found its way back from the fault before: what is rejected at once is not late.
    while ((await book(deployment, 2)) === undefined) await delay(100);
    network.holdBack('hk_begin', 2, lateMs);
    for (let i = 0; i < 6; i++) void book(deployment, 2);
  };
  const end = async (): Promise<void> => {
    network.holdNothingBack();
    await delay(lateMs);
  };
  return { name: `transactions ${lateMs} ms late`, meanwhile: 'some 503', begin, end };
}

/**
 * Somebody holds what a create, a move and a cancellation wait for, as long as they may wait. They have been given their
 * times before, and nobody changes these bookings again. Answers with what went wrong.
 */
async function holdLocks(url: string, deployment: Deployment): Promise<string[]> {
  const unchanged = await Promise.all([0, 1].map((process) => book(deployment, process)));
  const [moved, cancelled] = unchanged;
  const guest_email = 'waiting@example.com';
  return onConnection(url, async (client) => {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `guest ${deployment.demo.host.id} production ${guest_email}`,
    ]);
    await client.query('select 1 from bookings where id = any($1) for update', [unchanged]);
    const waiting = [
      book(deployment, 0, { guest_email }),
      book(deployment, 1, { guest_email }),
      book(deployment, 0, { replaces: moved }),
      change(deployment, 1, `/api-cancel-booking/api/v1/bookings/${cancelled}/cancel`, { reason: 'mirror' }),
    ];
    const first = await Promise.race([...waiting, delay(LOCKED_MS, 'all waited' as const)]);
    await client.query('rollback');
    const done = (await Promise.all(waiting)).filter((id) => id !== undefined);
    return first === 'all waited' && done.length === waiting.length
      ? []
      : [`of ${waiting.length} who were to wait for a lock, ${done.length} were served`];
  });
}

/** Settings of a process whose clock is off by so much. */
function clockOff(milliseconds: number): Record<string, string> {
  const module = `const now=Date.now;Date.now=()=>now()+${milliseconds};`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}` };
}

const cluster = await startCluster({ fsync: 'on' });
if (cluster === undefined) {
  say('NOT TESTED: PostgreSQL’s server programs are missing');
  process.exit(process.env['CI'] === 'true' ? 1 : 0);
}
say(`mirror, seed ${seed}, ${seconds} s a fault`);
const line = await onPostgres(cluster);
printTable(HEADER, [line], 0);
process.exit(line.violations.length === 0 ? 0 : 1);
