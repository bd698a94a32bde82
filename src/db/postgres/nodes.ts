import type { QueryConfig } from 'pg';
import { NodeAway } from '../../errors.ts';
import { ofTheseHosts } from '../dialect.ts';
import type { Read, SqlValue } from '../database.ts';
import type { Rows } from './group.ts';
import { prepared } from './prepared.ts';

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
