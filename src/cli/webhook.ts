import type { Context } from '../context.ts';
import * as hosts from '../hosts/hosts.ts';
import { inWords } from '../webhooks/attempt.ts';
import * as webhooks from '../webhooks/for-operators.ts';
import { DELIVERY_STATUSES, type Delivery } from '../webhooks/schemas.ts';
import { command, flag, group, ONLY_HOST, option, REASON, required, withDefault } from './command.ts';
import * as parse from './options.ts';
import { listed, table, type Columns } from './output.ts';
import { withProgress } from './progress.ts';
import { operator } from './run.ts';

const DEFAULT_SHOWN = 20;
const MAX_SHOWN = 1000;

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

const SWITCHING = {
  argument: 'webhook',
  json: 'print the subscription as webhook list does',
  toJson: ({ webhook }: Switched) => webhook,
};

interface Switched {
  changed: boolean;
  webhook: webhooks.Overview;
}

async function switched(ctx: Context, id: string, change: Promise<boolean>): Promise<Switched> {
  return { changed: await change, webhook: await webhooks.get(ctx, id) };
}

export const webhookCommands = group('webhook', 'hosts’ subscriptions and their deliveries', [
  command('list', {
    about: 'list subscriptions, with what is pending and what was given up',
    options: {
      host: ONLY_HOST,
      failing: flag('--failing', 'only those whose attempts have failed since the last success'),
      disabled: flag('--disabled', 'only those that failures or an operator disabled'),
    },
    examples: ['hourkeep webhook list --failing'],
    run: async (ctx, { host, ...only }) => {
      const all = await webhooks.list(ctx, host, only);
      const inactive = await hosts.deactivated(ctx.db);
      return all.map((webhook) => ({ ...webhook, isHostInactive: inactive.has(webhook.host_id) }));
    },
    toJson: (rows) => rows.map(({ isHostInactive: _inactive, ...webhook }) => webhook),
    table: [
      [
        'id',
        'host_id',
        'host_name',
        'environment',
        ['STATUS', (row) => (row.isHostInactive ? 'waits: host deactivated' : status(row))],
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
      status: option('--status <status>', 'only these', DELIVERY_STATUSES),
      limit: withDefault(
        '--limit <n>',
        `how many, at most ${MAX_SHOWN}`,
        parse.countFrom(1, MAX_SHOWN),
        DEFAULT_SHOWN,
      ),
    },
    json: 'print an array',
    examples: ['hourkeep webhook deliveries <webhook> --status failed'],
    run: async (ctx, { id, status, limit }) => {
      const one = await webhooks.get(ctx, id);
      return {
        waitsUntil: await whatItWaitsFor(ctx, one),
        found: await webhooks.deliveries(ctx, one, { status, limit }),
      };
    },
    toJson: ({ found }) => found,
    print: ({ found, waitsUntil }) =>
      table(
        found,
        [
          'event_id',
          'type',
          ...ATTEMPTS,
          ['NEXT ATTEMPT', (row) => nextAttempt(row, waitsUntil)],
          'booking_id',
          'request_id',
        ],
        'There are no such deliveries.',
      ),
  }),
  command('resend', {
    about: 'send events again now, each with the id that it had',
    argument: 'webhook',
    options: {
      event: option('--event <id>', 'this one, also when it was given up or delivered', parse.id),
      failed: flag('--failed', 'all that were given up'),
      since: option(
        '--since <when>',
        'with --failed: only events made since then: 7d, 12h, or a date',
        parse.since,
      ),
      dryRun: flag('--dry-run', 'only print how many it would be'),
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
      return withProgress((show) => {
        const progress = (queued: number): void => show(`${queued} to be sent again`);
        return webhooks.resendFailed(ctx, operator, webhook, { since, dryRun, progress });
      });
    },
    toJson: (queued) => ({ queued }),
    print: (queued, { event, dryRun }) => {
      if (event !== undefined && queued === 0) return 'It is being sent at this moment.';
      if (dryRun) return `${deliveries(queued)} would be sent again.`;
      return queued === 0
        ? 'There is nothing to send again.'
        : `${deliveries(queued)} will be sent again now.`;
    },
  }),
  command('disable', {
    ...SWITCHING,
    about: 'send nothing more to a subscription; its host cannot switch it on again',
    options: { reason: required(...REASON) },
    examples: ['hourkeep webhook disable <webhook> --reason "floods its own server"'],
    run: (ctx, { id, reason }) => switched(ctx, id, webhooks.disable(ctx, operator, id, reason)),
    print: ({ changed, webhook: { id, pending } }) =>
      changed
        ? `Disabled ${id}. ${deliveries(pending)} wait until it is enabled.`
        : `${id} was disabled by an operator before; nothing has changed.`,
  }),
  command('enable', {
    ...SWITCHING,
    about: 'switch a subscription on again, whoever or whatever switched it off',
    run: (ctx, { id }) => switched(ctx, id, webhooks.enable(ctx, operator, id)),
    print: ({ changed, webhook: { id, pending } }) =>
      changed ? `Enabled ${id}. ${deliveries(pending)} go out now.` : `${id} is active already.`,
  }),
]);

export const eventCommands = group('event', 'what webhooks deliver', [
  command('show', {
    about: 'show an event: the request behind it, and what became of it at each subscription',
    argument: 'event',
    json: 'print the event',
    run: (ctx, { id }) => webhooks.showEvent(ctx, id),
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
      ...table(event.deliveries, ['webhook_id', ...ATTEMPTS, 'url'], 'No subscription receives it.'),
    ],
  }),
]);

function status({ is_active, disabled_reason }: webhooks.Overview): string {
  return is_active ? 'active' : `off: ${disabled_reason ?? 'by its host'}`;
}

function counted(count: number): string {
  return count < webhooks.MAX_COUNTED_DELIVERIES ? String(count) : `${count} or more`;
}

async function whatItWaitsFor(ctx: Context, webhook: webhooks.Overview): Promise<string | undefined> {
  if (!webhook.is_active) return 'when it is enabled';
  if ((await hosts.deactivated(ctx.db)).has(webhook.host_id)) return 'when its host is activated';
  return (await webhooks.lacksKey(ctx, webhook))
    ? 'when its secret can be opened: see hourkeep doctor'
    : undefined;
}

function nextAttempt({ status, next_attempt_at }: Delivery, waitsUntil: string | undefined): string {
  if (status !== 'pending') return 'none';
  return next_attempt_at === null ? 'in flight' : (waitsUntil ?? next_attempt_at);
}

function deliveries(count: number): string {
  return count === 1 ? '1 delivery' : `${count} deliveries`;
}
