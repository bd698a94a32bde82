import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as bookings from '../../src/bookings/bookings.ts';
import type { Context } from '../../src/context.ts';
import { sayOn, type Db, type SqlValue, type Statement, type Tx } from '../../src/db/database.ts';
import { forPostgres } from '../../src/db/dialect.ts';
import { LOCK } from '../../src/db/postgres/transaction.ts';
import { selectDay } from '../../src/hours/sql.ts';
import { findBinaries } from '../../test/support/cluster.ts';
import { operator } from '../../test/support/operator.ts';
import type { Figure } from './measure.ts';
import { SPACE_ID_PREFIX, type BenchHost } from './world.ts';

export const CLIENTS = 8;

/** fsync as in production; what checkpoints cost comes at its own times and would fall on one side or the other. */
export const CLUSTER_SETTINGS = { fsync: 'on', max_wal_size: '8GB', checkpoint_timeout: '1h' };

/** A script that pgbench repeats: what PostgreSQL can do with our statements when nobody parses HTTP, checks rules or writes JSON. */
export class Script {
  readonly #file: string;
  readonly #variables: readonly string[];
  #first = 0;

  constructor(file: string, variables: readonly string[], lines: readonly string[]) {
    this.#file = file;
    this.#variables = variables;
    writeFileSync(file, `${lines.join('\n')}\n`);
  }

