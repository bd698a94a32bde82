import type { Owned } from '../caller.ts';
import { read, write } from '../db/database.ts';
import { placeholders, selectList, stored, type RowOf } from '../fields/fields.ts';
import { KEY, OWN_KEY, type KeyRow } from './fields.ts';

const { columns, cells: keyCells } = stored(KEY);
export { keyCells };

export const insertKey = write(`
  insert into api_keys (hash, ${columns.join(', ')}) values ($1, ${placeholders(columns, 2)})`);

export const selectKeys = read<KeyRow>(`
  select ${selectList(KEY, 'k')} from api_keys k join hosts h on h.id = k.host_id
  where ($1::uuid is null or k.host_id = $1::uuid) order by k.id desc`);

export const revokeKey = write<Owned>(`
  update api_keys set revoked_at = $2 where id = $1 and revoked_at is null returning host_id, environment`);

/** One that was rotated is revoked when its grace is over (rotate.ts). */
const OWN_UNREVOKED = (now: string): string =>
  `host_id = $1 and environment = $2 and revoked_at is null and (replaced_by is null or expires_at > ${now})`;

export const selectOwnKeys = read<RowOf<typeof OWN_KEY>>(`
  select ${stored(OWN_KEY).columns.join(', ')} from api_keys where ${OWN_UNREVOKED('$3')} order by id desc`);

export const revokeOwnKey = write(
  `update api_keys set revoked_at = $4 where ${OWN_UNREVOKED('$4')} and id = $3`,
);

export const selectMaker = read<{ scopes: string; expires_at: number | null; revoked_at: number | null }>(
  'select scopes, expires_at, revoked_at from api_keys where id = $1',
);

export const countWorking = read<{ count: number }>(`
  select count(*) as count from api_keys
  where host_id = $1 and environment = $2 and revoked_at is null and (expires_at is null or expires_at > $3)`);

export const updateKey = write<Owned>(`
  update api_keys set name = $2, expires_at = $3 where id = $1 returning host_id, environment`);

/** What has become of a key or an invitation before. */
export const selectEnded = read<{ ended: 'revoked' | 'withdrawn' }>(`
  select 'revoked' as ended from api_keys where id = $1
  union all select 'withdrawn' from invitations where id = $1 and withdrawn_at is not null`);

type RotatedRow = Pick<
  KeyRow,
  'id' | 'host_id' | 'environment' | 'name' | 'scopes' | 'expires_at' | 'revoked_at' | 'replaced_by' | 'ref'
>;

/** Locks the row by a write that changes nothing. */
export const lockKey = write<RotatedRow>(`
  update api_keys set name = name where id = $1
  returning id, host_id, environment, name, scopes, expires_at, revoked_at, replaced_by, ref`);

/** Its name passes to the key that takes its place. */
export const replaceKey = write(`
  update api_keys set expires_at = $2, replaced_by = $3, ref = null where id = $1`);

export const insertInvitation = write(`
  insert into invitations (id, host_id, environment, name, scopes, token_hash, key_expires_at, replaces, grace_ms, created_at,
    expires_at, ref)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`);

type InvitationRow = Pick<KeyRow, 'id' | 'host_id' | 'environment' | 'name' | 'scopes' | 'ref'> & {
  key_expires_at: number | null;
  replaces: string | null;
  grace_ms: number | null;
};

const INVITATION = 'id, host_id, environment, name, scopes, key_expires_at, replaces, grace_ms, ref';

/** Of two who claim it at once, the second waits for the first, and then finds it claimed. */
export const claimInvitation = write<InvitationRow>(`
  update invitations set claimed_at = $2
  where token_hash = $1 and claimed_at is null and withdrawn_at is null and expires_at > $2
  returning ${INVITATION}`);

export const selectInvitation = read<{ claimed_at: number | null; withdrawn_at: number | null }>(`
  select claimed_at, withdrawn_at from invitations where token_hash = $1`);

export const withdrawInvitation = write<Owned>(`
  update invitations set withdrawn_at = $2 where id = $1 and claimed_at is null and withdrawn_at is null
  returning host_id, environment`);

/** The link does not outlive the key that it would make. */
export const updateInvitation = write<Owned>(`
  update invitations set name = $2, key_expires_at = $3::bigint,
    expires_at = case when $3::bigint < expires_at then $3::bigint else expires_at end
  where id = $1 returning host_id, environment`);

/** A key that is not made yet. */
type OpenRow = Omit<KeyRow, 'prefix' | 'last4' | 'last_used_at' | 'revoked_at' | 'replaced_by'> & {
  invitation_expires_at: number;
};

export const selectOpen = read<OpenRow>(`
  select i.id, i.host_id, h.name as host_name, i.environment, i.name, i.scopes, i.key_expires_at as expires_at, i.created_at,
    i.expires_at as invitation_expires_at, i.ref
  from invitations i join hosts h on h.id = i.host_id
  where i.claimed_at is null and i.withdrawn_at is null and i.expires_at > $2
    and ($1::uuid is null or i.host_id = $1::uuid)
  order by i.id desc`);
