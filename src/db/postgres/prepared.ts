import type { QueryConfig } from 'pg';
import type { SqlValue, Statement } from '../database.ts';
import { forPostgres } from '../dialect.ts';

export function prepared(statement: Statement<unknown>, values: readonly SqlValue[]): QueryConfig {
  return { name: statement.name, text: textOf(statement), values: [...values] };
}

const texts = new WeakMap<Statement<unknown>, string>();

function textOf(statement: Statement<unknown>): string {
  let text = texts.get(statement);
  if (text === undefined) texts.set(statement, (text = forPostgres(statement)));
  return text;
}
