import { read, type Sql } from '../db/database.ts';
import { NO_ID } from '../ids/uuid.ts';
import { keysOf, type SealedSecrets } from '../secrets/signing-secrets.ts';
import { knownKeys } from './secret-key.ts';

/** A webhook with its secrets, or a calendar with its URL as the only one. */
export interface SealedRow extends SealedSecrets {
  kind: 'webhook' | 'calendar';
  host_id: string;
  id: string;
}

/** Everything that is encrypted with the secret key, page by page. */
export async function* sealedPages(db: Sql, rowsAtOnce: number): AsyncGenerator<SealedRow[]> {
  for (const statement of [selectWebhooks, selectCalendars]) {
    let after = [NO_ID, NO_ID];
    for (let full = true; full;) {
      const rows = await db.all(statement, [...after, rowsAtOnce]);
      yield rows;
      full = rows.length === rowsAtOnce;
      after = [rows.at(-1)?.host_id ?? NO_ID, rows.at(-1)?.id ?? NO_ID];
    }
  }
}

export function describeSealed({ kind, id }: SealedRow): string {
  return kind === 'webhook' ? `the secret of webhook ${id}` : `the URL of calendar ${id}`;
}

const ROWS_PER_PAGE = 1000;
/** More than a hundred thousand rows are not looked at. */
const MAX_PAGES_READ = 100;

/** How many webhooks and calendars have a secret that no process can open, because its key is not one of the database's any more. */
export async function countLocked(db: Sql, now: number): Promise<number> {
  const known = await knownKeys(db);
  let count = 0;
  let pages = 0;
  for await (const rows of sealedPages(db, ROWS_PER_PAGE)) {
    count += rows.filter((row) => isLocked(row, known, now)).length;
    if (++pages === MAX_PAGES_READ) break;
  }
  return count;
}

export function isLocked(row: SealedSecrets, known: readonly string[], now: number): boolean {
  return known.length > 0 && keysOf(row, now).some((key) => !known.includes(key));
}

const selectWebhooks = read<SealedRow>(`
  select 'webhook' as kind, host_id, id, secret, old_secrets from webhooks
  where (host_id, id) > ($1, $2) and deleted_at is null order by host_id, id limit $3`);

const selectCalendars = read<SealedRow>(`
  select 'calendar' as kind, host_id, id, coalesce(sealed_url, '') as secret, '[]' as old_secrets from calendars
  where (host_id, id) > ($1, $2) and sealed_url is not null order by host_id, id limit $3`);
