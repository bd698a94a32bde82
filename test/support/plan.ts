import { forPostgres, forSqlite } from '../../src/db/database.ts';
import type { World } from './world.ts';

/** How the engine goes about a statement, in its own words: on PostgreSQL the plan that suits any values. */
export async function planOf(world: World, text: string): Promise<string> {
  if (world.ctx.db.engine === 'sqlite') {
    const rows = await world.rows<{ detail: string }>(
      `explain query plan ${forSqlite({ text }).replaceAll(/\?\d+/g, "'1'")}`,
    );
    return rows.map((row) => row.detail).join('\n');
  }
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));
  const values = count === 0 ? '' : `(${Array(count).fill('null').join(', ')})`;
  return world.ctx.db.migration(async (tx) => {
    // The pool's connections scan no table that has an index; a migration has a session of its own.
    await tx.script(
      `set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan; prepare shown as ${forPostgres({ text })}`,
    );
    const explain = { text: `explain execute shown ${values}`, name: '', writes: false } as const;
    const rows = await tx.all<{ 'QUERY PLAN': string }>(explain);
    await tx.script('deallocate shown');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}
