import { PLANNED_EACH_TIME, read, sharedRead, write, type Judged, type Read } from '../db/database.ts';
import { SUBSCRIPTIONS, type Subscriptions } from '../events/events.ts';
import { placeholders } from '../fields/fields.ts';
import { SCHEDULE_COLUMNS, type BookingRules, type ScheduleRow } from '../hours/schedule.ts';
import { merged } from './merged.ts';
import {
  COLUMNS,
  SEEN_COLUMNS,
  updatedAt,
  type BookingRow,
  type BookingStatus,
  type SeenRow,
} from './fields.ts';

const EVERY_COLUMN = COLUMNS.join(', ');
const SEEN = SEEN_COLUMNS.join(', ');

/**
 * Inserts nothing when the idempotency key is taken. On PostgreSQL a second request with the same key waits here for
 * the commit of the first, before it has locked anything but the booking that it moves.
 */
export const insertBooking = write(`
  insert into bookings (${EVERY_COLUMN}) values (${placeholders(COLUMNS)})
  on conflict (host_id, environment, idempotency_key) where idempotency_key is not null do nothing`);

export function bookingValues(row: BookingRow): (string | number | null)[] {
  return COLUMNS.map((column) => row[column]);
}

export const selectBookingByKey = read<BookingRow>(`
  select ${EVERY_COLUMN} from bookings where host_id = $1 and environment = $2 and idempotency_key = $3`);

export const selectBooking = sharedRead<BookingRow>(
  `select ${EVERY_COLUMN} from bookings where host_id = $1 and environment = $2 and id = $3`,
  ['uuid', 'text', 'uuid'],
);

export interface TermsRow extends ScheduleRow, BookingRules {
  capacity: number | null;
  price_per_hour: number;
  currency: string;
  commission_millionths: number;
  settlement_modes: string;
  max_booking_value: number | null;
  host_email: string;
  /** The booking that the same idempotency key made before. */
  earlier_id: string | null;
  /** The wanted hours that somebody holds, as bits. */
  held: number;
  /** Those that an external calendar calls busy. */
  busy: number;
  /** This month and all before it are closed. */
  closed_through: string | null;
  /** As `events.appendTo` takes them. */
  subscriptions: Subscriptions;
}

const TERMS = [...SCHEDULE_COLUMNS, 'min_hours', 'max_hours', 'capacity', 'price_per_hour'];
const WANTED = 'host_id = $1 and space_id = $3 and date = $5 and hour >= $6 and hour < $7';

/** What a create needs to know about the space, its host, the idempotency key, the hours and who is told, in one row. */
export const selectTerms = sharedRead<TermsRow>(
  `select ${TERMS.map((column) => `s.${column}`).join(', ')},
    h.currency, h.commission_millionths, h.settlement_modes, h.max_booking_value, h.email as host_email,
    (select coalesce(sum(1 << hour), 0) from hours where ${WANTED}) as held,
    (select coalesce(sum(distinct 1 << hour), 0) from external_hours where ${WANTED}) as busy,
    (select id from bookings where host_id = $1 and environment = $2 and idempotency_key = $4) as earlier_id,
    (select closed_through from books where host_id = $1 and environment = $2) as closed_through,
    (${SUBSCRIPTIONS}) as subscriptions
  from spaces s join hosts h on h.id = $1 where s.host_id = $1 and s.environment = $2 and s.id = $3`,
  ['uuid', 'text', 'uuid', 'text', 'date', 'integer', 'integer'],
);

// What must hold of a booking for it to be committed, as `Tx.require` has it.

/** The idempotency key of booking $2 was free. */
export const isInserted = read<Judged>(
  'select count(*) as holds from bookings where host_id = $1 and id = $2',
);

/** $2 hours of a date of a space are those of booking $3. */
export const hasItsHours = read<Judged>(`
  select case when count(*) = $2 then 1 else 0 end as holds from hours
  where host_id = $1 and booking_id = $3 and space_id = $4 and date = $5`);

/**
 * The guest's bookings without booking $4 and without the one that it replaces, $5: the same ones before it is written and after.
 */
const OTHERS_OF_GUEST =
  'host_id = $1 and environment = $2 and guest_key = $3 and id <> $4 and id is distinct from $5';

export function othersOfGuest(row: BookingRow): (string | null)[] {
  return [row.host_id, row.environment, row.guest_key, row.id, row.replaces];
}

export interface RecentRow extends Judged {
  oldest: number | null;
}

/** The guest has made fewer than $6 others since $7. */
export const isWithinVelocity = read<RecentRow>(`
  select case when count(*) < $6 then 1 else 0 end as holds, min(created_at) as oldest from bookings
  where ${OTHERS_OF_GUEST} and source = 'api' and replaces is null and created_at > $7`);

