import { keyOf, type Admission, type KeyRow, type RateLimits, WINDOW_MS } from './rate-limit.ts';
import type { Statement } from '../db/database.ts';

/**
 * The windows of all processes, one row a key. Unlogged: the row is written by every request, needs no
 * fsync (a transaction that touched nothing else does not wait for one) and may be forgotten in a crash.
 */
export const RATE_WINDOWS_TABLE = `create unlogged table if not exists rate_windows (
  key_id text primary key,
  recent bigint[] not null,
  admitted boolean not null,
  decided_at bigint not null
) with (fillfactor = 50)`;

interface AdmissionRow extends KeyRow {
  admitted: boolean;
  used: number;
  oldest: number;
  decided_at: number | null;
}

const NOW = `coalesce($4::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint)`;

/**
 * Exact under concurrency: "on conflict do update" locks the key's row and computes from its latest
 * version, and clock_timestamp() is read after the lock, so the admissions stay in order. Counting rows in
 * a sub-select instead would count as of the statement's start and let more through.
 */
export const ADMIT: Statement<AdmissionRow> = {
  name: 'hk_admit',
  text: `
  with k as materialized (
    select id, host_id, environment, scopes, expires_at, revoked_at, last_used_at,
      case environment when 'production' then $2::int else $3::int end as quota
    from api_keys where hash = $1
  ), a as (
    insert into rate_windows as w (key_id, recent, admitted, decided_at)
    select id, array[${NOW}], true, ${NOW} from k
    where quota > 0 and revoked_at is null and (expires_at is null or expires_at > ${NOW})
    on conflict (key_id) do update set (recent, admitted, decided_at) = (
      select case when cardinality(live) < quota then live || now else live end, cardinality(live) < quota, now
      from (
        select now, quota, array(select t from unnest(w.recent) as t where t > now - ${WINDOW_MS} order by t) as live
        from (select greatest(${NOW}, w.decided_at) as now,
          (select quota from k) as quota) as decision
      ) as decision
    )
    returning admitted, decided_at, cardinality(recent) as used, recent[1] as oldest
  )
  select k.*, a.* from k left join a on true`,
};

/** `now` is the moment of the decision for keys that are not counted. */
export function toAdmission(row: AdmissionRow, limits: RateLimits, now: number): Admission {
  if (row.decided_at === null) return { ...keyOf(row), at: now };
  const limit = limits[row.environment];
  return {
    ...keyOf(row),
    at: row.decided_at,
    rate: {
      admitted: row.admitted,
      limit,
      // Less than nothing is left when the operator has just lowered the limit.
      remaining: Math.max(0, limit - row.used),
      resetsAt: row.oldest + WINDOW_MS,
    },
  };
}
