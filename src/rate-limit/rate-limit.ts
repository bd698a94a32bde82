import type { Context } from '../context.ts';
import { admitInMemory } from './memory.ts';
import { admitOnPostgres } from './postgres.ts';
import type { Admit } from './rule.ts';

export { findKey } from './memory.ts';
export { isLive, type Admission, type Admit } from './rule.ts';

/** On SQLite one process serves and remembers by itself; on PostgreSQL the database decides for all processes. */
export function createRateLimit(ctx: Context): Admit {
  return ctx.db.engine === 'sqlite' ? admitInMemory(ctx) : admitOnPostgres(ctx);
}
