import type { Operation } from '../http/openapi/operation.ts';
import type { SettlementReport } from './schemas.ts';

const STUDIO = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
const ROOM = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b02';
const OF_HOST = { bookings: 1, hours: 2, gross: 90, commission: 9, net: 81 };
const OF_PLATFORM = { bookings: 1, hours: 3, gross: 97.5, commission: 9.75, net: 87.75 };

const example: SettlementReport = {
  month: '2027-03',
  currency: 'USD',
  status: 'closed',
  closed_at: '2027-04-01T04:00:06.000Z',
  opening_balance: 40.5,
  adjustments: [
    {
      kind: 'payment_confirmed',
      booking_id: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c70',
      month: '2027-02',
      recorded_at: '2027-03-04T10:15:00.000Z',
      payout_due: 40.5,
      commission_due: 0,
    },
  ],
  payouts: [
    {
      id: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c90',
      amount: 40.5,
      reference: 'SEPA-2027-0311',
      paid_on: '2027-03-11',
      recorded_at: '2027-03-11T09:00:00.000Z',
    },
  ],
  totals: {
    bookings: 2,
    cancelled: 1,
    hours: 5,
    gross: 187.5,
    commission: 18.75,
    net: 168.75,
    host_collected: 90,
    platform_collected: 97.5,
    refunded: 0,
    commission_due: 9,
    payout_due: 87.75,
    adjustments: 40.5,
    balance: 119.25,
  },
  by_settlement_mode: [
    { settlement_mode: 'host_settled', ...OF_HOST },
    { settlement_mode: 'platform_settled', ...OF_PLATFORM },
  ],
  by_space: [
    { space_id: ROOM, title: 'Loft Meeting Room', ...OF_PLATFORM },
    { space_id: STUDIO, title: 'Riverside Studio', ...OF_HOST },
  ],
  refunds_pending: { bookings: 0, amount: 0 },
  closing_balance: 119.25,
  lines: [
    {
      booking_id: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c77',
      space_id: STUDIO,
      space_title: 'Riverside Studio',
      date: '2027-03-18',
      start_hour: 10,
      end_hour: 12,
      hours: 2,
      status: 'completed',
      settlement_mode: 'host_settled',
      payment_status: 'host_collected',
      paid_at: null,
      refunded_at: null,
      gross: 90,
      commission_rate: 0.1,
      commission: 9,
      net: 81,
    },
    {
      booking_id: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c78',
      space_id: ROOM,
      space_title: 'Loft Meeting Room',
      date: '2027-03-21',
      start_hour: 9,
      end_hour: 12,
      hours: 3,
      status: 'completed',
      settlement_mode: 'platform_settled',
      payment_status: 'confirmed',
      paid_at: '2027-03-19T08:30:00.000Z',
      refunded_at: null,
      gross: 97.5,
      commission_rate: 0.1,
      commission: 9.75,
      net: 87.75,
    },
  ],
};

export const getSettlementReport: Operation = {
  id: 'getSettlementReport',
  tag: 'Money',
  summary: 'Settlement report for API bookings',
  description:
    'The bookings made through this API whose local date lies in the month, and what host and platform owe each other for them. Cancelled bookings are only counted, unless the guest had paid the platform: then the booking stays as a line of 0, and its price is in `refunds_pending` until it is refunded. The lines add up to the totals exactly. A closed report never changes: what is recorded later about its bookings is in `adjustments` of the first open month.',
  scope: 'settlement:read',
  example: { query: { month: example.month }, data: example },
};
