import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as bookings from '../../src/bookings/create.ts';
import type { Context } from '../../src/context.ts';
import { type Db, type SqlValue, type Statement, forPostgres } from '../../src/db/database.ts';
import { LOCK } from '../../src/db/postgres/transaction.ts';
import { selectDay } from '../../src/hours/sql.ts';
import { hashApiKey } from '../../src/ids/api-key.ts';
import { parseId } from '../../src/ids/uuid.ts';
import { findBinaries } from '../../test/support/cluster.ts';
import { operator } from '../../test/support/operator.ts';
import { watched } from '../../test/support/watched.ts';
import type { Place } from './bench.ts';
import type { Figure } from '../../test/traffic/figures.ts';
import { bookingOf, type BenchHost } from '../../test/traffic/world.ts';

export const CLIENTS = 8;

/** What pgbench measured; one client has a latency, with more of them they mostly wait for each other. */
export type Script = (place: Place, clients: number, seconds: number) => Promise<Figure>;

/** A script that pgbench repeats: what PostgreSQL can do with our statements when nobody parses HTTP, checks rules or writes JSON. */
function scriptOf(file: string, variables: readonly string[], lines: readonly string[]): Script {
  writeFileSync(file, `${lines.join('\n')}\n`);
  let first = 0;
  return async ({ url, databaseCpu }, clients, seconds) => {
    const definitions = [...variables, 'n=0', `first=${first}`].flatMap((each) => ['-D', each]);
    const threads = Math.min(2, clients);
    const counts = ['-c', String(clients), '-j', String(threads), '-T', String(Math.ceil(seconds))];
    const args = ['-n', '-M', 'prepared', ...counts, ...definitions, '-f', file, url];
    const before = databaseCpu();
    const { stdout } = await promisify(execFile)(join(findBinaries()!, 'pgbench'), args);
    const number = (pattern: RegExp): number => Number(pattern.exec(stdout)?.[1]);
    const done = number(/number of transactions actually processed: (\d+)/);
    const perSecond = number(/tps = ([\d.]+)/);
    if (number(/number of failed transactions: (\d+)/) > 0 || !(perSecond > 0))
      throw new Error(`pgbench: ${stdout}`);
    // Clients advance at their own pace: the fastest one is never twice as fast as the mean.
    first += done * 2;
    // pgbench tells the mean, not the median.
    const latency = clients === 1 ? { ms: number(/latency average = ([\d.]+) ms/) } : {};
    return { perSecond, ...latency, database: (databaseCpu() - before) / done };
  };
}

const DATE = `(cast(:first_date as date) + cast(:day as integer))`;
const oneOf = (values: readonly string[], number: string): string =>
  `(array['${values.join("', '")}'])[${number} + 1]`;
const spaceOf = ({ spaces }: BenchHost): string => `cast(${oneOf(spaces, ':space')} as uuid)`;

function variablesOf(host: BenchHost, dates: readonly string[]): string[] {
  return [`host_id=${host.hostId}`, `environment=${host.environment}`, `first_date=${dates[0]}`];
}

/** What a key may ask in a minute: nobody reaches it, but it is counted as in production. */
export const GENEROUS_LIMIT = 10_000;

/** The two statements of an availability, one after the other: admit the request of one of these hosts, read the first one's day. */
export function availabilityScript(
  hosts: readonly BenchHost[],
  dates: readonly string[],
  file: string,
): Script {
  const host = hosts[0]!;
  const hashes = hosts.map(({ key }) => hashApiKey(key));
  const values = [':host_id', ':environment', spaceOf(host), DATE];
  const limits = `${GENEROUS_LIMIT}, ${GENEROUS_LIMIT}`;
  return scriptOf(file, variablesOf(host, dates), [
    `\\set key random(0, ${hashes.length - 1})`,
    `\\set space random(0, ${host.spaces.length - 1})`,
    `\\set day random(0, ${dates.length - 1})`,
    `select * from admit_requests(array[${oneOf(hashes, ':key')}], array[1], ${limits}, null);`,
    filledIn(forPostgres(selectDay), (n) => values[n]!),
  ]);
}

/** An hour that nothing else in the statements is. */
const SAMPLE_HOUR = 13;

