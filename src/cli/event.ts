import { showEvent } from '../webhooks/for-operators.ts';
import { command, group } from './command.ts';
import * as parse from './options.ts';
import { listed, table } from './output.ts';
import { ATTEMPTS } from './webhook.ts';

export const eventCommands = group('event', 'what webhooks deliver', [
  command('show', {
    about: 'show an event: the request behind it, and what became of it at each subscription',
    argument: [
      '<id>',
      'the event’s id: webhook-id of a delivery, or as webhook deliveries shows it',
      parse.id,
    ],
    json: 'print the event',
    run: (ctx, { id }) => showEvent(ctx, id),
    print: (event) => [
      ...listed([
        ['Event', event.id],
        ['Type', event.type],
        ['Made', event.created_at],
        ['Host', event.host_id],
        ['Environment', event.environment],
        ['Space', event.space_id ?? 'none'],
        ['Booking', event.booking_id ?? 'none'],
        ['Request', event.request_id ?? 'none: the command line or the clock'],
      ]),
      '',
      ...table(
        event.deliveries,
        [['WEBHOOK', (row) => row.webhook_id], ...ATTEMPTS, ['URL', (row) => row.url]],
        'No subscription receives it.',
      ),
    ],
  }),
]);
