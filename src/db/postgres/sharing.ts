import type { QueryConfig } from 'pg';
import type { Read, SqlValue } from '../database.ts';
import { isLost } from './errors.ts';
import { prepared, type Rows } from './transaction.ts';

type Values = readonly SqlValue[];

/** Reads that many requests make at the same moment, in one round trip: in one statement, or on Citus in many. */
export class SharedReads {
  readonly #query: (statements: readonly QueryConfig[]) => Promise<Rows<unknown>[]>;
  readonly #batchers = new Map<Read<unknown>, Batcher<Values, unknown>>();
  readonly #texts = new Map<Read<unknown>, string>();
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
    if (this.isCitus || batch.length === 1) {
      const found = await this.#query(batch.map((values) => prepared(statement, values)));
      return found.map(({ rows }) => rows[0]);
    }
    let text = this.#texts.get(statement);
    if (text === undefined) this.#texts.set(statement, (text = textForMany(statement)));
    const values = statement.valueTypes!.map((_, i) => batch.map((call) => call[i]));
    const [found] = await this.#query([{ name: `${statement.name}_many`, text, values }]);
    const answers: unknown[] = batch.map(() => undefined);
    for (const row of found!.rows as { nth: number }[]) answers[row.nth - 1] = row;
    return answers;
  }
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

/** A batch that takes longer holds up nobody: the next one leaves without waiting for it. */
const SLOW_MS = 5;
const MAX_CALLS_PER_BATCH = 200;

interface Call<In, Out> {
  readonly values: In;
  resolve(answer: Out): void;
  reject(error: unknown): void;
}

/**
 * Sends calls together. One that comes while none is under way leaves at once; those that come meanwhile leave together
 * when it is back.
 */
export class Batcher<In, Out> {
  readonly #send: (batch: readonly In[]) => Promise<readonly Out[]>;
  readonly #waiting: Call<In, Out>[] = [];
  #isHeldUp = false;

  /** `send` answers in the order of the batch. */
  constructor(send: (batch: readonly In[]) => Promise<readonly Out[]>) {
    this.#send = send;
  }

  call(values: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values, resolve, reject });
      if (!this.#isHeldUp) void this.#leave();
    });
  }

  async #leave(): Promise<void> {
    this.#isHeldUp = true;
    const slow = Promise.withResolvers<void>();
    const timer = setTimeout(slow.resolve, SLOW_MS);
    await Promise.race([this.#answer(this.#waiting.splice(0, MAX_CALLS_PER_BATCH)), slow.promise]);
    clearTimeout(timer);
    this.#isHeldUp = false;
    if (this.#waiting.length > 0) void this.#leave();
  }

  /** When a batch fails, each of its calls is made by itself: a bad value, or a host whose node is away, must not fail its neighbours. */
  async #answer(batch: readonly Call<In, Out>[]): Promise<void> {
    try {
      const answers = await this.#send(batch.map(({ values }) => values));
      for (const [i, call] of batch.entries()) call.resolve(answers[i]!);
    } catch (error) {
      const alone = batch.length === 1 || isLost(error);
      if (alone) for (const call of batch) call.reject(error);
      else await Promise.all(batch.map((call) => this.#answer([call])));
    }
  }
}
