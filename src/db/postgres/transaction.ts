import type { PoolClient, QueryConfig } from 'pg';
import { DatabaseAway } from '../../errors.ts';
import { holdsOrFails, refuseBroken } from '../conditions.ts';
import { isLost, mayBeCommitted } from './away.ts';
import { sayOn, type Condition, type Read, type SchemaTx, type SqlValue, type Write } from '../database.ts';
import { NO_TIMEOUT, type Rows } from './group.ts';
import { prepared } from './prepared.ts';

/** What a transaction needs of the database that runs it. */
export interface Server {
  connect(): Promise<PoolClient>;
  /** Runs statements in their order, in one round trip. When one fails, the others are void too. */
  send(client: PoolClient, statements: readonly QueryConfig[]): Promise<Rows<unknown>[]>;
  /** Reads outside of any transaction. */
  read<Row>(statement: Read<Row>, values: readonly SqlValue[]): Promise<Row[]>;
}

/** How a transaction begins. */
export interface Begin {
  /** `beganAt`: when its body began, on the clock of `performance.now()`. */
  statements(beganAt: number): readonly QueryConfig[];
  answered?(results: readonly Rows<unknown>[], sentAt: number): void;
}

const COMMIT: QueryConfig = { name: 'hk_commit', text: 'commit', ...NO_TIMEOUT } as QueryConfig;
const ROLLBACK: QueryConfig = { name: 'hk_rollback', text: 'rollback' };

/** Two names with the same hash wait for each other without need. Nothing worse happens. */
export const LOCK = sayOn('postgres', 'select pg_advisory_xact_lock(hashtextextended($1, 0))');

export const TRY_LOCK_TEXT = `
  select name from jsonb_array_elements_text($1::jsonb) as wanted (name)
  where pg_try_advisory_xact_lock(hashtextextended(name, 0))`;

export const TRY_LOCK = sayOn<{ name: string }>('postgres', TRY_LOCK_TEXT);

interface Call {
  readonly config: QueryConfig;
  /** Of a read: how to make it outside of the transaction. */
  readonly outside?: (() => Promise<unknown[]>) | undefined;
  resolve(result: Rows<unknown>): void;
  reject(error: unknown): void;
}

/**
 * Statements that are called one right after the other leave together. The transaction begins with the first one that
 * writes. Reads before it would see the same inside (every statement sees what is committed when it starts); outside they
 * hold no connection and can travel with the reads of other requests.
 */
export class Transaction implements SchemaTx {
  readonly #server: Server;
  readonly #begin: Begin;
  readonly #beganAt = performance.now();
  readonly #mayCommitEarly: boolean;
  readonly #readsBefore: Promise<unknown>[] = [];
  #waiting: Call[] = [];
  #client: Promise<PoolClient> | undefined;
  #outcome: 'open' | 'committed' | 'refused' = 'open';
  notified = false;

  constructor(server: Server, begin: Begin, mayCommitEarly: boolean) {
    this.#server = server;
    this.#begin = begin;
    this.#mayCommitEarly = mayCommitEarly;
  }

  /** True when what `require` names does not hold: the body is to run again and find out what. */
  get refused(): boolean {
    return this.#outcome === 'refused';
  }

  notify = (): void => {
    this.notified = true;
  };

  async lock(name: string): Promise<void> {
    await this.run(LOCK, [name]);
  }

  async tryLock(names: readonly string[]): Promise<string[]> {
    return (await this.all(TRY_LOCK, [JSON.stringify(names)])).map(({ name }) => name);
  }

  async all<Row>(statement: Read<Row> | Write<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
    const outside = statement.writes ? undefined : () => this.#server.read(statement, values);
    return (await this.#call(prepared(statement, values), outside)).rows as Row[];
  }

  async get<Row>(
    statement: Read<Row> | Write<Row>,
    values: readonly SqlValue[] = [],
  ): Promise<Row | undefined> {
    return (await this.all(statement, values))[0];
  }

  async run(statement: Write<unknown>, values: readonly SqlValue[] = []): Promise<number> {
    return (await this.#call(prepared(statement, values))).rowCount ?? 0;
  }

  async script(text: string): Promise<void> {
    await this.#call({ text });
  }

  async require(...conditions: readonly Condition[]): Promise<void> {
    if (!this.#mayCommitEarly) return refuseBroken(this, conditions);
    // One by one: Citus keeps the plan of each, and PostgreSQL needs as long for all together. Behind the first that fails the
    // server skips everything, the commit too.
    const guards = conditions.map((condition) => this.#call(prepared(...holdsOrFails(condition))));
    await Promise.all([...guards, this.#call(COMMIT)]).catch((error: unknown) => {
      if (isDivisionByZero(error)) this.#outcome = 'refused';
      throw error;
    });
    this.#outcome = 'committed';
  }

  async commit(): Promise<void> {
    if (this.#client === undefined && this.#waiting.length === 0) return;
    if (this.#outcome === 'open') await this.#call(COMMIT);
    (await this.#client)?.release();
  }

  /** A connection that does not even take the rollback is closed. */
  async rollback(reason: unknown): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    if (client === undefined) return;
    if (isLost(reason)) client.release(true);
    else if (this.#outcome === 'committed') client.release();
    else
      await this.#call(ROLLBACK).then(
        () => client.release(),
        () => client.release(true),
      );
  }

  #call(config: QueryConfig, outside?: Call['outside']): Promise<Rows<unknown>> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ config, outside, resolve, reject }) === 1)
        process.nextTick(() => this.#leave());
    });
  }

  #leave(): void {
    const calls = this.#waiting;
    this.#waiting = [];
    if (this.#client !== undefined || calls.some(({ outside }) => outside === undefined)) {
      void this.#send(calls);
      return;
    }
    for (const { outside, resolve, reject } of calls) {
      const rows = outside!();
      this.#readsBefore.push(rows);
      rows.then((found) => resolve({ rows: found, rowCount: found.length }), reject);
    }
  }

  async #send(calls: readonly Call[]): Promise<void> {
    const begins = this.#client === undefined;
    this.#client ??= Promise.allSettled(this.#readsBefore).then(() => this.#server.connect());
    try {
      const client = await this.#client;
      const first = begins ? this.#begin.statements(this.#beganAt) : [];
      const sentAt = performance.now();
      const results = await this.#server.send(client, [...first, ...calls.map(({ config }) => config)]);
      const answers = results.splice(0, first.length);
      if (begins) this.#begin.answered?.(answers, sentAt);
      for (const [i, call] of calls.entries()) call.resolve(results[i]!);
    } catch (error) {
      const commits = calls.some(({ config }) => config === COMMIT);
      const told = commits && mayBeCommitted(error) ? new DatabaseAway(error.cause, 'unknown') : error;
      for (const call of calls) call.reject(told);
    }
  }
}

function isDivisionByZero(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '22012';
}
