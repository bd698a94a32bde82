import { Query, type ClientConfig, type Connection, type PoolClient, type QueryConfig } from 'pg';
import type { SqlValue } from '../database.ts';

export interface Rows<Row> {
  rows: Row[];
  rowCount: number | null;
}

/** For commits, which can wait for a standby that is away. The server would keep its side of the connection anyway. */
export const NO_TIMEOUT = { query_timeout: 2 ** 31 - 1 };

/**
 * Sends statements in one system call, so that PostgreSQL wakes up once. Where all of them are prepared, they are one
 * message with one answer: pg would end each with a Sync, and at each the server sends what it has, so the ten
 * statements of a booking would wake this process ten times. Where one fails, the server skips those behind it, and its
 * error is the error of all.
 */
export function sendTogether(
  client: PoolClient,
  statements: readonly QueryConfig[],
): Promise<Rows<unknown>[]> {
  if (statements.length === 1 || !statements.every(isNamed)) {
    const { stream } = client.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    return Promise.all(statements.map((statement) => client.query(statement)));
  }
  return new Promise((resolve, reject) => {
    const done: Done = (error, results) => (error === null ? resolve(results) : reject(error));
    client.query(new Group(statements, done));
  });
}

type Named = QueryConfig & { name: string };

function isNamed(statement: QueryConfig): statement is Named {
  return statement.name !== undefined && statement.name !== '';
}

type Done = (error: Error | null, results: Rows<unknown>[]) => void;

/** pg's own Query can read the answers of several statements: it does so for scripts. Only sending differs here. */
class Group extends Query {
  readonly #statements: readonly Named[];
  /** As a statement of its own can have it. The last one's, which is the commit if there is one. */
  readonly query_timeout: number | undefined;
  #server: Internals | undefined;

  constructor(statements: readonly Named[], done: Done) {
    super({ text: '', callback: done } as QueryConfig);
    this.#statements = statements;
    this.query_timeout = (statements.at(-1) as ClientConfig).query_timeout;
    // When the server has parsed a statement, pg asks for its name and text, to remember that it has.
    Object.defineProperties(this, {
      name: { get: () => this.#unparsed()[0]?.name },
      text: { get: () => this.#unparsed()[0]?.text },
    });
  }

  override submit = (connection: Connection): void => {
    const server = (this.#server = connection as unknown as Internals);
    server.stream.cork();
    for (const { name, text, values } of this.#statements) {
      if (
        server.parsedStatements[name] === undefined &&
        server.submittedNamedStatements[name] === undefined
      ) {
        server.parse({ name, text });
        server.submittedNamedStatements[name] = text;
      }
      server.bind({ statement: name, values, valueMapper: toText });
      server.describe({ type: 'P' });
      server.execute({});
    }
    server.sync();
    server.stream.uncork();
  };

  /** The server skips everything behind an error, statements that were to be parsed too. */
  handleError(error: Error, connection: Connection): void {
    for (const { name } of this.#unparsed()) delete this.#server?.submittedNamedStatements[name];
    Object.getPrototypeOf(Group.prototype).handleError.call(this, error, connection);
  }

  #unparsed(): Named[] {
    return this.#statements.filter(({ name }) => this.#server?.submittedNamedStatements[name] !== undefined);
  }
}

/** What pg's types leave out. */
interface Internals {
  readonly stream: Connection['stream'];
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: unknown; valueMapper: typeof toText }): void;
  describe(message: { type: 'P' }): void;
  execute(message: object): void;
  sync(): void;
}

function toText(value: SqlValue): string | null {
  return value === null ? null : String(value);
}
