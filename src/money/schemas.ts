import { Type } from 'typebox';

const COUNT = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** The same five fields wherever money is added up. */
export const SumFields = {
  bookings: Type.Integer({
    ...COUNT,
    description: 'How many bookings; cancelled ones are not among them',
  }),
  hours: Type.Integer({ ...COUNT, description: 'How many hours they have' }),
  gross: Type.Number({ minimum: 0, description: 'What guests pay, in major units of `currency`' }),
  commission: Type.Number({ minimum: 0, description: 'The platform’s share, rounded half up per booking' }),
  net: Type.Number({ minimum: 0, description: '`gross` less `commission`' }),
};
