import type { Statement } from './database.ts';

type Text = Pick<Statement<unknown>, 'text'>;

/** Without casts, which SQLite would misread, and with ?1, since $1 is a name to it. `+` hides a column from its planner. */
export function forSqlite({ text }: Text): string {
  return text
    .replaceAll(/::\w+/g, '')
    .replaceAll(/\$(\d+)/g, '?$1')
    .replaceAll(/\bunindexed\((\w+)\)/g, '+$1');
}

export function forPostgres({ text }: Text): string {
  return text.replaceAll(/\bunindexed\((\w+)\)/g, '$1');
}
