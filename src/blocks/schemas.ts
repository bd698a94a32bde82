import {
  component,
  EndHour,
  hoursOfDay,
  idOf,
  LocalDate,
  RepeatedSpaceId,
  StartHour,
} from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';

export const BlockReason = Type.String({
  maxLength: 200,
  description: 'A note for yourself; guests and calendars do not see it',
});

const Range = {
  space_id: Type.Optional(RepeatedSpaceId),
  date: LocalDate,
  start_hour: StartHour,
  end_hour: EndHour,
};

export const CreateBlocks = component(
  'CreateBlocks',
  Type.Object(
    { ...Range, reason: Type.Optional(BlockReason) },
    { additionalProperties: false, description: 'The hours to block' },
  ),
);

export const DeleteBlocks = component(
  'DeleteBlocks',
  Type.Object(Range, { additionalProperties: false, description: 'The hours to free' }),
);

export type DeleteBlocks = Static<typeof DeleteBlocks>;

export const Blocked = Type.Object({
  space_id: idOf('the space'),
  date: LocalDate,
  start_hour: StartHour,
  end_hour: EndHour,
  reason: Type.Nullable(BlockReason),
  blocked_hours: hoursOfDay('The hours that are blocked now'),
});

export const Unblocked = Type.Object({
  space_id: idOf('the space'),
  date: LocalDate,
  unblocked_hours: hoursOfDay('The hours that were blocked and are free now'),
});
