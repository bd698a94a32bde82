import type { Condition, Read, Sql, SqlValue } from './database.ts';

/** One statement that finds a row where all of the conditions hold, with its values. */
export function allHold(conditions: readonly Condition[]): [Read<unknown>, SqlValue[]] {
  const name = conditions.map(({ judge }) => judge.name).join('_');
  let statement = joined.get(name);
  if (statement === undefined) joined.set(name, (statement = join(name, conditions)));
  const [host] = conditions[0]!.values;
  return [statement, [host!, ...conditions.flatMap(({ values }) => values.slice(1))]];
}

const joined = new Map<string, Read<unknown>>();

/** The host is `$1` for all of them; the other values follow one another. */
function join(name: string, conditions: readonly Condition[]): Read<unknown> {
  let before = 0;
  const judged = conditions.map(({ judge, values }, i) => {
    const offset = before;
    before += values.length - 1;
    const text = judge.text.replaceAll(/\$(\d+)/g, (value, n) =>
      n === '1' ? value : `$${Number(n) + offset}`,
    );
    return `(${text}) as c${i}`;
  });
  const hold = conditions.map((_, i) => `c${i}.holds = 1`).join(' and ');
  return { text: `select 1 as one from ${judged.join(' cross join ')} where ${hold}`, name, writes: false };
}

/** The same for one condition, as a statement that fails where it does not hold: it divides by zero. */
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
