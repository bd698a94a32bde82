import { BlockReason } from '../blocks/schemas.ts';
import type * as hours from '../hours/hours.ts';
import { component, EndHour, idOf, LocalDate, StartHour, Timezone } from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';

const AvailabilitySlot = component(
  'AvailabilitySlot',
  Type.Object(
    {
      hour: Type.Integer({ minimum: 0, maximum: 23, description: 'The hour: 9 is 9:00 to 10:00' }),
      available: Type.Boolean({ description: 'Whether this hour can be booked now' }),
      block_reason: Type.Nullable(
        Type.Enum<hours.BlockReason>(['booked', 'external_block', 'host_block'], {
          description:
            'Who holds the hour. Null on a free hour, and on one that nobody holds but that cannot be booked: closed, already begun, skipped by daylight saving, or of an inactive space.',
        }),
      ),
    },
    { description: 'One hour of the day, local time of the space' },
  ),
);

const Slots = Type.Array(AvailabilitySlot, {
  minItems: 24,
  maxItems: 24,
  description: 'Hours 0 to 23, in order',
});
const Blocks = Type.Array(
  Type.Object({ start_hour: StartHour, end_hour: EndHour, reason: Type.Nullable(BlockReason) }),
  { maxItems: 24, description: 'The host blocks of the day, as runs of hours with one reason' },
);

const DayAvailability = component(
  'DayAvailability',
  Type.Object(
    { date: LocalDate, slots: Slots, blocks: Blocks },
    { description: 'One date, as a request for this date alone returns it' },
  ),
);

/** A request asks for at most a month. */
const MAX_DAYS = 31;

export const AvailabilityQuery = Type.Object({
  date: LocalDate,
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_DAYS,
      description: 'Number of days, starting with `date`: the response then has `days`, one entry per day',
    }),
  ),
});

export const Availability = Type.Object({
  space_id: idOf('the space'),
  date: LocalDate,
  timezone: Timezone,
  slots: Slots,
  blocks: Blocks,
  days: Type.Optional(
    Type.Array(DayAvailability, {
      minItems: 1,
      maxItems: MAX_DAYS,
      description: 'Only with `days`: that many dates, starting with `date`',
    }),
  ),
});

export type Availability = Static<typeof Availability>;
export type DayAvailability = Static<typeof DayAvailability>;
