import { Pool, types, type PoolClient, type QueryConfig } from 'pg';
import { DatabaseAway } from '../errors.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import { type Admission, type KeyRow, type RateLimits, WINDOW_MS } from './admission.ts';
import type { Db, Read, SchemaTx, SqlValue, Statement, Tx } from './database.ts';
import { Notifications } from './postgres-notify.ts';

export interface PostgresOptions {
  url: string;
  clock: Clock;
  poolSize: number;
  /** Told about connections that break while idle; the pool replaces them by itself. */
  onConnectionLost(error: Error): void;
}

export function openPostgres(options: PostgresOptions): Db {
  return new Postgres(options);
}

/** Together under two seconds for a request's first statement, so that an outage is answered in time. */
const ACQUIRE_TIMEOUT_MS = 1800;
const QUERY_TIMEOUT_MS = 1500;
const MIGRATION_TIMEOUT_MS = 10 * 60_000;
const ATTEMPTS = 3;
/** Any number will do, as long as every process of every version uses the same. */
const MIGRATION_LOCK = 4_150_711_225;

// All our integers (epoch milliseconds, minor units, counts) are far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);

class Postgres implements Db {
  readonly engine = 'postgres';
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #notifications: Notifications;

  constructor({ url, clock, poolSize, onConnectionLost }: PostgresOptions) {
    this.#pool = new Pool({
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      idle_in_transaction_session_timeout: 10_000,
      pipeline: true,
      keepAlive: true,
      application_name: 'hourkeep',
    });
    this.#pool.on('error', onConnectionLost);
    this.#clock = clock;
    this.#notifications = new Notifications(this.#pool, url, onConnectionLost);
  }

  async all<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.#query<Row>(statement, values)).rows;
  }

  async get<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return (await this.#query<Row>(statement, values)).rows[0];
  }

  /** Deadlocks and serialisation failures are PostgreSQL's to throw and ours to repeat. */
  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt('begin', body);
      } catch (error) {
        if (attempt >= ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  }

  async exclusive<T>(body: (tx: SchemaTx) => Promise<T>): Promise<T> {
    const begin = `begin; select pg_advisory_xact_lock(${MIGRATION_LOCK}); ${RATE_WINDOWS_TABLE}`;
    return this.#attempt(begin, body, MIGRATION_TIMEOUT_MS);
  }

  async admit(keyHash: string, limits: RateLimits): Promise<Admission | undefined> {
    const now = this.#clock === systemClock ? null : this.#clock.now();
    const result = await this.#query<AdmissionRow>(ADMIT, [keyHash, limits.production, limits.sandbox, now]);
    const [row] = result.rows;
    if (row === undefined) return undefined;
    const admission = {
      keyId: row.id,
      hostId: row.host_id,
      environment: row.environment,
      scopes: row.scopes,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      lastUsedAt: row.last_used_at,
    };
    if (row.decided_at === null) return { ...admission, at: now ?? Date.now() };
    const limit = limits[row.environment];
    return {
      ...admission,
      at: row.decided_at,
      rate: {
        admitted: row.admitted,
        limit,
        remaining: limit - row.used,
        resetsAt: row.oldest + WINDOW_MS,
      },
    };
  }

  listen(listener: () => void): () => void {
    return this.#notifications.listen(listener);
  }

  async close(): Promise<void> {
    await this.#notifications.close();
    await this.#pool.end();
  }

  async #query<Row>(statement: Statement<Row>, values: readonly SqlValue[]): Promise<Rows<Row>> {
    try {
      const result: unknown = await this.#pool.query(prepared(statement, values));
      return result as Rows<Row>;
    } catch (error) {
      throw translated(error);
    }
  }

  async #attempt<T>(begin: string, body: (tx: SchemaTx) => Promise<T>, timeoutMs?: number): Promise<T> {
    const client = await this.#connect();
    let notified = false;
    const notify = (): void => {
      notified = true;
    };
    const tx = asTx(client, notify, timeoutMs);
    try {
      // Not awaited: it travels with the body's first statement, which fails if this one does.
      const begun = tx.script(begin);
      begun.catch(() => undefined);
      const value = await body(tx);
      await begun;
      await tx.script('commit');
      client.release();
      if (notified) this.#notifications.send();
      return value;
    } catch (error) {
      const intact = await tx.script('rollback').then(
        () => true,
        () => false,
      );
      client.release(!intact);
      throw error;
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw translated(error);
    }
  }
}

