import type { QueryConfig } from 'pg';
import type { Read, SqlValue } from '../database.ts';
import { forPostgres } from '../dialect.ts';
import { joinPieces, piecesOf, type Piece, type Pieces } from '../pieces.ts';
import { Batcher } from './batch.ts';
import type { Rows } from './group.ts';
import { prepared } from './prepared.ts';

type Values = readonly SqlValue[];

/** Reads that many requests make at the same moment, in one round trip: in one statement, or on Citus in many. */
export class SharedReads {
  readonly #query: (statements: readonly QueryConfig[]) => Promise<Rows<unknown>[]>;
  readonly #batchers = new Map<Read<unknown>, Batcher<Values, unknown>>();
  readonly #texts = new Map<Read<unknown>, string>();
  readonly #pieces = new Map<Read<unknown>, readonly NamedPiece[]>();
  /** Set before the first read. */
  isCitus = false;

  constructor(query: (statements: readonly QueryConfig[]) => Promise<Rows<unknown>[]>) {
    this.#query = query;
  }

  get<Row>(statement: Read<Row>, values: Values): Promise<Row | undefined> {
    let batcher = this.#batchers.get(statement);
    if (batcher === undefined) {
      batcher = new Batcher((batch) => this.#send(statement, batch));
      this.#batchers.set(statement, batcher);
    }
    return batcher.call(values) as Promise<Row | undefined>;
  }

  async #send(statement: Read<unknown>, batch: readonly Values[]): Promise<unknown[]> {
    if (this.isCitus) return this.#sendPieces(statement, batch);
    if (batch.length === 1) return [(await this.#query([prepared(statement, batch[0]!)]))[0]!.rows[0]];
    let text = this.#texts.get(statement);
    if (text === undefined) this.#texts.set(statement, (text = textForMany(statement)));
    const values = statement.valueTypes!.map((_, i) => batch.map((call) => call[i]));
    const [found] = await this.#query([{ name: `${statement.name}_many`, text, values }]);
    const answers: unknown[] = batch.map(() => undefined);
    for (const row of found!.rows as { nth: number }[]) answers[row.nth - 1] = row;
    return answers;
  }

  /** Table by table, each by its host: of these Citus keeps the plans, and others it would make anew each time. */
  async #sendPieces(statement: Read<unknown>, batch: readonly Values[]): Promise<unknown[]> {
    const { pieces, name } = statement;
    if (pieces === undefined) {
      const found = await this.#query(batch.map((values) => prepared(statement, values)));
      return found.map(({ rows }) => rows[0]);
    }
    let list = this.#pieces.get(statement);
    if (list === undefined) this.#pieces.set(statement, (list = toSend(name, pieces)));
    const asked = batch.flatMap((values) =>
      list.map(({ takes, ...piece }) => ({ ...piece, values: takes.map((n) => values[n]) })),
    );
    const found = (await this.#query(asked)).map(
      ({ rows }) => rows[0] as Record<string, unknown> | undefined,
    );
    return batch.map((_, i) => joinPieces(pieces, found.slice(i * list.length, (i + 1) * list.length)));
  }
}

type NamedPiece = Piece & { readonly name: string };

function toSend(name: string, pieces: Pieces): NamedPiece[] {
  return piecesOf(pieces).map((piece, i) => ({ ...piece, text: forPostgres(piece), name: `${name}_${i}` }));
}

/**
 * The same statement for many values. `offset 0` keeps PostgreSQL from making one join of it: for each value it shall do
 * what it does for one.
 */
function textForMany(statement: Read<unknown>): string {
  const types = statement.valueTypes!;
  const lists = types.map((type, i) => `$${i + 1}::${type}[]`);
  const names = types.map((_, i) => `v${i + 1}`);
  const one = prepared(statement, []).text.replaceAll(/\$(\d+)/g, 'v.v$1');
  return `
    select v.nth, found.*
    from unnest(${lists.join(', ')}) with ordinality as v (${names.join(', ')}, nth)
      cross join lateral (${one} offset 0) as found`;
}
