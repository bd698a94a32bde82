import { read, sharedRead, write } from '../db/database.ts';

export interface DayRow {
  timezone: string;
  open_hour: number;
  close_hour: number;
  is_active: number;
  booked: number;
  external: number;
  /** `{"18": "Cleaning"}`: hours that host blocks hold, with the reason of each. */
  blocked: string | null;
}

/** A space's rules and one day's holders in one round trip; hours are bits of a 24-bit mask. */
export const selectDay = sharedRead<DayRow>(
  `
  select s.timezone, s.open_hour, s.close_hour, s.is_active,
    (select coalesce(sum(1 << hour), 0) from hours
      where host_id = $1 and space_id = $3 and date = $4 and booking_id is not null) as booked,
    (select coalesce(sum(1 << hour), 0) from (
      select distinct hour from external_hours
      where host_id = $1 and space_id = $3 and date = $4) as busy) as external,
    (select nullif(json_object_agg(h.hour, b.reason)::text, '{}')
      from hours h join blocks b on b.host_id = $1 and b.space_id = $3 and b.id = h.block_id
      where h.host_id = $1 and h.space_id = $3 and h.date = $4) as blocked
  from spaces s where s.host_id = $1 and s.environment = $2 and s.id = $3`,
  ['uuid', 'text', 'uuid', 'date'],
);

export interface SpanRow {
  timezone: string;
  open_hour: number;
  close_hour: number;
  is_active: number;
  /** Null where nobody holds an hour of all these dates. */
  date: string | null;
  booked: number | null;
  external: number | null;
  blocked: string | null;
}

const SPAN = 'host_id = $1 and space_id = $3 and date >= $4 and date <= $5';

/** A space's rules, and the holders of each date from $4 to $5 on which there are any: up to three rows a date, one for each kind. */
export const selectSpan = read<SpanRow>(`
  select s.timezone, s.open_hour, s.close_hour, s.is_active, held.date, held.booked, held.external, held.blocked
  from spaces s left join (
    select date, sum(1 << hour) as booked, null::bigint as external, null::text as blocked
      from hours where ${SPAN} and booking_id is not null group by date
    union all
    select date, null::bigint, sum(1 << hour), null::text
      from (select distinct date, hour from external_hours where ${SPAN}) as busy group by date
    union all
    select h.date, null::bigint, null::bigint, json_object_agg(h.hour, b.reason)::text
      from hours h join blocks b on b.host_id = $1 and b.space_id = $3 and b.id = h.block_id
      where h.host_id = $1 and h.space_id = $3 and h.date >= $4 and h.date <= $5 group by h.date
  ) as held on true
  where s.host_id = $1 and s.environment = $2 and s.id = $3`);

/**
 * Inserts those hours of a range that nobody holds and no foreign calendar calls busy. In ascending order, so that
 * claims of overlapping ranges cannot deadlock. Without `returning`: SQLite would make a temporary table for it, which
 * costs as much as the insert. The host comes from the space's row: a distributed engine then knows that the new rows
 * belong where that row is.
 */
export const insertHours = write(`
  insert into hours (host_id, space_id, date, hour, booking_id, block_id)
  select s.host_id, s.id, $3::date, hour, $6::uuid, $7::uuid from spaces s cross join day_hours d
  where s.host_id = $1 and s.environment = $8 and s.id = $2 and hour >= $4 and hour < $5 and not exists (
    select 1 from external_hours e
    where e.host_id = $1 and e.space_id = $2 and e.date = $3::date and e.hour = d.hour)
  order by hour
  on conflict do nothing`);

const IN_RANGE = 'host_id = $1 and space_id = $2 and date = $3 and hour >= $4 and hour < $5';

export const selectHoursOf = read<{ hour: number }>(`
  select hour from hours
  where ${IN_RANGE} and (booking_id = $6 or block_id = $7)`);

export const deleteBookedHours = write(`
  delete from hours where ${IN_RANGE} and booking_id = $6`);

/** From booking $6 to booking $7, but for hours that a foreign calendar calls busy. */
export const handOverHours = write(`
  update hours set booking_id = $7 where ${IN_RANGE} and booking_id = $6 and not exists (
    select 1 from external_hours e
    where e.host_id = $1 and e.space_id = $2 and e.date = $3 and e.hour = hours.hour)`);

export const deleteBlockedHours = write<{ hour: number; block_id: string }>(`
  delete from hours where ${IN_RANGE} and block_id is not null returning hour, block_id`);

export interface MaskRow {
  date: string;
  mask: number;
}

/** The hours of one calendar, each date's as a 24-bit mask. */
export const selectExternalMasks = read<MaskRow>(`
  select date, sum(1 << hour) as mask from external_hours
  where host_id = $1 and space_id = $2 and calendar_id = $3 and date >= $4 and date <= $5 group by date`);

/** The same of all other calendars of the space together. */
export const selectOtherMasks = read<MaskRow>(`
  select date, sum(1 << hour) as mask from (
    select distinct date, hour from external_hours
    where host_id = $1 and space_id = $2 and calendar_id <> $3 and date >= $4 and date <= $5) as busy
  group by date`);

export const selectHolders = read<{ date: string; hour: number; booking_id: string | null }>(`
  select date, hour, booking_id from hours
  where host_id = $1 and space_id = $2 and date >= $3 and date <= $4 order by date, hour`);

/** From this hour of this date on. */
export const selectFirstHeld = read<{ date: string; hour: number; booking_id: string | null }>(`
  select date, hour, booking_id from hours
  where host_id = $1 and space_id = $2 and (date, hour) >= ($3, $4) order by date, hour limit 1`);

const IN_MASK = `(cast($5 as integer) >> hour) & 1 = 1`;

export const insertExternalHours = write(`
  insert into external_hours (host_id, space_id, calendar_id, date, hour)
  select c.host_id, c.space_id, c.id, $4::date, hour from calendars c cross join day_hours
  where c.host_id = $1 and c.space_id = $2 and c.id = $3 and ${IN_MASK}
  on conflict do nothing`);

export const deleteExternalHours = write(`
  delete from external_hours
  where host_id = $1 and space_id = $2 and calendar_id = $3 and date = $4 and ${IN_MASK}`);
