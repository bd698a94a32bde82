import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as bookings from '../../src/bookings/bookings.ts';
import type { Context } from '../../src/context.ts';
import type { Db, SqlValue, Statement, Tx } from '../../src/db/database.ts';
import { LOCK } from '../../src/db/postgres/transaction.ts';
import { findBinaries } from '../../test/support/cluster.ts';
import { operator } from '../../test/support/operator.ts';
import type { Figure } from './measure.ts';
import { SPACE_ID_PREFIX, type BenchHost } from './world.ts';

export const CLIENTS = 8;

/** fsync as in production; what checkpoints cost comes at its own times and would fall on one side or the other. */
export const CLUSTER_SETTINGS = { fsync: 'on', max_wal_size: '8GB', checkpoint_timeout: '1h' };

/**
 * The statements of one booking as the service sends them, for pgbench to repeat with other hours and guests:
 * what PostgreSQL can do with them when nobody parses HTTP, checks rules or writes JSON.
 */
export class CreateScript {
  readonly #file: string;
  readonly #variables: string[];
  #first = 0;

  private constructor(file: string, variables: string[]) {
    this.#file = file;
    this.#variables = variables;
  }

  /** Makes one booking at the host and writes down what was sent for it. */
  static async record(
    ctx: Context,
    host: BenchHost,
    dates: readonly string[],
    file: string,
  ): Promise<CreateScript> {
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
    const expressions = new Map<SqlValue, string>([
      [request.spaceId, `cast(:space_prefix || lpad(cast(:space as text), 12, '0') as uuid)`],
      [request.date, `(cast(:first_date as date) + cast(:day as integer))`],
      [request.startHour, ':hour'],
      [request.endHour, ':end_hour'],
      [request.guestEmail, `('guest-' || cast(:k as text) || '@example.com')`],
      [guestLock, `('guest ' || cast(:k as text))`],
      [request.idempotencyKey, `('order-' || cast(:k as text))`],
      [booking.id, idExpression(0)],
      [Date.parse(booking.starts_at), `(cast(:starts_at as bigint) + cast(:k as bigint) * 3600000)`],
      [Date.parse(booking.ends_at), `(cast(:ends_at as bigint) + cast(:k as bigint) * 3600000)`],
      [host.hostId, ':host_id'],
    ]);
    const { body, variables } = parametrise(sent, expressions);
    const script = [
      `\\set k :first + :n * ${CLIENTS} + :client_id`,
      `\\set n :n + 1`,
      `\\set space :first_space + :k % ${host.spaces.length}`,
      `\\set day :k / ${host.spaces.length} % ${dates.length}`,
      `\\set hour :k / ${host.spaces.length * dates.length} % 24`,
      `\\set end_hour :hour + 1`,
      'begin;',
      ...body,
      'commit;',
    ];
    writeFileSync(file, `${script.join('\n')}\n`);
    return new CreateScript(file, [
      ...variables,
      `space_prefix=${SPACE_ID_PREFIX}`,
      `first_space=${Number(request.spaceId.slice(SPACE_ID_PREFIX.length))}`,
      `first_date=${request.date}`,
      `starts_at=${Date.parse(booking.starts_at)}`,
      `ends_at=${Date.parse(booking.ends_at)}`,
      `host_id=${host.hostId}`,
    ]);
  }

  async run(url: string, seconds: number): Promise<Figure> {
    const variables = [...this.#variables, 'n=0', `first=${this.#first}`].flatMap((each) => ['-D', each]);
    const settings = ['-n', '-M', 'prepared', '-c', String(CLIENTS), '-j', '2', '-T', String(seconds)];
    const { stdout } = await promisify(execFile)(join(findBinaries()!, 'pgbench'), [
      ...settings,
      ...variables,
      '-f',
      this.#file,
      url,
    ]);
    const failed = Number(/number of failed transactions: (\d+)/.exec(stdout)?.[1]);
    const done = Number(/number of transactions actually processed: (\d+)/.exec(stdout)?.[1]);
    const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
    if (failed > 0 || !(perSecond > 0)) throw new Error(`pgbench: ${stdout}`);
    // Clients advance at their own pace: the fastest one is never twice as fast as the mean.
    this.#first += done * 2;
    return { perSecond };
  }
}

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
    inOrder: (statements) => tx.inOrder(statements),
    // No statement of the booking's: it saves the round trip of the commit, which pgbench makes.
    commitIf: (statement, values) => tx.commitIf(statement, values),
    lock: (name) => {
      noted(LOCK, [name]);
      return tx.lock(name);
    },
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
    once: (statement, values) => db.once(statement, values),
    exclusive: (body) => db.exclusive(body),
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
