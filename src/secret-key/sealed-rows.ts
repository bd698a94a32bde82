import { read, type Sql } from '../db/database.ts';
import { keysOf, type SealedSecrets } from '../secrets/signing-secrets.ts';
import { knownKeys } from './secret-key.ts';

/** A webhook with its secrets, or a calendar with its URL as the only one. */
export interface SealedRow extends SealedSecrets {
  kind: 'webhook' | 'calendar';
  host_id: string;
  id: string;
}

export async function sealedRows(db: Sql): Promise<SealedRow[]> {
  return [...(await db.all(selectWebhooks)), ...(await db.all(selectCalendars))];
}

/** How many webhooks and calendars have a secret that no process can open, because its key is not one of the database's any more. */
export async function countLocked(db: Sql, now: number): Promise<number> {
  const known = await knownKeys(db);
  const isLocked = (row: SealedRow): boolean =>
    known.length > 0 && keysOf(row, now).some((key) => !known.includes(key));
  return (await sealedRows(db)).filter(isLocked).length;
}

const selectWebhooks = read<SealedRow>(`
  select 'webhook' as kind, host_id, id, secret, old_secrets from webhooks where deleted_at is null`);

const selectCalendars = read<SealedRow>(`
  select 'calendar' as kind, host_id, id, sealed_url as secret, '[]' as old_secrets from calendars
  where sealed_url is not null`);
