import { ExternalCalendar } from '../calendars/schemas.ts';
import { chosen, isShownToHost, recordProperties, requestProperties } from '../fields/fields.ts';
import { component, idOf, RepeatedSpaceId } from '../http/input/schemas.ts';
import { Type, type Schema, type Static } from '../http/input/type.ts';
import { SPACE, type Listing } from './fields.ts';

const external_calendars = Type.Array(ExternalCalendar, {
  description: 'Calendars whose events block hours of this space, oldest first',
});

export type Space = Listing & { external_calendars: ExternalCalendar[] };

export const Space = component(
  'Space',
  Type.Object(
    { ...recordProperties(chosen(SPACE, isShownToHost)), external_calendars },
    { description: 'A space that a host rents out by the hour' },
  ) as Schema<Space>,
);

export const UpdateListing = component(
  'UpdateListing',
  Type.Object(
    {
      space_id: Type.Optional(RepeatedSpaceId),
      ...requestProperties(SPACE),
      rotate_ical_token: Type.Optional(
        Type.Literal(true, {
          description:
            'Create a new URL of the calendar feed, returned once as `ical_feed_url`; the old one stops working',
        }),
      ),
      connect_calendar: Type.Optional(
        Type.String({
          maxLength: 2000,
          description:
            'The iCal URL of an external calendar: https or webcal, with a public IP address. Read within seconds, then every 15 minutes. At most five per space; a URL that is already connected is left as it is',
        }),
      ),
      disconnect_calendar: Type.Optional({
        ...idOf('the connection'),
        description:
          'The id of a connection in `external_calendars` to disconnect; its hours are free immediately',
      }),
    },
    {
      additionalProperties: false,
      minProperties: 1,
      description:
        'At least one of these fields beside `space_id`. All are changed or none, and a calendar is disconnected before another is connected',
    },
  ),
);

export type UpdateListing = Static<typeof UpdateListing>;

export const UpdatedListing = Type.Object({
  space: Space,
  ical_feed_url: Type.Optional(
    Type.String({
      maxLength: 2500,
      description: 'The new URL of the calendar feed, after `rotate_ical_token`. Shown once',
    }),
  ),
});
