import { read, write } from '../db/database.ts';
import { placeholders } from '../fields/fields.ts';
import type { Environment } from '../ids/api-key.ts';

export interface BooksRow {
  first_month: string | null;
  closed_through: string | null;
}

export const selectBooks = read<BooksRow>(
  'select first_month, closed_through from books where host_id = $1 and environment = $2',
);

export interface ZonesRow {
  timezone: string;
  created_at: number;
  /** Null for a host without spaces in this environment. */
  space_timezone: string | null;
}

/** One row for each timezone in which the host has spaces. */
export const selectZones = read<ZonesRow>(`
  select h.timezone, h.created_at, s.timezone as space_timezone
  from hosts h left join spaces s on s.host_id = $1 and s.environment = $2
  where h.id = $1
  group by h.timezone, h.created_at, s.timezone`);

/** The dates of the first bookings of each status: each is the beginning of a part of the index. */
export const selectFirstDates = read<{ date: string | null }>(
  ['confirmed', 'completed', 'cancelled']
    .map(
      (status) =>
        `select min(date) as date from bookings where host_id = $1 and environment = $2 and status = '${status}'`,
    )
    .join(' union all '),
);

export interface AdjustmentRow {
  kind: 'payment_confirmed' | 'payment_voided' | 'refunded' | 'late_booking';
  booking_id: string;
  /** Of the booking. */
  month: string;
  recorded_at: number;
  payout_due: number;
  commission_due: number;
}

export const insertAdjustment = write(`
  insert into adjustments (host_id, environment, month, id, kind, booking_id, booking_month, recorded_at, payout_due,
    commission_due)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);

/** Of the months $3 to $4, oldest first. */
export const selectAdjustments = read<AdjustmentRow>(`
  select kind, booking_id, booking_month as month, recorded_at, payout_due, commission_due from adjustments
  where host_id = $1 and environment = $2 and month >= $3 and month <= $4
  order by adjustments.month, recorded_at, id`);

export interface PayoutRow {
  id: string;
  host_id: string;
  environment: Environment;
  amount: number;
  currency: string;
  reference: string | null;
  paid_on: string;
  /** Whose report it stands in. */
  month: string;
  recorded_at: number;
  voided_at: number | null;
  voided_in: string | null;
  /** Of a counter-entry: the payout that it voids. */
  voids: string | null;
}

const PAYOUT_COLUMNS =
  'id, host_id, environment, amount, currency, reference, paid_on, month, recorded_at, voided_at, voided_in, voids';
const PAYOUT = PAYOUT_COLUMNS.split(', ') as (keyof PayoutRow)[];

export const insertPayout = write(`insert into payouts (${PAYOUT_COLUMNS}) values (${placeholders(PAYOUT)})`);

export function payoutValues(row: PayoutRow): (string | number | null)[] {
  return PAYOUT.map((column) => row[column]);
}

/** Those that stand in the reports of the months $3 to $4, oldest first. */
export const selectPayouts = read<PayoutRow>(`
  select ${PAYOUT_COLUMNS} from payouts
  where host_id = $1 and environment = $2 and month >= $3 and month <= $4 and (voided_in is null or voided_in <> month)
  order by month, recorded_at, id`);

/** The operator knows only its id, but the key begins with the host: this tries every host. */
export const selectPayout = read<PayoutRow>(
  `select ${PAYOUT_COLUMNS} from payouts where host_id in (select id from hosts) and id = $1`,
);

export const selectPayoutByReference = read<PayoutRow>(`
  select ${PAYOUT_COLUMNS} from payouts
  where host_id = $1 and environment = $2 and reference = $3 and voided_at is null and voids is null`);

/** Newest first. */
export const listPayouts = read<PayoutRow>(`
  select ${PAYOUT_COLUMNS} from payouts
  where ($1::uuid is null or host_id = $1::uuid) and ($2::text is null or month = $2::text) and recorded_at >= $3
  order by recorded_at desc, id desc`);

export const voidPayout = write(`
  update payouts set voided_at = $4, voided_in = $5
  where host_id = $1 and environment = $2 and id = $3 and voided_at is null`);

export const selectAnyPayout = read<{ one: number }>(
  'select 1 as one from payouts where host_id = $1 limit 1',
);
