import { read, sharedRead, write, type Judged } from '../db/database.ts';
import { SCHEDULE_COLUMNS, type ScheduleRow } from './schedule.ts';

export interface DayRow extends ScheduleRow {
  /** Hours that somebody holds, as bits: bookings in the lower 24, host blocks in the upper 24. */
  held: number;
  external: number;
}

const DAY = 'host_id = $1 and space_id = $3 and date = $4';

/** A space's rules and one day's holders in one round trip. */
export const selectDay = sharedRead<DayRow>(
  `select ${SCHEDULE_COLUMNS.join(', ')},
    (select coalesce(sum(1::bigint << (case when block_id is null then hour else hour + 24 end)), 0)::bigint
      from hours where ${DAY}) as held,
    (select coalesce(sum(distinct 1 << hour), 0) from external_hours where ${DAY}) as external
  from spaces where host_id = $1 and environment = $2 and id = $3`,
  ['uuid', 'text', 'uuid', 'date'],
);

/** `{"18": "Cleaning"}`: hours of a day that host blocks hold, with the reason of each. */
export const selectBlocked = sharedRead<{ blocked: string | null }>(
  `
  select nullif(json_object_agg(h.hour, b.reason)::text, '{}') as blocked
  from hours h join blocks b on b.host_id = $1 and b.space_id = $2 and b.id = h.block_id
  where h.host_id = $1 and h.space_id = $2 and h.date = $3`,
  ['uuid', 'uuid', 'date'],
);

export interface SpanRow extends ScheduleRow {
  /** Null where nobody holds an hour of all these dates. */
  date: string | null;
  booked: number | null;
  external: number | null;
  blocked: string | null;
}

const SPAN = 'host_id = $1 and space_id = $3 and date >= $4 and date <= $5';

/** A space's rules, and the holders of each date from $4 to $5 on which there are any: up to three rows a date, one for each kind. */
export const selectSpan = read<SpanRow>(`
  select ${SCHEDULE_COLUMNS.map((column) => `s.${column}`).join(', ')}, held.date, held.booked, held.external, held.blocked
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
 * Inserts so many hours that begin with $6, but for those that somebody holds. In ascending order, so that claims of overlapping
 * ranges cannot deadlock. A list of rows, and not a select that counts through the range: Citus would plan that anew each
 * time. Without `returning`: SQLite would make a temporary table for it, which costs as much as the insert.
 */
function insertSoMany(count: number) {
  const rows = Array.from({ length: count }, (_, i) => `($1, $2, $3, $${i + 6}, $4, $5)`);
  return write(`
    insert into hours (host_id, space_id, date, hour, booking_id, block_id) values ${rows.join(', ')}
    on conflict do nothing`);
}

/** The first for one hour, the last for a whole day. */
export const insertHours = Array.from({ length: 24 }, (_, i) => insertSoMany(i + 1));

const IN_RANGE = 'host_id = $1 and space_id = $2 and date = $3 and hour >= $4 and hour < $5';

export const selectHoursOf = read<{ hour: number }>(`
  select hour from hours
  where ${IN_RANGE} and (booking_id = $6 or block_id = $7)`);

export const deleteBookedHours = write(`
  delete from hours where ${IN_RANGE} and booking_id = $6`);

/** Of a range, those that an external calendar calls busy. */
export const selectBusy = read<{ hour: number }>(`
  select distinct hour from external_hours where ${IN_RANGE}`);

/** No external calendar calls an hour of a range busy. */
export const isNowhereBusy = read<Judged>(`
  select case when count(*) = 0 then 1 else 0 end as holds from external_hours where ${IN_RANGE}`);

/** From booking $6 to booking $7. */
export const handOverHours = write(`
  update hours set booking_id = $7 where ${IN_RANGE} and booking_id = $6`);

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
  select date, sum(distinct 1 << hour) as mask from external_hours
  where host_id = $1 and space_id = $2 and calendar_id <> $3 and date >= $4 and date <= $5 group by date`);

const BETWEEN = 'host_id = $1 and space_id = $2 and date >= $3 and date <= $4';

/** Of each date, the hours that bookings and host blocks hold. */
export const selectHeldMasks = read<MaskRow>(`
  select date, sum(1 << hour) as mask from hours where ${BETWEEN} group by date`);

/** Of each date, the hours that external calendars call busy. */
export const selectBusyMasks = read<MaskRow>(`
  select date, sum(distinct 1 << hour) as mask from external_hours where ${BETWEEN} group by date`);

export const selectHolders = read<{ date: string; hour: number; booking_id: string | null }>(`
  select date, hour, booking_id from hours where ${BETWEEN} order by date, hour`);

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