const CANCELLED = `status = 'cancelled', cancellation_reason = $4, cancelled_at = $5, ${updatedAt('$5')}`;
const IN_TIME = `starts_at > $5 and (starts_at - $5) / 3600000 >= (
      select cancellation_notice_hours from spaces
      where host_id = $1 and environment = $2 and id = bookings.space_id)`;

/** The condition is part of the update: of those who cancel, move or complete one booking at once, one matches. */
function cancelIf(condition: string, set = '') {
  const statement = (inTime: string) =>
    write<BookingRow>(`
  update bookings set ${CANCELLED} ${set}
  where host_id = $1 and environment = $2 and id = $3 and status = 'confirmed' and ${inTime} ${condition}
  returning ${EVERY_COLUMN}`);
  // For the operator only an end that has passed is final.
  return { api: statement(IN_TIME), platform: statement('ends_at > $5') };
}

export const cancelBooking = cancelIf('');

/** In favour of booking $6. */
export const replaceBooking = cancelIf(`and payment_status <> 'confirmed'`, ', replaced_by = $6');

/** With the notice that its space asks for. */
export const selectWithNotice = read<BookingRow & { cancellation_notice_hours: number }>(`
  select ${COLUMNS.map((column) => `b.${column}`).join(', ')}, s.cancellation_notice_hours
  from bookings b join spaces s on s.host_id = $1 and s.environment = $2 and s.id = b.space_id
  where b.host_id = $1 and b.environment = $2 and b.id = $3`);

/** The operator knows only the booking's id, but the key begins with the host: this tries every host. */
const OF_ID = 'host_id in (select id from hosts) and id = $1';

export const selectAnyBooking = read<BookingRow>(`select ${EVERY_COLUMN} from bookings where ${OF_ID}`);

/** Reads the row and locks it for an update that follows. */
export const lockAnyBooking = write<BookingRow>(`
  update bookings set payment_status = payment_status where ${OF_ID} returning ${EVERY_COLUMN}`);

/** What is to be done about a payment: one that is awaited or is to be given back. Null where there is nothing. */
const PAYMENT_STATE = `case when payment_status = 'refunded' then 'refunded'
      when status <> 'cancelled' then payment_status when payment_status = 'confirmed' then 'refund_pending' end`;

/** Planned anew each time, for the filters that are given. Values $1 to $5 are those of the filters, null where none is given. */
function forOperator(rest: string): Read<BookingRow> {
  return read<BookingRow>(
    `
  select ${EVERY_COLUMN} from bookings
  where ($1::uuid is null or host_id = $1::uuid) and ($2::uuid is null or space_id = $2::uuid)
    and ($3::text is null or $3::text like '%' || status || '%') and ($4::text is null or $4::text = ${PAYMENT_STATE})
    and ($5::text is null or reference = $5::text) and ${rest}`,
    PLANNED_EACH_TIME,
  );
}

/** Ids sort by time. */
export const selectForOperator = forOperator(
  'date >= $6 and date <= $7 and id < $8 order by id desc limit $9',
);

/** Without an index where no host is named: it is asked by hand. */
export const selectChangesForOperator = forOperator('updated_at >= $6 order by updated_at, id limit $7');

export const selectAnyOfHost = read<{ one: number }>(
  'select 1 as one from bookings where host_id = $1 limit 1',
);

export const selectNewest = read<Pick<BookingRow, 'id' | 'created_at'>>(
  'select id, created_at from bookings order by id desc limit 1',
  PLANNED_EACH_TIME,
);

export const selectEnded = read<Pick<BookingRow, 'host_id' | 'id'>>(`
  select host_id, id from bookings
  where status = 'confirmed' and ends_at <= $1 order by ends_at limit $2`);

/**
 * Changes booking $2 at $3 for the clock, unless another worker is doing so. One at a time: with a list of ids PostgreSQL may go through
 * all bookings of the host. `status || ''` keeps it from the index of what is due, all of which it would scan while its statistics are old.
 */
function changeByClock(set: string, condition = '') {
  return write<BookingRow>(`
  update bookings set ${set}, ${updatedAt('$3')}
  where host_id = $1 and id = (
    select id from bookings where host_id = $1 and id = $2 and status || '' = 'confirmed' ${condition}
    on_postgres(for update skip locked))
  returning ${EVERY_COLUMN}`);
}

export const complete = changeByClock("status = 'completed'");

/** The first two conditions are those of the index bookings_unpaid. Whose payment was voided had paid once. */
const OVERDUE = `status = 'confirmed' and payment_status = 'pending' and created_at <= $2 and starts_at > $1
    and payment_voided_at is null and not (environment = 'sandbox' and guest_key = 'keep@sandbox.test')`;

/** Bookings made by $2 that nobody has paid and that have not begun at $1. */
export const selectUnpaid = read<Pick<BookingRow, 'host_id' | 'id'>>(`
  select host_id, id from bookings where ${OVERDUE} order by created_at limit $3`);

