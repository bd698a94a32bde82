import { inWords } from '../webhooks/attempt.ts';
import * as webhooks from '../webhooks/for-operators.ts';
import { DELIVERY_STATUSES, type Delivery } from '../webhooks/schemas.ts';
import { command, flag, group, ONLY_HOST, option, REASON, required, withDefault } from './command.ts';
import * as parse from './options.ts';
import { label, listed, table, type Columns } from './output.ts';
import { withProgress } from './terminal.ts';
import { operator } from './run.ts';

/** What became of a delivery so far. */
const ATTEMPTS: Columns<Delivery> = [
  ['STATUS', ({ status }) => (status === 'failed' ? 'given up' : status)],
  'attempts',
  ['LAST ATTEMPT', ({ last_attempt_at }) => last_attempt_at ?? 'none'],
  [
    'WHAT CAME BACK',
    ({ error, response_status, last_attempt_at }) =>
      last_attempt_at === null ? '' : inWords(error, response_status),
  ],
];

export const webhookCommands = group('webhook', 'hosts’ subscriptions and their deliveries', [
  command('list', {
    about: 'list subscriptions, with what is pending and what was given up',
    options: {
      host: ONLY_HOST,
      failing: flag('only those whose attempts have failed since the last success'),
      disabled: flag('only those that failures or an operator disabled'),
    },
    run: (ctx, { host, ...only }) => webhooks.list(ctx, host, only),
    table: [
      [
        'id',
        'host_id',
        'host_name',
        'environment',
        ['STATUS', (row) => (row.is_active ? 'active' : `off: ${row.disabled_reason ?? 'by its host'}`)],
        ['PENDING', ({ pending }) => counted(pending)],
        ['FAILED', ({ failed }) => counted(failed)],
        ['LAST DELIVERED', (row) => row.last_delivered_at ?? 'never'],
        'failing_since',
        'url',
      ],
      'There are no webhooks.',
    ],
  }),
  command('deliveries', {
    about: 'list deliveries of a subscription, newest first: what came back and when the next attempt is',
    argument: 'webhook',
    options: {
      status: option('<status>', 'only these', DELIVERY_STATUSES),
      limit: withDefault('<n>', 'how many, at most 1000', parse.countFrom(1, 1000), '20'),
    },
    run: async (ctx, { id, ...wanted }) => webhooks.deliveries(ctx, await webhooks.get(ctx, id), wanted),
    table: [
      [
        'event_id',
        'type',
        ...ATTEMPTS,
        [
          'NEXT ATTEMPT',
          ({ status, next_attempt_at }) => (status === 'pending' ? (next_attempt_at ?? 'in flight') : 'none'),
        ],
        'booking_id',
        'request_id',
      ],
      'There are no such deliveries.',
    ],
  }),
  command('resend', {
    about: 'send events again now, each with the id that it had',
    argument: 'webhook',
    options: {
      event: option('<id>', 'this one, also when it was given up or delivered', parse.id),
      failed: flag('all that were given up'),
      since: option('<when>', 'with --failed: only events made since then: 7d, 12h, or a date', parse.since),
      dryRun: flag('only print how many it would be'),
    },
    json: 'print {queued}',
    examples: [
      'hourkeep webhook resend <webhook> --event <id>',
      'hourkeep webhook resend <webhook> --failed --since 2d',
    ],
    misuse: ({ event, failed, since }) => {
      if ((event === undefined) === (failed === undefined)) return 'give either --event or --failed';
      return since !== undefined && failed === undefined && '--since goes with --failed';
    },
    run: async (ctx, { id, event, since = 0, dryRun = false }) => {
      const webhook = await webhooks.get(ctx, id);
      if (event !== undefined) return webhooks.resendEvent(ctx, operator, webhook, event, { dryRun });
      return withProgress((show) =>
        webhooks.resendFailed(ctx, operator, webhook, {
          since,
          dryRun,
          progress: (queued) => show(`${queued} to be sent again`),
        }),
      );
    },
    toJson: (queued) => ({ queued }),
    print: (queued, { event, dryRun }) => {
      if (event !== undefined && queued === 0) return 'It is being sent at this moment.';
      if (dryRun) return `${deliveries(queued)} would be sent again.`;
      return `${deliveries(queued)} will be sent again now.`;
    },
  }),
  command('disable', {
    about: 'send nothing more to a subscription; its host cannot switch it on again',
    argument: 'webhook',
    options: { reason: required(...REASON) },
    run: async (ctx, { id, reason }) => {
      const isChanged = await webhooks.disable(ctx, operator, id, reason);
      return { isChanged, webhook: await webhooks.get(ctx, id) };
    },
    toJson: ({ webhook }) => webhook,
    print: ({ isChanged, webhook: { id, pending } }) =>
      isChanged
        ? `Disabled ${id}. ${deliveries(pending)} wait until it is enabled.`
        : `${id} was disabled by an operator before; nothing has changed.`,
  }),
  command('enable', {
    about: 'switch a subscription on again, whoever or whatever switched it off',
    argument: 'webhook',
    run: async (ctx, { id }) => {
      const isChanged = await webhooks.enable(ctx, operator, id);
      return { isChanged, webhook: await webhooks.get(ctx, id) };
    },
    toJson: ({ webhook }) => webhook,
    print: ({ isChanged, webhook: { id, pending } }) =>
      isChanged ? `Enabled ${id}. ${deliveries(pending)} go out now.` : `${id} is active already.`,
  }),
]);

export const eventCommands = group('event', 'what webhooks deliver', [
  command('show', {
    about: 'show an event: the request behind it, and what became of it at each subscription',
    argument: 'event',
    json: 'print the event',
    run: (ctx, { id }) => webhooks.showEvent(ctx, id),
    print: ({ deliveries: all, ...event }) => [
      ...listed(Object.entries(event).map(([name, value]) => [label(name), value ?? 'none'])),
      '',
      ...table(all, ['webhook_id', ...ATTEMPTS, 'url'], 'No subscription receives it.'),
    ],
  }),
]);

function counted(count: number): string {
  return count < webhooks.MAX_COUNTED_DELIVERIES ? String(count) : `${count} or more`;
}

function deliveries(count: number): string {
  return count === 1 ? '1 delivery' : `${count} deliveries`;
}
