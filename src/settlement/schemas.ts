import type { Static } from 'typebox';
import { BOOKING_STATUSES } from '../bookings/schemas.ts';
import { SETTLEMENT_MODES } from '../hosts/hosts.ts';
import { CalendarDate, component, Count, Currency, Id, SumFields } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import { SPACE_TEXT_LENGTHS } from '../spaces/text-lengths.ts';
import { MONTH_PATTERN } from '../time/month.ts';

export const ReportQuery = Type.Object({
  month: Type.String({ pattern: MONTH_PATTERN, description: 'YYYY-MM' }),
});

const SettlementLine = component(
  'SettlementLine',
  Type.Object(
    {
      booking_id: Id,
      space_id: Id,
      space_title: Type.String({
        maxLength: SPACE_TEXT_LENGTHS.title,
        description: 'As the space is called now',
      }),
      date: CalendarDate,
      start_hour: Type.Integer({ minimum: 0, maximum: 23 }),
      end_hour: Type.Integer({ minimum: 1, maximum: 24 }),
      hours: Type.Integer({
        minimum: 0,
        maximum: 24,
        description: '0 for a cancelled booking: it has none any more',
      }),
      status: Type.Enum(BOOKING_STATUSES, {
        description: '`cancelled` only where the guest has paid the platform and has the money to get back',
      }),
      settlement_mode: Type.Enum(SETTLEMENT_MODES),
      payment_status: Type.Enum(['host_collected', 'pending', 'confirmed']),
      gross: Type.Number({ minimum: 0, description: 'The price that was frozen when the booking was made' }),
      commission_rate: Type.Number({ minimum: 0, maximum: 1, description: 'Frozen likewise' }),
      commission: Type.Number({ minimum: 0, description: 'Rounded half up to the currency’s smallest unit' }),
      net: Type.Number({ minimum: 0, description: '`gross` less `commission`' }),
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
      cancelled: { ...Count, description: 'How many bookings were cancelled' },
      host_collected: Type.Number({ minimum: 0, description: '`gross` of host_settled bookings' }),
      platform_collected: Type.Number({
        minimum: 0,
        description: '`gross` of platform_settled bookings whose payment is confirmed',
      }),
      commission_due: Type.Number({
        minimum: 0,
        description: 'What the host owes the platform: the commission on host_settled bookings',
      }),
      payout_due: Type.Number({
        minimum: 0,
        description:
          'What the platform owes the host: `net` of platform_settled bookings whose payment is confirmed',
      }),
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
  Type.Object({
    month: Type.String({ pattern: MONTH_PATTERN }),
    currency: { ...Currency, description: 'ISO 4217; all amounts are in its major units' },
    status: Type.Enum(['open', 'closed'], {
      description: 'Closed once the month has ended in every timezone in which the host has spaces',
    }),
    totals: SettlementTotals,
    by_settlement_mode: Type.Array(
      Type.Object({ settlement_mode: Type.Enum(SETTLEMENT_MODES), ...SumFields }),
      { minItems: 2, maxItems: 2, description: 'One entry for each mode' },
    ),
    refunds_pending: Type.Object(
      {
        bookings: Count,
        amount: Type.Number({ minimum: 0 }),
      },
      { description: 'Bookings that were paid to the platform and cancelled, and what guests get back' },
    ),
    lines: Type.Array(SettlementLine, { description: 'Ordered by date, start hour and booking id' }),
  }),
);

export type SettlementReport = Static<typeof SettlementReport>;

export const exampleReport: SettlementReport = {
  month: '2027-03',
  currency: 'USD',
  status: 'closed',
  totals: {
    bookings: 2,
    cancelled: 1,
    hours: 5,
    gross: 187.5,
    commission: 18.75,
    net: 168.75,
    host_collected: 90,
    platform_collected: 97.5,
    commission_due: 9,
    payout_due: 87.75,
    balance: 78.75,
  },
  by_settlement_mode: [
    { settlement_mode: 'host_settled', bookings: 1, hours: 2, gross: 90, commission: 9, net: 81 },
    { settlement_mode: 'platform_settled', bookings: 1, hours: 3, gross: 97.5, commission: 9.75, net: 87.75 },
  ],
  refunds_pending: { bookings: 0, amount: 0 },
  lines: [
    {
      booking_id: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c77',
      space_id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01',
      space_title: 'Riverside Studio',
      date: '2027-03-18',
      start_hour: 10,
      end_hour: 12,
      hours: 2,
      status: 'completed',
      settlement_mode: 'host_settled',
      payment_status: 'host_collected',
      gross: 90,
      commission_rate: 0.1,
      commission: 9,
      net: 81,
    },
    {
      booking_id: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c78',
      space_id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b02',
      space_title: 'Loft Meeting Room',
      date: '2027-03-21',
      start_hour: 9,
      end_hour: 12,
      hours: 3,
      status: 'completed',
      settlement_mode: 'platform_settled',
      payment_status: 'confirmed',
      gross: 97.5,
      commission_rate: 0.1,
      commission: 9.75,
      net: 87.75,
    },
  ],
};