export const countUnpaid = read<{ count: number }>(`
  select count(*) as count from bookings where ${OVERDUE}`);

/** A payment or a move that has the booking locked goes first; one that comes later finds it cancelled. */
export const cancelUnpaid = changeByClock(
  "status = 'cancelled', cancellation_reason = 'Not paid in time', cancelled_at = $3",
  "and payment_status = 'pending' and payment_voided_at is null and starts_at > $3",
);

/** Totals are counted up to here, so that a list costs the same however many bookings a host has. */
export const COUNTED_EXACTLY = 10_000;

/** Where a booking is in an order. */
type Position = Partial<Pick<SeenRow, 'date' | 'start_hour' | 'updated_at' | 'id'>>;

/** A read whose values have names: `:host` is the value `host`, and `:date` may come from a row that has been read. */
export interface NamedRead<Row> {
  readonly statement: Read<Row>;
  readonly names: readonly string[];
}

function named<Row>(text: string): NamedRead<Row> {
  const names = [...new Set(Array.from(text.matchAll(NAME), ([, name]) => name!))];
  return { statement: read(text.replaceAll(NAME, (_, name) => `$${names.indexOf(name) + 1}`)), names };
}

/** Not a cast, which has two colons. */
const NAME = /(?<!:):([a-z_]+)/g;

/** The orders of lists, with where the list ends, and what is counted. */
export const ORDERS = {
  date: {
    order: ['date', 'start_hour', 'id'],
    within: 'and date <= :to',
    // Comparing dates alone halves what a count takes.
    counted: 'date >= :from and date <= :to',
  },
  change: {
    order: ['updated_at', 'id'],
    within: '',
    counted: 'updated_at >= :from',
  },
} as const;

export type List = ReturnType<typeof listOf>;

/**
 * Bookings after a position in an order. They come from one part of an index for each of the conditions, merged: the indexes by date have
 * the status in front, so that a list of one status never passes over the others.
 */
function listOf(
  { order, within, counted }: (typeof ORDERS)[keyof typeof ORDERS],
  conditions: readonly string[],
) {
  const position = order.join(', ');
  const after = `(${position}) > (${order.map((column) => `:${column}`).join(', ')}) ${within}`;
  const rows = (columns: string, wanted: string): string => {
    const selects = conditions.map((one) => `select ${columns} from bookings where ${one} and ${after}`);
    return merged(columns, selects, wanted, position);
  };
  const each = conditions.map((one) => `select 1 from bookings where ${one} and ${counted}`);
  return {
    page: named<SeenRow>(`${rows(SEEN, ':rows::bigint + :skipped::bigint')} limit :rows offset :skipped`),
    /** The last of so many bookings, read from the index alone. */
    skip: named<Position>(`${rows(position, ':rows::bigint')} limit 1 offset :rows::bigint - 1`),
    /** Up to one more than is counted exactly. */
    count: named<{ total: number }>(`
      select count(*) as total from (${each.join(' union all ')} limit ${COUNTED_EXACTLY + 1}) as counted`),
  };
}

const OF_HOST = 'host_id = :host and environment = :environment';
/** The environment is checked on the space, so that SQLite has only the index by space to choose from. */
const OF_SPACE = `on_postgres(host_id = :host and) space_id = (
  select id from spaces where host_id = :host and environment = :environment and id = :space)`;
const OF_REFERENCE = `${OF_HOST} and reference = :reference`;
const EVERY_STATUS: readonly BookingStatus[] = ['confirmed', 'completed', 'cancelled'];
/** One status, two or all. */
const STATUS_SETS = EVERY_STATUS.reduce<BookingStatus[][]>(
  (sets, status) => [...sets, ...sets.map((set) => [...set, status])],
  [[]],
).slice(1);

/**
 * The lists by date, with statements for each set of filters: each has its own index and its own plan. A status is part of the text: as a
 * value it would make SQLite plan the statement anew each time, for the indexes that have one status alone.
 */
const BY_DATE = new Map(
  Object.entries({ host: OF_HOST, space: OF_SPACE, reference: OF_REFERENCE }).flatMap(([of, condition]) =>
    STATUS_SETS.map((statuses) => {
      const conditions = statuses.map((status) => `${condition} and status = '${status}'`);
      return [`${of} ${statuses.join()}`, listOf(ORDERS.date, conditions)] as const;
    }),
  ),
);

export function byDate(of: 'host' | 'space' | 'reference', statuses: readonly string[] = EVERY_STATUS): List {
  return BY_DATE.get(`${of} ${EVERY_STATUS.filter((status) => statuses.includes(status)).join()}`)!;
}

/** All that has changed since :from, by the time of the change. */
export const byChange = listOf(ORDERS.change, [OF_HOST]);
