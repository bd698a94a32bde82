import type { QueryConfig } from 'pg';
import { NodeAway } from '../../errors.ts';
import { ofTheseHosts, type Read, type SqlValue } from '../database.ts';
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
  #underWay = 0;

  /** `send` answers in the order of the batch. */
  constructor(send: (batch: readonly In[]) => Promise<readonly Out[]>) {
    this.#send = send;
  }

  call(values: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values, resolve, reject });
      if (this.#underWay === 0) void this.#leave();
    });
  }

  async #leave(): Promise<void> {
    this.#underWay++;
    const makeWay = onceOnly(() => {
      this.#underWay--;
      if (this.#waiting.length > 0) void this.#leave();
    });
    const slow = setTimeout(makeWay, SLOW_MS);
    await this.#answer(this.#waiting.splice(0, MAX_CALLS_PER_BATCH));
    clearTimeout(slow);
    makeWay();
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

function onceOnly(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}

/** So long nobody asks whether a node is back. */
const REST_MS = 5000;

type Query = (config: QueryConfig) => Promise<Rows<unknown>>;

/**
 * Reads over all hosts, on Citus: while a node is away, its hosts are left out, and the others go on. Only then hosts are asked for
 * by name.
 */
export class Nodes {
  readonly #query: Query;
  /** Hosts whose node answers, and until when that is believed. */
  #there: readonly string[] = [];
  #until = 0;

  constructor(query: Query) {
    this.#query = query;
  }

  async all<Row>(statement: Read<Row>, values: readonly SqlValue[]): Promise<Row[]> {
    if (performance.now() >= this.#until) {
      try {
        return (await this.#query(prepared(statement, values))).rows as Row[];
      } catch (error) {
        if (!(error instanceof NodeAway)) throw error;
        this.#there = await this.#findThere(error);
        this.#until = performance.now() + REST_MS;
      }
    }
    const { name, text } = prepared(statement, values);
    const narrowed = ofTheseHosts(statement, values.length + 1);
    if (narrowed === text) throw new Error(`not a read over all hosts: ${text}`);
    const asked = { name: `${name}_there`, text: narrowed, values: [...values, this.#there] };
    return (await this.#query(asked)).rows as Row[];
  }

  /** Asks each node for one of its hosts. */
  async #findThere(reason: unknown): Promise<string[]> {
    const hosts = (await this.#query(HOSTS)).rows as { id: string }[];
    const places = await this.#query({ text: NODE_OF_EACH, values: [hosts.map(({ id }) => id)] });
    const byNode = Map.groupBy(places.rows as { id: string; node: number }[], ({ node }) => node);
    const answers = await Promise.all(
      [...byNode.values()].map((ofNode) =>
        this.#query({ text: ASK_NODE, values: [ofNode[0]!.id] }).then(
          () => ofNode.map(({ id }) => id),
          () => [],
        ),
      ),
    );
    if (answers.every((ids) => ids.length === 0)) throw reason;
    return answers.flat();
  }
}

const HOSTS: QueryConfig = { text: 'select id from hosts' };
const NODE_OF_EACH = `
  select h.id, p.groupid as node
  from unnest($1::uuid[]) as h (id)
    join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('spaces', h.id)`;
const ASK_NODE = 'select 1 from spaces where host_id = $1 limit 1';
