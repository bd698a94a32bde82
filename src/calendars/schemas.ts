import { component, idOf, timestamp } from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';

const CALENDAR_STATUSES = ['waiting', 'ok', 'warning', 'failing'] as const;

export const ExternalCalendar = component(
  'ExternalCalendar',
  Type.Object(
    {
      id: idOf('the connection'),
      address: Type.String({
        maxLength: 2010,
        description:
          'Its server and its last four characters. The rest is not shown: it often holds a password',
      }),
      status: Type.Enum(CALENDAR_STATUSES, {
        description:
          '`waiting`: not read yet; `warning`: read, but some entries could not be parsed; `failing`: could not be read, the hours of the last read stay',
      }),
      last_synced_at: Type.Nullable(timestamp('When it was last read')),
      error: Type.Nullable(Type.String({ maxLength: 2000, description: 'What is wrong with it, in words' })),
    },
    { description: 'A calendar whose events block hours of a space' },
  ),
);

export type ExternalCalendar = Static<typeof ExternalCalendar>;
