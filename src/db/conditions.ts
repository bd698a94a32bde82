import type { Condition, Read, SqlValue } from './database.ts';

/** One statement that finds a row where all of the conditions hold, with its values. */
export function allHold(conditions: readonly Condition[]): [Read<unknown>, SqlValue[]] {
  const name = conditions.map(({ holds }) => holds.name).join('_');
  let statement = joined.get(name);
  if (statement === undefined) joined.set(name, (statement = join(name, conditions)));
  const [host] = conditions[0]!.values;
  return [statement, [host!, ...conditions.flatMap(({ values }) => values.slice(1))]];
}

const joined = new Map<string, Read<unknown>>();

/** The host is `$1` for all of them; the other values follow one another. */
function join(name: string, conditions: readonly Condition[]): Read<unknown> {
  let before = 0;
  const [first, ...others] = conditions.map(({ holds, values }) => {
    const offset = before;
    before += values.length - 1;
    return holds.text.replaceAll(/\$(\d+)/g, (value, n) => (n === '1' ? value : `$${Number(n) + offset}`));
  });
  const exist = others.map((text) => `exists (${text})`).join(' and ');
  const text = `select 1 as one from (${first}) as first${exist === '' ? '' : ` where ${exist}`}`;
  return { text, name, writes: false };
}

/** The first that does not hold refuses. */
export async function refuseBroken(
  conditions: readonly Condition[],
  holds: (condition: Condition) => Promise<boolean>,
): Promise<void> {
  for (const condition of conditions) if (!(await holds(condition))) await condition.refuse();
}
