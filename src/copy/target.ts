import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Read, SqlValue } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { APPLICATION_NAME } from '../db/postgres/monitor.ts';
import { BEGIN_EXCLUSIVE } from '../db/postgres/session.ts';
import { PgClient } from '../db/postgres/servers.ts';
import { startError } from '../db/postgres/errors.ts';
import { sendTogether, Transaction } from '../db/postgres/transaction.ts';
import { OperatorError } from '../errors.ts';
import type { Clock } from '../time/clock.ts';
import * as sql from './sql.ts';
import { DIGITS, LEFT_OUT, hashedLine, type Column, type Sum, type Table } from './tables.ts';

const CONNECT_TIMEOUT_MS = 5000;

/** What was taken away for the load, and the statement that brings it back. */
interface Part {
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
  readonly tx: Transaction;

  private constructor(url: string) {
    this.#url = url;
    this.#client = new PgClient({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: APPLICATION_NAME,
    });
    const server = {
      connect: async () => Object.assign(this.#client, { release: () => undefined }),
      send: (client: PoolClient, statements: readonly QueryConfig[]) =>
        this.#explained(sendTogether(client, statements)),
      read: <Row>(statement: Read<Row>, values: readonly SqlValue[]) => this.tx.all(statement, values),
      begin: () => [BEGIN_EXCLUSIVE],
    };
    this.tx = new Transaction(server, false);
  }

  /** Throws where the database cannot be reached or holds anything. */
  static async open(url: string): Promise<Target> {
    const target = new Target(url);
    try {
      await target.#explained(target.#client.connect());
      await target.tx.script(sql.SETTINGS);
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

  /** Answers with the tables to fill. */
  async createSchema(clock: Clock): Promise<Table[]> {
    await migrate({ engine: 'postgres', migration: (body) => body(this.tx) }, clock);
    const columns = await this.#all<Column & { table: string }>(sql.SELECT_COLUMNS);
    return Map.groupBy(columns, ({ table }) => table)
      .entries()
      .filter(([name]) => !Object.hasOwn(LEFT_OUT, name))
      .map(([name, ofTable]) => ({ name, columns: ofTable }))
      .toArray();
  }

  /**
   * Without keys, references and indexes rows go in several times as fast, and building those afterwards is quicker than
   * adding to them row by row. Checks stay.
   */
  async setAside(): Promise<Part[]> {
    const parts = await this.#all<Part & { drop: string }>(sql.SELECT_PARTS);
    for (const { drop } of parts.toReversed()) await this.tx.script(drop);
    return parts;
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
      sql.sumOf(table.name, hashedLine(table), DIGITS),
    );
    return { rows: row!.rows, hash: BigInt(row!.sum).toString(16) };
  }

  /** Numbers that PostgreSQL gives out go on after the last one that was copied. */
  async setCounters(): Promise<void> {
    for (const { statement } of await this.#all<{ statement: string }>(sql.SELECT_COUNTERS))
      await this.tx.script(statement);
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
