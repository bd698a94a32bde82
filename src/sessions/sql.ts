import { read, write } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';

export const insertSession = write(`
  insert into console_sessions (token_hash, key_id, remember, expires_at) values ($1, $2, $3, $4)`);

export const selectSession = read<{ key_hash: string; remember: number; expires_at: number }>(`
  select k.hash as key_hash, s.remember, s.expires_at
  from console_sessions s join api_keys k on k.id = s.key_id where s.token_hash = $1 and s.expires_at > $2`);

/** What the console shows of the key that it is signed in with. */
export interface SignedInRow {
  host_id: string;
  host_name: string;
  environment: Environment;
  key_id: string;
  key_name: string;
  scopes: string;
}

export const selectSignedIn = read<SignedInRow>(`
  select h.id as host_id, h.name as host_name, k.environment, k.id as key_id, k.name as key_name, k.scopes
  from api_keys k join hosts h on h.id = k.host_id where k.id = $1`);

export const renewSession = write('update console_sessions set expires_at = $2 where token_hash = $1');

export const deleteSession = write('delete from console_sessions where token_hash = $1');

export const deleteAll = write('delete from console_sessions');

/** In one go: a person makes one in twelve hours or in thirty days. */
export const deleteExpired = write('delete from console_sessions where expires_at <= $1');
