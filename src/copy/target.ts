import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { refuseBroken, type Read, type SchemaTx, type SqlValue, type Write } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { APPLICATION_NAME } from '../db/postgres/monitor.ts';
import { MIGRATION_LOCK } from '../db/postgres/session.ts';
import { PgClient } from '../db/postgres/servers.ts';
import { startError } from '../db/postgres/errors.ts';
import { prepared, LOCK, TRY_LOCK } from '../db/postgres/transaction.ts';
import { OperatorError } from '../errors.ts';
import type { Clock } from '../time/clock.ts';
import * as sql from './sql.ts';
import { DIGITS, LEFT_OUT, targetLine, type Column, type Sum, type Table } from './tables.ts';

const CONNECT_TIMEOUT_MS = 5000;

/** What was taken away for the load, and the statement that brings it back. */
export interface Part {
  readonly name: string;
  readonly make: string;
}

/**
 * An empty PostgreSQL database and the one transaction that fills it. Whatever goes wrong before its commit, also a kill of
 * this process, leaves the database as empty as it was.
 */
export class Target {
  readonly #client: Client;
  readonly #url: string;
  /** For what the rest of the house writes in a transaction. */
  readonly tx: SchemaTx;

  private constructor(url: string) {
    this.#url = url;
    this.#client = new PgClient({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: APPLICATION_NAME,
    });
    // Whoever waits for a statement gets the error too.
    this.#client.on('error', () => undefined);
    this.tx = onClient((config) => this.#explained(this.#client.query(config)));
  }

  /** Throws where the database cannot be reached or holds anything. */
  static async open(url: string): Promise<Target> {
    const target = new Target(url);
    try {
      await target.#explained(target.#client.connect());
      await target.tx.script(sql.begin(MIGRATION_LOCK));
      await target.#refuseUnlessEmpty();
    } catch (error) {
      await target.close();
      throw error;
    }
    return target;
  }

  async #refuseUnlessEmpty(): Promise<void> {
    const [first] = await this.#all<{ encoding: string; objects: number; name: string | null }>(sql.LOOK);
    if (first!.objects > 0) {
      const others = first!.objects === 1 ? '' : ` and ${first!.objects - 1} more`;
      throw new OperatorError(
        `the database ${this.#client.database} is not empty: it has ${first!.name}${others}; copy into a new one`,
      );
    }
    if (first!.encoding !== 'UTF8')
      throw new OperatorError(
        `the database ${this.#client.database} is in ${first!.encoding}; create one in UTF8`,
      );
  }

  /** Answers with the tables to fill, each after those that it refers to. */
  async createSchema(clock: Clock): Promise<Table[]> {
    await migrate({ engine: 'postgres', migration: (body) => body(this.tx) }, clock);
    const columns = await this.#all<Column & { table: string }>(sql.SELECT_COLUMNS);
    const references = await this.#all<{ from: string; to: string }>(sql.SELECT_REFERENCES);
    const names = new Set(columns.map(({ table }) => table).filter((name) => !Object.hasOwn(LEFT_OUT, name)));
    return inOrder(names, references).map((name) => ({
      name,
      columns: columns.filter(({ table }) => table === name),
    }));
  }

  /**
   * Without keys, references and indexes rows go in several times as fast, and building those afterwards is quicker than
   * adding to them row by row. Checks stay.
   */
  async setAside(): Promise<Part[]> {
    const parts = await this.#all<Part & { drop: string }>(sql.SELECT_PARTS);
    await this.tx.script(
      parts
        .toReversed()
        .map(({ drop }) => `${drop};`)
        .join('\n'),
    );
    return parts;
  }

  async bringBack({ make }: Part): Promise<void> {
    await this.tx.script(make);
  }

  async fill({ name, columns }: Table, pieces: Iterable<Buffer>): Promise<void> {
    const list = columns.map((column) => column.name).join(', ');
    // Frozen: no vacuum has to write these rows once more. Allowed since the table is as new as they are.
    const text = `copy ${name} (${list}) from stdin with (format csv, freeze)`;
    const rows = this.#client.query(copyFrom(text));
    await this.#explained(pipeline(Readable.from(pieces), rows), `table ${name}: `);
  }

  /** What PostgreSQL holds, by its own words. */
  async sum(table: Table): Promise<Sum> {
    const [row] = await this.#all<{ rows: number; sum: string }>(
      sql.sumOf(table.name, targetLine(table), DIGITS),
    );
    return { rows: row!.rows, hash: BigInt(row!.sum).toString(16) };
  }

  /** Numbers that PostgreSQL gives out go on after the last one that was copied. */
  async setCounters(): Promise<void> {
    for (const { statement } of await this.#all<{ statement: string }>(sql.SELECT_COUNTERS))
      await this.tx.script(statement);
  }

  /** Without statistics the first queries would get the plans of empty tables. */
  async analyze(): Promise<void> {
    await this.tx.script('analyze');
  }

  async commit(): Promise<void> {
    await this.tx.script('commit');
  }

  /** Without a commit before, nothing was done. */
  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  async #all<Row extends QueryResultRow>(text: string): Promise<Row[]> {
    return (await this.#explained(this.#client.query<Row>(text))).rows;
  }

  /** Whatever PostgreSQL or the way to it says, in one line. */
  async #explained<T>(answer: Promise<T>, what = ''): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      const known = startError(error, this.#url);
      const text =
        known instanceof OperatorError
          ? // It speaks of the setting that this address will soon be.
            known.message.replaceAll('DATABASE_URL', '--to')
          : `PostgreSQL at ${new URL(this.#url).host}: ${what}${(error as Error).message}`;
      throw new OperatorError(`${text}; nothing was copied`);
    }
  }
}

function inOrder(names: ReadonlySet<string>, references: readonly { from: string; to: string }[]): string[] {
  const done = new Set<string>();
  const visit = (name: string): void => {
    if (done.has(name)) return;
    for (const { from, to } of references) if (from === name && to !== name) visit(to);
    done.add(name);
  };
  for (const name of names) visit(name);
  return [...done].filter((name) => names.has(name));
}

/** A transaction that is open on a connection of one's own, for what the rest of the house does in one. */
function onClient(send: (config: QueryConfig) => Promise<QueryResult>): SchemaTx {
  const all = async <Row>(statement: Read<Row> | Write<Row>, values: readonly SqlValue[] = []) =>
    (await send(prepared(statement, values))).rows as Row[];
  const tx: SchemaTx = {
    all,
    get: async (statement, values) => (await all(statement, values))[0],
    run: async (statement, values = []) => (await send(prepared(statement, values))).rowCount ?? 0,
    script: async (text) => {
      await send({ text });
    },
    lock: async (name) => {
      await send(prepared(LOCK, [name]));
    },
    tryLock: async (names) => (await all(TRY_LOCK, [JSON.stringify(names)])).map(({ name }) => name),
    require: (...conditions) => refuseBroken(tx, conditions),
    notify: () => undefined,
  };
  return tx;
}
