import { read, write } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';

/** A calendar's URL (urls.ts). */
export interface Stored {
  url: string;
  sealed_url: string | null;
}

export const insertCalendar = write(`
  insert into calendars (host_id, environment, space_id, id, url, sealed_url, created_at, next_poll_at, ref)
  values ($1, $2, $3, $4, $5, $6, $7, $7, $8)`);

/** Polled in full: the marks are those of the other address. */
export const moveCalendar = write(`
  update calendars set url = $4, sealed_url = $5, etag = null, last_modified = null, next_poll_at = $6
  where host_id = $1 and space_id = $2 and id = $3`);

export const nameCalendar = write(`
  update calendars set ref = $4 where host_id = $1 and space_id = $2 and id = $3`);

export const selectClear = read<Key & { url: string }>(`
  select host_id, space_id, id, url from calendars
  where sealed_url is null order by host_id, id limit $1`);

/** Only the URL that was read. */
export const sealUrl = write(`
  update calendars set url = $4, sealed_url = $5
  where host_id = $1 and space_id = $2 and id = $3 and sealed_url is null and url = $6`);

export interface NamedRow extends Key, Stored {
  environment: Environment;
  /** The operator's own name for it. */
  ref: string | null;
}

export const selectNamed = read<NamedRow>(
  'select host_id, space_id, id, environment, url, sealed_url, ref from calendars order by id',
);

export interface Key {
  host_id: string;
  space_id: string;
  id: string;
}

export const selectKey = read<Key>(`select host_id, space_id, id from calendars where id = $1`);

/** What the host reads of a calendar is made of this. */
export interface ConnectionRow extends Stored {
  id: string;
  space_id: string;
  last_polled_at: number | null;
  last_success_at: number | null;
  last_error: string | null;
  failures: number;
}

const CONNECTION = 'id, space_id, url, sealed_url, last_polled_at, last_success_at, last_error, failures';

export const selectOfSpace = read<ConnectionRow>(`
  select ${CONNECTION} from calendars where host_id = $1 and space_id = $2 order by id`);

export const selectOfHost = read<ConnectionRow>(`
  select ${CONNECTION} from calendars where host_id = $1 and environment = $2 order by id`);

export interface ListedRow extends ConnectionRow {
  space_title: string;
  host_id: string;
  host_name: string;
  environment: Environment;
  busy_hours: number;
  next_poll_at: number;
  created_at: number;
}

const WITH_SPACE = `join spaces s
    on s.host_id = c.host_id and s.environment = c.environment and s.id = c.space_id`;

export const selectCalendars = read<ListedRow>(`
  select c.id, c.space_id, s.title as space_title, c.host_id, h.name as host_name, s.environment, c.url, c.sealed_url,
    (select count(*) from external_hours e
      where e.host_id = c.host_id and e.space_id = c.space_id and e.calendar_id = c.id
        and e.date >= $2) as busy_hours,
    c.last_polled_at, c.last_success_at, c.last_error, c.failures, c.next_poll_at, c.created_at
  from calendars c ${WITH_SPACE} join hosts h on h.id = c.host_id
  where ($1::uuid is null or c.space_id = $1::uuid) and ($3::uuid is null or c.host_id = $3::uuid)
    and ($4 = 0 or c.failures > 0) order by c.id desc`);

const IS_FREE = `(lease_until is null or lease_until <= $3)`;

export interface DueRow extends Key {
  /** 1: it was never polled. */
  is_first: number;
}

const IS_FIRST = 'case when c.last_polled_at is null then 1 else 0 end';

/**
 * At most $2 of each host, first polls before others. Calendars of deactivated hosts stay due, and so do those whose URL needs another
 * key than $4 and $5.
 */
