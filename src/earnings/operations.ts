import type { Operation } from '../http/openapi/operation.ts';
import { monthsUpTo } from '../time/month.ts';
import type { Earnings } from './schemas.ts';

const NOTHING = { bookings: 0, hours: 0, gross: 0, commission: 0, net: 0 };
const FEBRUARY = { bookings: 21, hours: 44, gross: 1886.5, commission: 188.65, net: 1697.85 };
const MARCH = { bookings: 14, hours: 31, gross: 1320, commission: 132, net: 1188 };
const BOTH = { bookings: 35, hours: 75, gross: 3206.5, commission: 320.65, net: 2885.85 };

const example: Earnings = {
  currency: 'USD',
  lifetime: BOTH,
  this_month: MARCH,
  last_month: FEBRUARY,
  upcoming: { bookings: 6, hours: 13, gross: 552.5, commission: 55.25, net: 497.25 },
  by_month: [
    ...monthsUpTo('2027-01', 10).map((month) => ({ month, ...NOTHING })),
    { month: '2027-02', ...FEBRUARY },
    { month: '2027-03', ...MARCH },
  ],
  by_space: [
    { space_id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01', title: 'Riverside Studio', ...BOTH },
    { space_id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b02', title: 'Loft Meeting Room', ...NOTHING },
  ],
};

export const getEarnings: Operation = {
  id: 'getEarnings',
  tag: 'Money',
  summary: 'Earnings summary',
  description:
    'Earnings of completed bookings of any source, and in `upcoming` those of confirmed ones. The month of a booking is that of its date at the space; this month is that of the host’s timezone.',
  scope: 'earnings:read',
  example: { data: example },
};