  /** One client has a latency; with more of them they mostly wait for each other. pgbench tells its mean, not its median. */
  async run(url: string, clients: number, seconds: number, databaseCpu: () => number): Promise<Figure> {
    const variables = [...this.#variables, 'n=0', `first=${this.#first}`].flatMap((each) => ['-D', each]);
    const threads = Math.min(2, clients);
    const counts = ['-c', String(clients), '-j', String(threads), '-T', String(Math.ceil(seconds))];
    const args = ['-n', '-M', 'prepared', ...counts, ...variables, '-f', this.#file, url];
    const before = databaseCpu();
    const { stdout } = await promisify(execFile)(join(findBinaries()!, 'pgbench'), args);
    const number = (pattern: RegExp): number => Number(pattern.exec(stdout)?.[1]);
    const done = number(/number of transactions actually processed: (\d+)/);
    const perSecond = number(/tps = ([\d.]+)/);
    if (number(/number of failed transactions: (\d+)/) > 0 || !(perSecond > 0))
      throw new Error(`pgbench: ${stdout}`);
    // Clients advance at their own pace: the fastest one is never twice as fast as the mean.
    this.#first += done * 2;
    const latency = clients === 1 ? { p50: number(/latency average = ([\d.]+) ms/) } : {};
    return { perSecond, ...latency, database: (databaseCpu() - before) / done };
  }
}

/** What a key may ask in a minute: nobody reaches it, but it is counted as in production. */
export const GENEROUS_LIMIT = 10_000;
const KEYS = 50;

/** The two statements of an availability, one after the other: admit the request, read the day. */
export async function availabilityScript(
  db: Db,
  host: BenchHost,
  dates: readonly string[],
  file: string,
): Promise<Script> {
  await db.transaction((tx) => tx.run(addKnownKeys, [host.hostId]));
  const values = [':host_id', ':environment', SPACE, DATE];
  const day = forPostgres(selectDay).replaceAll(/\$(\d+)/g, (_, n) => values[Number(n) - 1]!);
  const limits = `${GENEROUS_LIMIT}, ${GENEROUS_LIMIT}`;
  return new Script(file, variablesOf(host, dates), [
    `\\set key random(0, ${KEYS - 1})`,
    `\\set space :first_space + random(0, ${host.spaces.length - 1})`,
    `\\set day random(0, ${dates.length - 1})`,
    `select * from admit_requests(array['bench-' || cast(:key as text)], array[1], ${limits}, null);`,
    `${day};`,
  ]);
}

/** Keys whose hashes pgbench can compute. */
const addKnownKeys = sayOn(
  'postgres',
  `
  insert into api_keys (id, host_id, environment, name, hash, prefix, last4, scopes, created_at)
  select gen_random_uuid(), host_id, environment, name, 'bench-' || n, prefix, last4, scopes, created_at
  from api_keys cross join generate_series(0, ${KEYS - 1}) as n where host_id = $1`,
);

const SPACE = `cast(:space_prefix || lpad(cast(:space as text), 12, '0') as uuid)`;
const DATE = `(cast(:first_date as date) + cast(:day as integer))`;

function variablesOf(host: BenchHost, dates: readonly string[]): string[] {
  return [
    `host_id=${host.hostId}`,
    `environment=${host.environment}`,
    `space_prefix=${SPACE_ID_PREFIX}`,
    `first_space=${Number(host.spaces[0]!.slice(SPACE_ID_PREFIX.length))}`,
    `first_date=${dates[0]}`,
  ];
}

/** The statements of a booking as the service sends them, with other hours and guests each time. */
export async function createScript(
  ctx: Context,
  host: BenchHost,
  dates: readonly string[],
  file: string,
): Promise<Script> {
  const request: bookings.BookingRequest = {
    spaceId: host.spaces[0]!,
    date: dates[0]!,
    // Numbers that nothing else in the statements is.
    startHour: 13,
    endHour: 14,
    guestEmail: 'guest-sample@example.com',
    guestName: 'Ada Miller',
    guestPhone: '+1 212 555 0142',
    settlementMode: 'host_settled',
    idempotencyKey: 'order-sample',
  };
  const sent: Sent[] = [];
  const owner = { hostId: host.hostId, environment: 'production', actor: operator } as const;
  const { booking } = await bookings.create({ ...ctx, db: recording(ctx.db, sent) }, owner, request);
  const guestLock = sent.find(({ text }) => text === LOCK.text)?.values[0] ?? '';
  const [startsAt, endsAt] = [booking.starts_at, booking.ends_at].map((text) => Date.parse(text));
  const { body, variables } = parametrise(
    sent,
    new Map<SqlValue, string>([
      [request.spaceId, SPACE],
      [request.date, DATE],
      [request.startHour, ':hour'],
      [request.endHour, ':end_hour'],
      [request.guestEmail, `('guest-' || cast(:k as text) || '@example.com')`],
      [guestLock, `('guest ' || cast(:k as text))`],
      [request.idempotencyKey, `('order-' || cast(:k as text))`],
      [booking.id, idExpression(0)],
      [startsAt!, `(cast(:starts_at as bigint) + cast(:k as bigint) * 3600000)`],
      [endsAt!, `(cast(:ends_at as bigint) + cast(:k as bigint) * 3600000)`],
      [host.hostId, ':host_id'],
    ]),
  );
  return new Script(
    file,
    [...variables, ...variablesOf(host, dates), `starts_at=${startsAt}`, `ends_at=${endsAt}`],
    [
      `\\set k :first + :n * ${CLIENTS} + :client_id`,
      `\\set n :n + 1`,
      `\\set space :first_space + :k % ${host.spaces.length}`,
      `\\set day :k / ${host.spaces.length} % ${dates.length}`,
      `\\set hour :k / ${host.spaces.length * dates.length} % 24`,
      `\\set end_hour :hour + 1`,
      'begin;',
      ...body,
      'commit;',
    ],
  );
}

/** The least that a booking of an hour that is taken can be: asking for the hour, and going without it. */
export async function refusalScript(
  ctx: Context,
  host: BenchHost,
  date: string,
  file: string,
): Promise<Script> {
  await ctx.db.transaction((tx) => tx.run(takeHour, [host.hostId, host.spaces[0]!, date]));
  return new Script(
    file,
    [...variablesOf(host, [date]), `space_id=${host.spaces[0]}`],
    [
      'begin;',
      `insert into hours (host_id, space_id, date, hour, booking_id)
        values (:host_id, :space_id, :first_date, 23, :host_id) on conflict do nothing;`.replaceAll(
        /\s+/g,
        ' ',
      ),
      'rollback;',
    ],
  );
}

const takeHour = sayOn(
  'postgres',
  `
  insert into hours (host_id, space_id, date, hour, booking_id)
  select $1::uuid, $2::uuid, $3::date, 23, id from bookings where host_id = $1::uuid limit 1`,
);

interface Sent {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** A database that remembers what its transactions send. */
function recording(db: Db, sent: Sent[]): Db {
  const noted = (statement: Statement<unknown>, values: readonly SqlValue[] = []) =>
    sent.push({ text: statement.text, values });
  const recordingTx = (tx: Tx): Tx => ({
    notify: () => tx.notify(),
    // No statement of the booking's: it saves the round trip of the commit, which pgbench makes.
    commitIf: (statement, values) => tx.commitIf(statement, values),
    lock: (name) => {
      noted(LOCK, [name]);
      return tx.lock(name);
    },
    tryLock: (names) => tx.tryLock(names),
    all: (statement, values) => {
      noted(statement, values);
      return tx.all(statement, values);
    },
    get: (statement, values) => {
      noted(statement, values);
      return tx.get(statement, values);
    },
    run: (statement, values) => {
      noted(statement, values);
      return tx.run(statement, values);
    },
  });
  return {
    engine: db.engine,
    all: (statement, values) => db.all(statement, values),
    get: (statement, values) => db.get(statement, values),
    readAlongIndexes: (reads) => db.readAlongIndexes(reads),
    once: (statement, values) => db.once(statement, values),
    exclusive: (body) => db.exclusive(body),
    migration: (body) => db.migration(body),
    transaction: (body) => db.transaction((tx) => body(recordingTx(tx))),
    listen: (listener) => db.listen(listener),
    pool: () => db.pool(),
    close: () => db.close(),
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Every value becomes a variable, or, where it differs from booking to booking, an expression of its number. */
function parametrise(
  sent: readonly Sent[],
  expressions: Map<SqlValue, string>,
): { body: string[]; variables: string[] } {
  const variables: string[] = [];
  const expressionFor = (value: SqlValue): string => {
    if (value === null) return 'null';
    const known = expressions.get(value);
    if (known !== undefined) return known;
    const fresh = typeof value === 'string' && UUID.test(value);
    const name = `v${variables.length}`;
    if (!fresh) variables.push(`${name}=${value}`);
    const expression = fresh ? idExpression(expressions.size) : `:${name}`;
    expressions.set(value, expression);
    return expression;
  };
  const body = sent.map(
    ({ text, values }) => `${text.replaceAll(/\$(\d+)/g, (_, n) => expressionFor(values[Number(n) - 1]!))};`,
  );
  return { body, variables };
}

/** Ids that grow, as ours do. */
function idExpression(series: number): string {
  const prefix = `0190000${series.toString(16).slice(-1)}-0000-7000-8000-`;
  return `cast('${prefix}' || lpad(cast(:k as text), 12, '0') as uuid)`;
}