export const selectDue = read<DueRow>(`
  select host_id, space_id, id, is_first from (
    select c.host_id, c.space_id, c.id, c.next_poll_at, ${IS_FIRST} as is_first,
      row_number() over (partition by c.host_id order by ${IS_FIRST} desc, c.next_poll_at, c.id) as place
    from calendars c join hosts h on h.id = c.host_id
    where c.next_poll_at <= $1 and (c.lease_until is null or c.lease_until <= $1)
      and h.deactivated_at is null and (c.sealed_url is null or substr(c.sealed_url, 1, 16) in ($4, $5))) as due
  where place <= $2 order by is_first desc, next_poll_at, id limit $3`);

/** One that is due, unless another worker has been faster or its host has been deactivated. */
export const leaseDue = write(`
  update calendars set lease_token = $1, lease_until = $2
  where host_id = $4 and space_id = $5 and id in (
    select id from calendars where host_id = $4 and space_id = $5 and id = $6 and next_poll_at <= $3 and ${IS_FREE}
      and exists (select 1 from hosts h where h.id = $4 and h.deactivated_at is null)
    on_postgres(for update skip locked))`);

export const leaseOne = write(`
  update calendars set lease_token = $1, lease_until = $2
  where host_id = $4 and space_id = $5 and id = $6 and ${IS_FREE}`);

/** What a poll leaves behind. */
export interface PollState {
  etag: string | null;
  last_modified: string | null;
  imported_on: string | null;
  last_polled_at: number;
  last_success_at: number | null;
  last_error: string | null;
  failures: number;
  empty_polls: number;
  empty_since: number | null;
  next_poll_at: number;
}

/** A calendar, and the time zone of its space. */
export interface ImportTarget extends Key {
  timezone: string;
  environment: Environment;
}

export interface LeasedRow extends ImportTarget, Stored, Omit<PollState, 'last_polled_at' | 'next_poll_at'> {
  lease_token: string;
}

export const selectLeased = read<LeasedRow>(`
  select c.id, c.lease_token, c.space_id, c.url, c.sealed_url, c.etag, c.last_modified, c.imported_on, c.last_success_at,
    c.last_error, c.failures, c.empty_polls, c.empty_since, s.timezone, c.host_id, s.environment
  from calendars c ${WITH_SPACE}
  where c.host_id = $1 and c.space_id = $2 and c.id = $3 and c.lease_token = $4`);

export function keyOf(calendar: Key): string[] {
  return [calendar.host_id, calendar.space_id, calendar.id];
}

const STATE = [
  'etag',
  'last_modified',
  'imported_on',
  'last_polled_at',
  'last_success_at',
  'last_error',
  'failures',
  'empty_polls',
  'empty_since',
  'next_poll_at',
] as const satisfies (keyof PollState)[];

/** Only for whoever still holds the lease: a worker that comes back too late changes nothing. */
export const finishPoll = write(`
  update calendars set ${STATE.map((column, i) => `${column} = $${i + 5}`).join(', ')},
    lease_token = null, lease_until = null
  where host_id = $1 and space_id = $2 and id = $3 and lease_token = $4`);

export function stateValues(state: PollState): (string | number | null)[] {
  return STATE.map((column) => state[column]);
}

/** All calendars of a space. */
export const makeDue = write(`
  update calendars set imported_on = null, next_poll_at = $3, lease_token = null, lease_until = null
  where host_id = $1 and space_id = $2`);

export const releaseLease = write(`
  update calendars set lease_token = null, lease_until = null
  where host_id = $1 and space_id = $2 and id = $3 and lease_token = $4`);

export const selectHasHours = read<{ one: number }>(`
  select 1 as one from external_hours
  where host_id = $1 and space_id = $2 and calendar_id = $3 and date >= $4 limit 1`);

/** A write that changes nothing: whoever has made it holds the row's lock, as an import does. */
export const lockCalendar = write(`
  update calendars set failures = failures where host_id = $1 and space_id = $2 and id = $3`);

export const selectCalendar = read<ImportTarget>(`
  select c.id, c.host_id, c.space_id, s.timezone, s.environment from calendars c ${WITH_SPACE}
  where c.host_id = $1 and c.space_id = $2 and c.id = $3`);

/** After its hours, which refer to it. */
export const deleteCalendar = write('delete from calendars where host_id = $1 and space_id = $2 and id = $3');