interface Rows<Row> {
  rows: Row[];
  rowCount: number | null;
}

function asTx(client: PoolClient, notify: () => void, timeoutMs?: number): SchemaTx {
  const timeout = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
  async function query<Row>(config: QueryConfig): Promise<Rows<Row>> {
    try {
      const result: unknown = await client.query({ ...config, ...timeout });
      return result as Rows<Row>;
    } catch (error) {
      throw translated(error);
    }
  }
  return {
    notify,
    all: async <Row>(statement: Statement<Row>, values: readonly SqlValue[] = []) =>
      (await query<Row>(prepared(statement, values))).rows,
    get: async <Row>(statement: Statement<Row>, values: readonly SqlValue[] = []) =>
      (await query<Row>(prepared(statement, values))).rows[0],
    run: async (statement, values = []) => (await query(prepared(statement, values))).rowCount ?? 0,
    script: async (text) => {
      await query({ text });
    },
  };
}

function prepared(statement: Statement<unknown>, values: readonly SqlValue[]): QueryConfig {
  return { name: statement.name, text: statement.text, values: [...values] };
}

/**
 * The windows of all processes, one row a key. Unlogged: the row is written by every request, needs no
 * fsync (a transaction that touched nothing else does not wait for one) and may be forgotten in a crash.
 */
const RATE_WINDOWS_TABLE = `create unlogged table if not exists rate_windows (
  key_id text primary key,
  recent bigint[] not null,
  admitted boolean not null,
  decided_at bigint not null
) with (fillfactor = 50)`;

interface AdmissionRow extends KeyRow {
  admitted: boolean;
  used: number;
  oldest: number;
  decided_at: number | null;
}

const NOW = `coalesce($4::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint)`;

/**
 * Exact under concurrency: "on conflict do update" locks the key's row and computes from its latest
 * version, and clock_timestamp() is read after the lock, so the admissions stay in order. Counting rows in
 * a sub-select instead would count as of the statement's start and let more through.
 */
const ADMIT: Statement<AdmissionRow> = {
  name: 'hk_admit',
  text: `
  with k as materialized (
    select id, host_id, environment, scopes, expires_at, revoked_at, last_used_at,
      case environment when 'production' then $2::int else $3::int end as quota
    from api_keys where hash = $1
  ), a as (
    insert into rate_windows as w (key_id, recent, admitted, decided_at)
    select id, array[${NOW}], true, ${NOW} from k
    where quota > 0 and revoked_at is null and (expires_at is null or expires_at > ${NOW})
    on conflict (key_id) do update set (recent, admitted, decided_at) = (
      select case when cardinality(live) < quota then live || now else live end, cardinality(live) < quota, now
      from (
        select now, quota, array(select t from unnest(w.recent) as t where t > now - ${WINDOW_MS} order by t) as live
        from (select greatest(${NOW}, w.decided_at) as now,
          (select quota from k) as quota) as decision
      ) as decision
    )
    returning admitted, decided_at, cardinality(recent) as used, recent[1] as oldest
  )
  select k.*, a.* from k left join a on true`,
};

const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';

function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return code === DEADLOCK || code === SERIALIZATION_FAILURE;
}

/** Server going down or not up yet, no connection to be had, disk full, or read-only after a failover. */
const AWAY_SQLSTATES = /^(?:08...|57P0.|53...|25006)$/;
const AWAY_SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** pg reports these without a code. */
const AWAY_MESSAGES = /timeout|Connection terminated|connection error|Client was closed/i;

function translated(error: unknown): unknown {
  const code = codeOf(error);
  if (code !== undefined) {
    return AWAY_SQLSTATES.test(code) || AWAY_SOCKET.has(code) ? new DatabaseAway(error) : error;
  }
  return error instanceof Error && AWAY_MESSAGES.test(error.message) ? new DatabaseAway(error) : error;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
