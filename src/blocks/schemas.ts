import {
  calendarDate,
  component,
  EndHour,
  hoursOfDay,
  idOf,
  LocalDate,
  RepeatedSpaceId,
  StartHour,
} from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';
import { WEEKDAYS } from '../time/weekdays.ts';

export const BlockReason = Type.String({
  maxLength: 200,
  description: 'A note for yourself; guests and calendars do not see it',
});

/** `end_date` is at most so many days after `date`: a leap year and the same date of the next. */
export const MAX_DAYS_AFTER = 366;
const MAX_DAYS = MAX_DAYS_AFTER + 1;

const Range = {
  space_id: Type.Optional(RepeatedSpaceId),
  date: LocalDate,
  end_date: Type.Optional(
    calendarDate(`The same hours on every day up to this one, at most ${MAX_DAYS_AFTER} days later`),
  ),
  weekdays: Type.Optional(
    Type.Array(Type.Enum(WEEKDAYS), {
      minItems: 1,
      maxItems: WEEKDAYS.length,
      uniqueItems: true,
      description: 'Days of the week, all if omitted; only with `end_date`',
    }),
  ),
  start_hour: StartHour,
  end_hour: EndHour,
};

export const CreateBlocks = component(
  'CreateBlocks',
  Type.Object(
    {
      ...Range,
      skip_occupied: Type.Optional(
        Type.Boolean({
          description: 'Block the free hours if others are held; only with `end_date`',
        }),
      ),
      reason: Type.Optional(BlockReason),
    },
    { additionalProperties: false, description: 'The hours to block' },
  ),
);

export const DeleteBlocks = component(
  'DeleteBlocks',
  Type.Object(Range, { additionalProperties: false, description: 'The hours to free' }),
);

export type DeleteBlocks = Static<typeof DeleteBlocks>;

const Blocked = { start_hour: StartHour, end_hour: EndHour, reason: Type.Nullable(BlockReason) };
const BlockedHoursOfDay = hoursOfDay('The hours that are blocked now');
const UnblockedHoursOfDay = hoursOfDay('The hours that were blocked and are free now');

export const BlockedHours = component(
  'BlockedHours',
  Type.Object(
    { space_id: idOf('the space'), date: LocalDate, ...Blocked, blocked_hours: BlockedHoursOfDay },
    { description: 'What was blocked of one date' },
  ),
);

export type BlockedDays = Static<typeof BlockedDays>;
export const BlockedDays = component(
  'BlockedDays',
  Type.Object(
    {
      space_id: idOf('the space'),
      ...Blocked,
      days: Type.Array(
        Type.Object({
          date: LocalDate,
          blocked_hours: BlockedHoursOfDay,
          occupied_hours: hoursOfDay('The taken hours that were skipped'),
        }),
        { maxItems: MAX_DAYS, description: 'The chosen days, in the order of their dates' },
      ),
    },
    { description: 'Where `end_date` was given: what was blocked of each day' },
  ),
);

export const UnblockedHours = component(
  'UnblockedHours',
  Type.Object(
    { space_id: idOf('the space'), date: LocalDate, unblocked_hours: UnblockedHoursOfDay },
    { description: 'What was freed of one date' },
  ),
);

export type UnblockedDays = Static<typeof UnblockedDays>;
export const UnblockedDays = component(
  'UnblockedDays',
  Type.Object(
    {
      space_id: idOf('the space'),
      days: Type.Array(Type.Object({ date: LocalDate, unblocked_hours: UnblockedHoursOfDay }), {
        maxItems: MAX_DAYS,
        description: 'The chosen days, in the order of their dates',
      }),
    },
    { description: 'Where `end_date` was given: what was freed of each day' },
  ),
);
