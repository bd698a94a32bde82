import type { QueryConfig } from 'pg';
import type { SqlValue, Statement } from '../database.ts';
import { forPostgres } from '../dialect.ts';

export function prepared(statement: Statement<unknown>, values: readonly SqlValue[]): QueryConfig {
  return { name: statement.name, text: textOf(statement), values: [...values] };
}

/**
 * A prepared statement whose columns have another type since a migration is refused on every connection that knows it.
 * Under another name and another text (a pooler goes by the text) it is prepared anew.
 */
export function replanned(config: QueryConfig, plans: number): QueryConfig {
  const { name = '', text } = config;
  return name === '' ? config : { ...config, name: `${name}_${plans}`, text: `${text} /* ${plans} */` };
}

/**
 * Sent in front of reads, and in force for that message alone. A bitmap scan has no order, so its rows must be sorted. A plan for any
 * values expects more rows than there are, and may start other processes to help: a month's availability took 8 ms instead of 0.5.
 */
export const PLAN_ONCE_IN_ORDER: QueryConfig = {
  name: 'hk_plan_once',
  text: `select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_bitmapscan', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true)`,
};

const texts = new WeakMap<Statement<unknown>, string>();

function textOf(statement: Statement<unknown>): string {
  let text = texts.get(statement);
  if (text === undefined) texts.set(statement, (text = forPostgres(statement)));
  return text;
}
