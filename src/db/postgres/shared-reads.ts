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
  readonly #texts = new Map<Read<unknown>, string>();
  /** On Citus, set before the first read: every statement names one host, so that it runs on the shard with its rows. */
  isCitus = false;

  constructor(query: <Row>(config: QueryConfig) => Promise<Rows<Row>>) {
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
    if (!this.isCitus) return this.#sendOne(statement, batch);
    const answers = new Map<Values, unknown>();
    const ofHosts = Map.groupBy(batch, ([hostId]) => hostId).values();
    const sent = ofHosts.map(async (calls) => {
      for (const [i, answer] of (await this.#sendOne(statement, calls)).entries())
        answers.set(calls[i]!, answer);
    });
    await Promise.all(sent);
    return batch.map((call) => answers.get(call));
  }

  async #sendOne(statement: Read<unknown>, batch: readonly Values[]): Promise<unknown[]> {
    if (batch.length === 1) return [(await this.#query(prepared(statement, batch[0]!))).rows[0]];
    const single = this.isCitus ? 1 : 0;
    let text = this.#texts.get(statement);
    if (text === undefined) this.#texts.set(statement, (text = textForMany(statement, single)));
    const values = statement.valueTypes!.map((_, i) =>
      i < single ? batch[0]![i] : batch.map((call) => call[i]),
    );
    const { rows } = await this.#query<{ nth: number }>({ name: `${statement.name}_many`, text, values });
    const answers: unknown[] = batch.map(() => undefined);
    for (const row of rows) answers[row.nth - 1] = row;
    return answers;
  }
}

/**
 * The same statement for many values. `offset 0` keeps PostgreSQL from making one join of it: for each value it shall do
 * what it does for one. `single` is 1 where the first value, the host, is the same for all.
 */
export function textForMany(statement: Read<unknown>, single: 0 | 1): string {
  const types = statement.valueTypes!;
  const lists = types.slice(single).map((type, i) => `$${i + 1 + single}::${type}[]`);
  const names = types.slice(single).map((_, i) => `v${i + 1 + single}`);
  const one = prepared(statement, []).text.replaceAll(/\$(\d+)/g, (value, n) =>
    Number(n) > single ? `v.v${n}` : `${value}::${types[0]}`,
  );
  return `
    select v.nth, found.*
    from unnest(${lists.join(', ')}) with ordinality as v (${names.join(', ')}, nth)
      cross join lateral (${one} offset 0) as found`;
}
