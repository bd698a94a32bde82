import { component, Currency, described, idOf, MAX_TITLE_LENGTH, SumFields } from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';
import { MONTH_PATTERN } from '../time/month.ts';

const EarningsSums = component(
  'EarningsSums',
  Type.Object(SumFields, { description: 'What some bookings add up to' }),
);

export const Earnings = component(
  'Earnings',
  Type.Object(
    {
      currency: Currency,
      lifetime: described(EarningsSums, 'All completed bookings'),
      this_month: described(EarningsSums, 'Completed bookings of the present month'),
      last_month: described(EarningsSums, 'Completed bookings of the month before'),
      upcoming: described(EarningsSums, 'Confirmed bookings, which are still to come'),
      by_month: Type.Array(
        Type.Object({
          month: Type.String({ pattern: MONTH_PATTERN, description: 'The month (YYYY-MM)' }),
          ...SumFields,
        }),
        {
          minItems: 12,
          maxItems: 12,
          description: 'Completed bookings by month, oldest first; the last one is the present month',
        },
      ),
      by_space: Type.Array(
        Type.Object({
          space_id: idOf('the space'),
          title: Type.String({ maxLength: MAX_TITLE_LENGTH, description: 'Title of the space' }),
          ...SumFields,
        }),
        { description: 'All completed bookings by space; every space, oldest first' },
      ),
    },
    { description: 'What a host has earned, and will' },
  ),
);

export type Earnings = Static<typeof Earnings>;
