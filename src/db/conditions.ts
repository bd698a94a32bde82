import type { Condition, Read, Sql, SqlValue } from './database.ts';

/** A statement that fails where a condition does not hold: it divides by zero. */
export function holdsOrFails({ judge, values }: Condition): [Read<unknown>, readonly SqlValue[]] {
  let statement = failing.get(judge);
  if (statement === undefined) {
    const text = judge.text.replace(/^\s*select (.*?) as holds\b/s, 'select 1 / ($1) as holds');
    if (text === judge.text) throw new Error(`not a condition: ${text}`);
    failing.set(judge, (statement = { text, name: `${judge.name}_or_fail`, writes: false }));
  }
  return [statement, values];
}

const failing = new Map<Read<unknown>, Read<unknown>>();

/** The first that does not hold refuses. */
export async function refuseBroken(db: Pick<Sql, 'get'>, conditions: readonly Condition[]): Promise<void> {
  for (const { judge, values, refusal } of conditions) {
    const found = await db.get(judge, values);
    if (found?.holds !== 1) throw await refusal(found!);
  }
}
