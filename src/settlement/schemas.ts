import { BOOKING_STATUSES, PaymentStatus, SettlementMode } from '../bookings/schemas.ts';
import {
  amount,
  component,
  count,
  Currency,
  EndHour,
  idOf,
  LocalDate,
  MAX_TITLE_LENGTH,
  StartHour,
  SumFields,
  timestamp,
} from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';
import { MONTH_PATTERN } from '../time/month.ts';

const Month = Type.String({ pattern: MONTH_PATTERN, description: 'The month (YYYY-MM)' });

export const ReportQuery = Type.Object({ month: Month });

const Title = Type.String({
  maxLength: MAX_TITLE_LENGTH,
  description: 'Title that the space has now; in a closed month the one it had then',
});

function signed(description: string) {
  return Type.Number({ description });
}

const SettlementLine = component(
  'SettlementLine',
  Type.Object(
    {
      booking_id: idOf('the booking'),
      space_id: idOf('the space'),
      space_title: Title,
      date: LocalDate,
      start_hour: StartHour,
      end_hour: EndHour,
      hours: Type.Integer({
        minimum: 0,
        maximum: 24,
        description: 'Number of hours; 0 when the booking is cancelled',
      }),
      status: Type.Enum(BOOKING_STATUSES, {
        description: '`cancelled` only if the guest paid the platform and is to be refunded',
      }),
      settlement_mode: SettlementMode,
      payment_status: PaymentStatus,
      paid_at: Type.Nullable(timestamp('When the platform recorded the payment')),
      refunded_at: Type.Nullable(timestamp('When the platform recorded the refund')),
      gross: amount('Price of the booking, as it was when it was made; 0 when cancelled'),
      commission_rate: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Share of the platform, as it was when the booking was made',
      }),
      commission: amount('`gross` times `commission_rate`, rounded half up to the currency’s smallest unit'),
      net: amount('`gross` less `commission`'),
    },
    { description: 'One booking of a settlement report' },
  ),
);

export type SettlementLine = Static<typeof SettlementLine>;

const SettlementTotals = component(
  'SettlementTotals',
  Type.Object(
    {
      ...SumFields,
      cancelled: count('Number of bookings that were cancelled'),
      host_collected: amount('`gross` of host_settled bookings'),
      platform_collected: amount('`gross` of platform_settled bookings whose payment is confirmed'),
      refunded: amount('What was refunded to guests of cancelled bookings among the lines'),
      commission_due: amount('What the host owes the platform: the commission on host_settled bookings'),
      payout_due: amount(
        'What the platform owes the host: `net` of platform_settled bookings whose payment is confirmed',
      ),
      adjustments: signed('What the adjustments add up to: their `payout_due` less their `commission_due`'),
      balance: signed(
        '`payout_due` less `commission_due`, and `adjustments`; negative when the host owes the platform',
      ),
    },
    { description: 'What the lines add up to' },
  ),
);

export type SettlementTotals = Static<typeof SettlementTotals>;

const Adjustment = component(
  'SettlementAdjustment',
  Type.Object(
    {
      kind: Type.Enum(['payment_confirmed', 'payment_voided', 'refunded', 'late_booking'], {
        description: 'What was recorded. `late_booking`: a booking that was made when its month was closed',
      }),
      booking_id: idOf('the booking'),
      month: Type.String({
        pattern: MONTH_PATTERN,
        description: 'The closed month of the booking (YYYY-MM)',
      }),
      recorded_at: timestamp('When it was recorded'),
      payout_due: signed('What the platform owes the host for it'),
      commission_due: signed('What the host owes the platform for it'),
    },
    { description: 'What was recorded about a booking after its month had been closed' },
  ),
);

const Payout = component(
  'SettlementPayout',
  Type.Object(
    {
      id: idOf('the payout'),
      amount: signed('What the platform paid the host; negative: what the host paid the platform'),
      reference: Type.Nullable(
        Type.String({ maxLength: 1000, description: 'How the platform’s bank names the transfer' }),
      ),
      paid_on: LocalDate,
      recorded_at: timestamp('When it was recorded'),
    },
    { description: 'Money that was transferred between platform and host' },
  ),
);

export const SettlementReport = component(
  'SettlementReport',
  Type.Object(
    {
      month: Month,
      currency: Currency,
      status: Type.Enum(['open', 'closed'], {
        description:
          '`closed` once the month has ended in every timezone in which the host has spaces and none of its bookings is still `confirmed`. A closed month never changes.',
      }),
      closed_at: Type.Nullable(
        timestamp('When the month was closed; null while it is open, and for months before the host’s first'),
      ),
      opening_balance: signed('The closing balance of the month before'),
      adjustments: Type.Array(Adjustment, { description: 'Oldest first' }),
      payouts: Type.Array(Payout, { description: 'Oldest first' }),
      totals: SettlementTotals,
      by_settlement_mode: Type.Array(Type.Object({ settlement_mode: SettlementMode, ...SumFields }), {
        minItems: 2,
        maxItems: 2,
        description: 'The same sums for each settlement mode',
      }),
      by_space: Type.Array(Type.Object({ space_id: idOf('the space'), title: Title, ...SumFields }), {
        description: 'The same sums for each space that has lines, by title',
      }),
      refunds_pending: Type.Object(
        { bookings: count('Number of bookings'), amount: amount('What guests are to get back') },
        { description: 'Bookings that were paid to the platform, then cancelled, and not refunded yet' },
      ),
      closing_balance: signed('`opening_balance` and `balance`, less the payouts'),
      lines: Type.Array(SettlementLine, { description: 'Ordered by date, start hour and booking id' }),
    },
    { description: 'The balance between host and platform for one month' },
  ),
);

export type SettlementReport = Static<typeof SettlementReport>;
