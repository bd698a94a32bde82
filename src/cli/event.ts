import type { Command } from 'commander';
import { showEvent } from '../webhooks/for-operators.ts';
import * as parse from './options.ts';
import { print, printFields, printJson, printList } from './output.ts';
import { withContext } from './run.ts';
import { whatCameBack } from './webhook.ts';

export function addEventCommands(program: Command): void {
  program
    .command('event')
    .description('what webhooks tell')
    .command('show')
    .description('show an event: the request behind it, and what became of it at each subscription')
    .argument('<id>', 'the event’s id: webhook-id of a delivery, or as webhook deliveries shows it', parse.id)
    .option('--json', 'print the event')
    .addHelpText('after', '\nExample:\n  hourkeep event show <id>')
    .action(async (id: string, options: { json?: true }) => {
      const event = await withContext((ctx) => showEvent(ctx, id));
      if (options.json) {
        printJson(event);
        return;
      }
      printFields([
        ['Event', event.id],
        ['Type', event.type],
        ['Made', event.created_at],
        ['Host', event.host_id],
        ['Environment', event.environment],
        ['Space', event.space_id ?? 'none'],
        ['Booking', event.booking_id ?? 'none'],
        ['Request', event.request_id ?? 'none: the command line or the clock'],
      ]);
      print('');
      printList(
        {},
        event.deliveries,
        [
          ['WEBHOOK', (row) => row.webhook_id],
          ['STATUS', (row) => (row.status === 'failed' ? 'given up' : row.status)],
          ['ATTEMPTS', (row) => String(row.attempts)],
          ['LAST ATTEMPT', (row) => row.last_attempt_at ?? 'none'],
          ['WHAT CAME BACK', whatCameBack],
          ['URL', (row) => row.url],
        ],
        'Nobody is told about it any more.',
      );
    });
}
