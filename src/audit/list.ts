import type { Actor } from '../caller.ts';
import { PLANNED_EACH_TIME, read, type Sql } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';
import { NO_ID } from '../ids/uuid.ts';
import { LAST_INSTANT, toTimestamp } from '../time/clock.ts';
import { HOUR_MS } from '../time/units.ts';
import type { Action, Changes } from './audit.ts';

/** An entry as the operator sees it. */
export interface Entry {
  at: string;
  actor: Pick<Actor, 'type' | 'id'>;
  action: Action;
  host_id: string | null;
  environment: Environment | null;
  subject: string;
  reason: string | null;
  request_id: string | null;
  /** Of an update: each field with its values before and after. */
  changes: Changes | null;
}

export interface Wanted {
  /** Undefined: everybody's. */
  hostId?: string | undefined;
  since?: number | undefined;
  /** Undefined: up to now. */
  until?: number | undefined;
  subject?: string | undefined;
  action?: string | undefined;
  actor?: string | undefined;
  request?: string | undefined;
  limit: number;
}

/** The newest entries, newest first. */
export async function list(db: Sql, wanted: Wanted): Promise<Entry[]> {
  const { since = 0, until = LAST_INSTANT, limit } = wanted;
  const from = since > 0 ? await firstIdAt(db, since - CLOCKS_DIFFER_MS) : 0;
  const before =
    until < LAST_INSTANT ? await firstIdAt(db, until + CLOCKS_DIFFER_MS) : Number.MAX_SAFE_INTEGER;
  const { subject = null, action = null, actor = null, request = null, hostId = null } = wanted;
  const values = [from, since, before, until, subject, action, actor, request, hostId, limit];
  return (await db.all(selectEntries, values)).map(toEntry);
}

/** Ids are in the order of writing, but several machines write with clocks of their own, which differ by less than this. */
const CLOCKS_DIFFER_MS = HOUR_MS;

/** Where the entries of a time and later begin: found by halving, since there is no index by time. */
async function firstIdAt(db: Sql, time: number): Promise<number> {
  let low = 0;
  let high = ((await db.get(selectLastId))?.id ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const entry = await db.get(selectFrom, [middle]);
    if (entry === undefined || entry.at >= time) high = middle;
    else low = entry.id + 1;
  }
  return low;
}

function toEntry(row: EntryRow): Entry {
  return {
    at: toTimestamp(row.at),
    actor: { type: row.actor_type, id: row.actor_id },
    action: row.action,
    host_id: row.host_id === NO_ID ? null : row.host_id,
    environment: row.environment,
    subject: row.subject,
    reason: row.reason,
    request_id: row.request_id,
    changes: row.changes === null ? null : (JSON.parse(row.changes) as Changes),
  };
}

interface EntryRow extends Omit<Entry, 'at' | 'actor' | 'host_id' | 'changes'> {
  id: number;
  host_id: string;
  at: number;
  actor_type: Actor['type'];
  actor_id: string;
  changes: string | null;
}

const COLUMNS =
  'id, host_id, at, actor_type, actor_id, action, environment, subject, reason, request_id, changes';

/**
 * Only the time and on PostgreSQL the host have an index: what else is asked for is looked for from the newest entry on. On SQLite an
 * index by host would triple what an entry costs a booking, and nobody waits behind the command.
 */
const selectEntries = read<EntryRow>(
  `select ${COLUMNS} from audit
  where id >= $1 and at >= $2 and id < $3 and at <= $4
    and ($5::text is null or subject = $5::text) and ($6::text is null or action = $6::text)
    and ($7::text is null or actor_id = $7::text) and ($8::text is null or request_id = $8::text)
    and ($9::uuid is null or host_id = $9::uuid)
  order by id desc limit $10`,
  PLANNED_EACH_TIME,
);

const selectFrom = read<Pick<EntryRow, 'id' | 'at'>>(
  'select id, at from audit where id >= $1 order by id limit 1',
);

const selectLastId = read<{ id: number }>('select id from audit order by id desc limit 1');
