import type { QueryConfig } from 'pg';
import type { Read, SqlValue } from '../database.ts';
import { Batcher } from './batch.ts';
import type { Rows } from './group.ts';
import { prepared } from './prepared.ts';

type Values = readonly SqlValue[];

/** Reads that many requests make at the same moment, in one statement and one round trip. */
export class SharedReads {
  readonly #query: <Row>(config: QueryConfig) => Promise<Rows<Row>>;
  readonly #batchers = new Map<Read<unknown>, Batcher<Values, unknown>>();

  constructor(query: <Row>(config: QueryConfig) => Promise<Rows<Row>>) {
    this.#query = query;
  }

  get<Row>(statement: Read<Row>, values: Values): Promise<Row | undefined> {
    let batcher = this.#batchers.get(statement);
    if (batcher === undefined) {
      const forMany = textForMany(statement);
      batcher = new Batcher((batch) => this.#send(statement, forMany, batch));
      this.#batchers.set(statement, batcher);
    }
    return batcher.call(values) as Promise<Row | undefined>;
  }

  async #send(statement: Read<unknown>, text: string, batch: readonly Values[]): Promise<unknown[]> {
    if (batch.length === 1) return [(await this.#query(prepared(statement, batch[0]!))).rows[0]];
    const columns = statement.together!.map((_, i) => batch.map((values) => values[i]));
    const { rows } = await this.#query<{ nth: number }>({
      name: `${statement.name}_many`,
      text,
      values: columns,
    });
    const answers: unknown[] = batch.map(() => undefined);
    for (const row of rows) answers[row.nth - 1] = row;
    return answers;
  }
}

/**
 * The same statement for many values. `offset 0` keeps PostgreSQL from making one join of it: for each value it shall do
 * what it does for one.
 */
function textForMany(statement: Read<unknown>): string {
  const types = statement.together!;
  const one = prepared(statement, []).text.replaceAll(/\$(\d+)/g, 'v.v$1');
  return `
    select v.nth, found.* from
      unnest(${types.map((type, i) => `$${i + 1}::${type}[]`).join(', ')})
        with ordinality as v (${types.map((_, i) => `v${i + 1}`).join(', ')}, nth)
      cross join lateral (${one} offset 0) as found`;
}
