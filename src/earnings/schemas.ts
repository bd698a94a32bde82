import type { Static } from 'typebox';
import { component, Currency, Id, SumFields } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import { SPACE_TEXT_LENGTHS } from '../spaces/text-lengths.ts';
import { MONTH_PATTERN, monthsUpTo } from '../time/month.ts';

const EarningsSums = component('EarningsSums', Type.Object(SumFields));

export const Earnings = component(
  'Earnings',
  Type.Object({
    currency: { ...Currency, description: 'ISO 4217; all amounts are in its major units' },
    lifetime: EarningsSums,
    this_month: EarningsSums,
    last_month: EarningsSums,
    upcoming: EarningsSums,
    by_month: Type.Array(Type.Object({ month: Type.String({ pattern: MONTH_PATTERN }), ...SumFields }), {
      minItems: 12,
      maxItems: 12,
      description: 'Oldest first; the last one is the present month',
    }),
    by_space: Type.Array(
      Type.Object({
        space_id: Id,
        title: Type.String({ maxLength: SPACE_TEXT_LENGTHS.title }),
        ...SumFields,
      }),
      {
        description: 'Every space, oldest first; over its lifetime',
      },
    ),
  }),
);

export type Earnings = Static<typeof Earnings>;

const NOTHING = { bookings: 0, hours: 0, gross: 0, commission: 0, net: 0 };
const FEBRUARY = { bookings: 21, hours: 44, gross: 1886.5, commission: 188.65, net: 1697.85 };
const MARCH = { bookings: 14, hours: 31, gross: 1320, commission: 132, net: 1188 };
const BOTH = { bookings: 35, hours: 75, gross: 3206.5, commission: 320.65, net: 2885.85 };

export const exampleEarnings: Earnings = {
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
