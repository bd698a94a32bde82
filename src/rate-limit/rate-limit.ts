import { admitInMemory } from './memory.ts';
import { admitOnPostgres } from './postgres.ts';
import type { Admit, Limiting } from './rule.ts';

export { findKey } from './memory.ts';
export type { Admission, Admit } from './rule.ts';

/** On SQLite one process serves and remembers by itself; on PostgreSQL the database decides for all processes. */
export function createRateLimit(by: Limiting): Admit {
  return by.db.engine === 'sqlite' ? admitInMemory(by) : admitOnPostgres(by);
}
