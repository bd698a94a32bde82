import { read, write } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';

export const insertKey = write(`
  insert into api_keys (id, host_id, environment, name, hash, prefix, last4, scopes, created_at, expires_at, ref)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`);

export interface KeyRow {
  id: string;
  host_id: string;
  host_name: string;
  environment: string;
  name: string;
  prefix: string;
  last4: string;
  scopes: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
  /** The operator's own name for it. */
  ref: string | null;
}

export const selectKeys = read<KeyRow>(`
  select k.id, k.host_id, h.name as host_name, k.environment, k.name, k.prefix, k.last4, k.scopes, k.created_at,
    k.last_used_at, k.expires_at, k.revoked_at, k.ref
  from api_keys k join hosts h on h.id = k.host_id
  where ($1::uuid is null or k.host_id = $1::uuid) order by k.id desc`);

export const revokeKey = write<{ host_id: string; environment: Environment }>(`
  update api_keys set revoked_at = $2 where id = $1 and revoked_at is null returning host_id, environment`);

export const updateKey = write<{ host_id: string; environment: Environment }>(`
  update api_keys set name = $2, expires_at = $3 where id = $1 returning host_id, environment`);

export const selectKey = read<{ id: string }>('select id from api_keys where id = $1');

export const touchKey = write('update api_keys set last_used_at = $2 where id = $1');
