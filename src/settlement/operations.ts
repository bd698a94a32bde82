import type { Operation } from '../http/openapi/operation.ts';
import type { SettlementReport } from './schemas.ts';

const example: SettlementReport = {
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

export const getSettlementReport: Operation = {
  id: 'getSettlementReport',
  tag: 'Money',
  summary: 'Settlement report for API bookings',
  description:
    'The bookings made through this API whose local date lies in the month, and what host and platform owe each other for them. Cancelled bookings are only counted, unless the guest has paid the platform: then the booking stays as a line worth nothing, and the money is in `refunds_pending` until the guest has it back. The lines add up to the totals exactly.',
  scope: 'settlement:read',
  example: { query: { month: example.month }, data: example },
};
