import * as calendars from '../calendars/calendars.ts';
import { subscribe } from '../spaces/update.ts';
import { OperatorError } from '../errors.ts';
import { withSetting } from '../outbound/guard.ts';
import { command, flag, group, ONLY_HOST, option, required } from './command.ts';
import * as parse from './options.ts';
import { operator } from './run.ts';

export const calendarCommands = group('calendar', 'external calendars whose events block hours', [
  command('add', {
    about: 'let an iCal URL block hours of a space',
    options: {
      space: required('<id>', 'whose hours'),
      url: required('<url>', 'the URL to subscribe to: https, or webcal', parse.text()),
    },
    json: 'print {id, …}',
    notes: 'The worker imports it within seconds and then every 15 minutes.',
    examples: ['hourkeep calendar add --space <id> --url https://www.airbnb.com/calendar/ical/123.ics?s=…'],
    run: async (ctx, { space, ...given }) => {
      const { id, url } = await subscribe(ctx, operator, space, given.url);
      return { id, space_id: space, url };
    },
    print: ({ id }) => `Added calendar ${id}. "hourkeep calendar sync ${id}" imports it now.`,
  }),
  command('list', {
    about: 'list calendars with how their last polls went',
    options: {
      space: option('<id>', 'only this space’s'),
      host: ONLY_HOST,
      failing: flag('only those whose last poll failed'),
    },
    run: (ctx, wanted) => calendars.list(ctx, wanted),
    table: [
      [
        'id',
        'host_name',
        'space_title',
        'status',
        'busy_hours',
        ['LAST GOOD', (row) => row.last_success_at ?? 'never'],
        'next_poll_at',
        'address',
        'last_error',
      ],
      'There are no calendars yet: hourkeep calendar add --help',
    ],
  }),
  command('sync', {
    about: 'import a calendar now, whatever its schedule says',
    argument: 'calendar',
    json: 'print {id, result, …}',
    run: async (ctx, { id }) => {
      const done = await calendars.sync(ctx, operator, id);
      if (done.result === 'failed')
        throw new OperatorError(`the calendar was not imported: ${withSetting(done.error)}`);
      if (done.result === 'abandoned') throw new OperatorError(`calendar ${id} was removed while this ran`);
      if (done.result !== 'imported') return { id, ...done };
      const { result, busy, added, freed, overlaps, warning } = done;
      return {
        id,
        result,
        busy_hours: busy,
        added_hours: added,
        freed_hours: freed,
        overlapping_bookings: overlaps,
        warning,
      };
    },
    print: (done) => {
      if (done.result === 'kept') return `Nothing changed: ${done.warning}.`;
      if (done.result !== 'imported') return [];
      const { busy_hours, added_hours, freed_hours, overlapping_bookings: overlaps, warning } = done;
      return [
        `Imported: ${busy_hours} busy hours, ${added_hours} of them new; ${freed_hours} freed.`,
        ...(warning === null ? [] : [`Note: ${warning}.`]),
        ...overlaps.map(
          ({ booking_id, date, hours }) =>
            `Booking ${booking_id} stands on ${date} where the calendar is busy (hours ${hours.join(', ')}).`,
        ),
      ];
    },
  }),
  command('remove', {
    about: 'delete a calendar and free its hours',
    argument: 'calendar',
    json: 'print {id, removed: true, freed_hours}',
    run: async (ctx, { id }) => {
      const { freed } = await calendars.remove(ctx, operator, id);
      return { id, removed: true, freed_hours: freed };
    },
    print: ({ id, freed_hours }) => `Removed ${id}; ${freed_hours} of its hours are gone.`,
  }),
]);
