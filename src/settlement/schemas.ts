import { BOOKING_STATUSES, PaymentStatus, SettlementMode } from '../bookings/schemas.ts';
import {
  amount,
  component,
  count,
  Currency,
  EndHour,
  idOf,
  LocalDate,
  StartHour,
  SumFields,
} from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';
import { MAX_TITLE_LENGTH } from '../spaces/fields.ts';
import { MONTH_PATTERN } from '../time/month.ts';

const Month = Type.String({ pattern: MONTH_PATTERN, description: 'The month (YYYY-MM)' });

export const ReportQuery = Type.Object({ month: Month });

const SettlementLine = component(
  'SettlementLine',
  Type.Object(
    {
      booking_id: idOf('the booking'),
      space_id: idOf('the space'),
      space_title: Type.String({
        maxLength: MAX_TITLE_LENGTH,
        description: 'Title that the space has now',
      }),
      date: LocalDate,
      start_hour: StartHour,
      end_hour: EndHour,
      hours: Type.Integer({
        minimum: 0,
        maximum: 24,
        description: 'Number of hours; 0 when the booking is cancelled',
      }),
      status: Type.Enum(BOOKING_STATUSES, {
        description: '`cancelled` only where the guest has paid the platform and is to get the money back',
      }),
      settlement_mode: SettlementMode,
      payment_status: PaymentStatus,
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
      commission_due: amount('What the host owes the platform: the commission on host_settled bookings'),
      payout_due: amount(
        'What the platform owes the host: `net` of platform_settled bookings whose payment is confirmed',
      ),
      balance: Type.Number({
        description: '`payout_due` less `commission_due`; negative when the host owes the platform',
      }),
    },
    { description: 'What the lines add up to' },
  ),
);

export type SettlementTotals = Static<typeof SettlementTotals>;

export const SettlementReport = component(
  'SettlementReport',
  Type.Object(
    {
      month: Month,
      currency: Currency,
      status: Type.Enum(['open', 'closed'], {
        description: '`closed` once the month has ended in every timezone in which the host has spaces',
      }),
      totals: SettlementTotals,
      by_settlement_mode: Type.Array(Type.Object({ settlement_mode: SettlementMode, ...SumFields }), {
        minItems: 2,
        maxItems: 2,
        description: 'The same sums for each settlement mode',
      }),
      refunds_pending: Type.Object(
        { bookings: count('Number of bookings'), amount: amount('What guests are to get back') },
        { description: 'Bookings that were paid to the platform, then cancelled, and not refunded yet' },
      ),
      lines: Type.Array(SettlementLine, { description: 'Ordered by date, start hour and booking id' }),
    },
    { description: 'What host and platform owe each other for one month' },
  ),
);

export type SettlementReport = Static<typeof SettlementReport>;
