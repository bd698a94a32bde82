import type { Context } from '../../src/context.ts';
import { watched } from './watched.ts';

/** The same context, counting what its database is asked. */
export function counting(ctx: Context): { ctx: Context; statements(): number } {
  let statements = 0;
  const db = watched(ctx.db, (_method, _args, isTransaction) => {
    if (!isTransaction) statements++;
  });
  return { ctx: { ...ctx, db }, statements: () => statements };
}
