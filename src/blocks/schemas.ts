import type { Static } from 'typebox';
import {
  CalendarDate,
  component,
  EndHour,
  Id,
  nullable,
  RepeatedSpaceId,
  StartHour,
} from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';

export const BlockReason = Type.String({
  maxLength: 200,
  description: 'For yourself; guests and calendars do not see it',
});

export const CreateBlocks = component(
  'CreateBlocks',
  Type.Object(
    {
      space_id: Type.Optional(RepeatedSpaceId),
      date: CalendarDate,
      start_hour: StartHour,
      end_hour: EndHour,
      reason: Type.Optional(BlockReason),
    },
    { additionalProperties: false },
  ),
);

export const DeleteBlocks = component(
  'DeleteBlocks',
  Type.Object(
    {
      space_id: Type.Optional(RepeatedSpaceId),
      date: CalendarDate,
      start_hour: StartHour,
      end_hour: EndHour,
    },
    { additionalProperties: false },
  ),
);

export type DeleteBlocks = Static<typeof DeleteBlocks>;

const Hours = Type.Array(Type.Integer({ minimum: 0, maximum: 23 }), { maxItems: 24 });

export const Blocked = Type.Object({
  space_id: Id,
  date: CalendarDate,
  start_hour: StartHour,
  end_hour: EndHour,
  reason: nullable(BlockReason),
  blocked_hours: Hours,
});

export const Unblocked = Type.Object({ space_id: Id, date: CalendarDate, unblocked_hours: Hours });
