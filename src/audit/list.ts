import { read, type Sql } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';
import { NO_ID } from '../ids/uuid.ts';
import { toTimestamp } from '../time/clock.ts';
import { HOUR_MS } from '../time/units.ts';
import type { Action, Actor } from './audit.ts';

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
}

export interface Wanted {
  /** Undefined: everybody's. */
  hostId: string | undefined;
  since: number;
  limit: number;
}

/**
 * The newest entries, newest first. There is no index by time: this walks back by id, page by page, until it is well
 * past `since`. Ids and times may disagree a little, since several machines write with clocks of their own.
 */
export async function list(db: Sql, { hostId, since, limit }: Wanted): Promise<Entry[]> {
  const found: EntryRow[] = [];
  const pageRows = Math.max(limit, LEAST_PAGE_ROWS);
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page =
      hostId === undefined
        ? await db.all(selectEntries, [before, pageRows])
        : await db.all(selectEntriesOfHost, [before, pageRows, hostId]);
    found.push(...page.filter(({ at }) => at >= since));
    const last = page.at(-1);
    const ended = last === undefined || page.length < pageRows || last.at < since - CLOCKS_DIFFER_MS;
    if (ended || found.length >= limit) return found.slice(0, limit).map(toEntry);
    before = last.id;
  }
}

const LEAST_PAGE_ROWS = 100;
/** More than clocks of machines differ, and than a transaction takes. */
const CLOCKS_DIFFER_MS = HOUR_MS;

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
  };
}

interface EntryRow {
  id: number;
  host_id: string;
  at: number;
  actor_type: Actor['type'];
  actor_id: string;
  action: Action;
  environment: Environment | null;
  subject: string;
  reason: string | null;
  request_id: string | null;
}

const COLUMNS = 'id, host_id, at, actor_type, actor_id, action, environment, subject, reason, request_id';

const selectEntries = read<EntryRow>(`
  select ${COLUMNS} from audit where id < $1 order by id desc limit $2`);

const selectEntriesOfHost = read<EntryRow>(`
  select ${COLUMNS} from audit where host_id = $3 and id < $1 order by id desc limit $2`);