/** The statements of a booking as the service sends them, with other hours and guests each time. */
export async function createScript(
  ctx: Context,
  host: BenchHost,
  dates: readonly string[],
  file: string,
): Promise<Script> {
  const hours = { date: dates[0]!, start_hour: SAMPLE_HOUR, end_hour: SAMPLE_HOUR + 1 };
  const request = bookingOf({ space_id: host.spaces[0]!, ...hours }, 'sample');
  const sent: Sent[] = [];
  const owner = { hostId: host.hostId, environment: 'production', actor: operator } as const;
  const { booking } = await bookings.create({ ...ctx, db: recording(ctx.db, sent) }, owner, request);
  const guestLock = sent.find(({ text }) => text === LOCK.text)?.values[0] ?? '';
  const [startsAt, endsAt] = [booking.starts_at, booking.ends_at].map((text) => Date.parse(text));
  const { body, variables } = parametrise(
    sent,
    new Map<SqlValue, string>([
      [request.space_id, spaceOf(host)],
      [request.date, DATE],
      [request.start_hour, ':hour'],
      [request.end_hour, ':end_hour'],
      [request.guest_email, `('guest-' || cast(:k as text) || '@example.com')`],
      [guestLock, `('guest ' || cast(:k as text))`],
      [request.idempotency_key, `('order-' || cast(:k as text))`],
      [booking.id, idExpression(0)],
      [startsAt!, `(cast(:starts_at as bigint) + cast(:k as bigint) * 3600000)`],
      [endsAt!, `(cast(:ends_at as bigint) + cast(:k as bigint) * 3600000)`],
      [host.hostId, ':host_id'],
    ]),
  );
  const times = [`starts_at=${startsAt}`, `ends_at=${endsAt}`];
  return scriptOf(
    file,
    [...variables, ...variablesOf(host, dates), ...times],
    [
      `\\set k :first + :n * ${CLIENTS} + :client_id`,
      `\\set n :n + 1`,
      `\\set space :k % ${host.spaces.length}`,
      `\\set day :k / ${host.spaces.length} % ${dates.length}`,
      `\\set hour :k / ${host.spaces.length * dates.length} % 24`,
      `\\set end_hour :hour + 1`,
      'begin;',
      ...body,
      'commit;',
    ],
  );
}

/** The least that a booking of an hour that is taken can be: asking for the sample's hour, and going without it. */
export function refusalScript(host: BenchHost, dates: readonly string[], file: string): Script {
  const variables = [...variablesOf(host, dates), `space_id=${host.spaces[0]}`];
  return scriptOf(file, variables, [
    'begin;',
    'insert into hours (host_id, space_id, date, hour, booking_id)',
    `values (:host_id, :space_id, :first_date, ${SAMPLE_HOUR}, :host_id) on conflict do nothing;`,
    'rollback;',
  ]);
}

interface Sent {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** A database that remembers what its transactions send: not `require`, as pgbench sends a commit of its own. */
function recording(db: Db, sent: Sent[]): Db {
  return watched(db, (method, args, isTransaction) => {
    if (!isTransaction || !['all', 'get', 'run', 'lock'].includes(method)) return;
    const called = method === 'lock' ? [LOCK, args] : args;
    const [statement, values = []] = called as [Statement<unknown>, SqlValue[]?];
    sent.push({ text: forPostgres(statement), values });
  });
}

/** Every value becomes a variable, or, where it differs from booking to booking, an expression of its number. */
function parametrise(sent: readonly Sent[], expressions: Map<SqlValue, string>) {
  const variables: string[] = [];
  const expressionFor = (value: SqlValue): string => {
    if (value === null) return 'null';
    const known = expressions.get(value);
    if (known !== undefined) return known;
    const isId = typeof value === 'string' && parseId(value) !== undefined;
    const expression = isId ? idExpression(expressions.size) : `:v${variables.length}`;
    if (!isId) variables.push(`v${variables.length}=${value}`);
    expressions.set(value, expression);
    return expression;
  };
  return {
    body: sent.map(({ text, values }) => filledIn(text, (n) => expressionFor(values[n]!))),
    variables,
  };
}

/** A statement with something else for $1, $2, … */
function filledIn(text: string, expression: (n: number) => string): string {
  return `${text.replaceAll(/\$(\d+)/g, (_, n) => expression(Number(n) - 1))};`;
}

/** Ids that grow, as ours do. */
function idExpression(series: number): string {
  const prefix = `0190000${series.toString(16).slice(-1)}-0000-7000-8000-`;
  return `cast('${prefix}' || lpad(cast(:k as text), 12, '0') as uuid)`;
}
