import { Option, type Command } from 'commander';
import type { Context } from '../context.ts';
import * as hosts from '../hosts/hosts.ts';
import type { AttemptError } from '../webhooks/attempt.ts';
import * as webhooks from '../webhooks/for-operators.ts';
import { DELIVERY_STATUSES, type Delivery } from '../webhooks/schemas.ts';
import * as parse from './options.ts';
import { print, printJson, printList } from './output.ts';
import { withProgress } from './progress.ts';
import { operator, withContext } from './run.ts';

const AN_ID = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
const LIMIT = 20;
const MOST_SHOWN = 1000;
const LONGEST_REASON = 500;

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('hosts’ subscriptions and their deliveries');
  addList(webhook);
  addDeliveries(webhook);
  addResend(webhook);
  addDisable(webhook);
  addEnable(webhook);
}

function addList(webhook: Command): void {
  webhook
    .command('list')
    .description('list subscriptions, with what waits and what was given up')
    .option('--host <id>', 'only this host’s', parse.id)
    .option('--json', 'print an array')
    .addHelpText('after', '\nExample:\n  hourkeep webhook list --host <id>')
    .action(async (options: { host?: string; json?: true }) => {
      const { all, inactive } = await withContext(async (ctx) => ({
        all: await webhooks.list(ctx, options.host),
        inactive: await hosts.deactivated(ctx.db),
      }));
      printList(
        options,
        all,
        [
          ['ID', (row) => row.id],
          ['HOST', (row) => row.host_id],
          ['ENVIRONMENT', (row) => row.environment],
          ['STATUS', (row) => (inactive.has(row.host_id) ? 'waits: host deactivated' : status(row))],
          ['PENDING', (row) => counted(row.pending)],
          ['FAILED', (row) => counted(row.failed)],
          ['LAST DELIVERED', (row) => row.last_delivered_at ?? 'never'],
          ['URL', (row) => row.url],
        ],
        'There are no webhooks.',
      );
    });
}

function status({ is_active, disabled_reason }: webhooks.Overview): string {
  if (is_active) return 'active';
  return `off: ${disabled_reason ?? 'by its host'}`;
}

function counted(count: number): string {
  return count < webhooks.MOST_COUNTED ? String(count) : `${count} or more`;
}

function addDeliveries(webhook: Command): void {
  webhook
    .command('deliveries')
    .description(
      'list deliveries of a subscription, newest first: what came back and when the next attempt is',
    )
    .argument('<id>', 'the subscription’s id, as webhook list shows it', parse.id)
    .addOption(new Option('--status <status>', 'only these').choices(DELIVERY_STATUSES))
    .option('--limit <count>', `how many, at most ${MOST_SHOWN}`, parse.countFrom(1, MOST_SHOWN), LIMIT)
    .option('--json', 'print an array')
    .addHelpText('after', `\nExample:\n  hourkeep webhook deliveries ${AN_ID} --status failed`)
    .action(async (id: string, options: { status?: webhooks.DeliveryStatus; limit: number; json?: true }) => {
      const { found, waitsUntil } = await withContext(async (ctx) => {
        const one = await webhooks.get(ctx, id);
        return {
          waitsUntil: await whatItWaitsFor(ctx, one),
          found: await webhooks.deliveries(ctx, one, options),
        };
      });
      printList(
        options,
        found,
        [
          ['EVENT', (row) => row.event_id],
          ['TYPE', (row) => row.type],
          ['STATUS', (row) => (row.status === 'failed' ? 'given up' : row.status)],
          ['ATTEMPTS', (row) => String(row.attempts)],
          ['LAST ATTEMPT', (row) => row.last_attempt_at ?? 'none'],
          ['WHAT CAME BACK', whatCameBack],
          ['NEXT ATTEMPT', (row) => nextAttempt(row, waitsUntil)],
          ['BOOKING', (row) => row.booking_id ?? ''],
          ['REQUEST', (row) => row.request_id ?? ''],
        ],
        'There are no such deliveries.',
      );
    });
}

async function whatItWaitsFor(ctx: Context, webhook: webhooks.Overview): Promise<string | undefined> {
  if (!webhook.is_active) return 'when it is enabled';
  if ((await hosts.deactivated(ctx.db)).has(webhook.host_id)) return 'when its host is activated';
  return (await webhooks.lacksKey(ctx, webhook))
    ? 'when its secret can be opened: see hourkeep doctor'
    : undefined;
}

export function whatCameBack({ error, response_status, last_attempt_at }: Delivery): string {
  if (last_attempt_at === null) return '';
  const words = error === null ? 'answered' : (IN_WORDS[error as AttemptError] ?? error);
  return response_status === null ? words : `${words} ${response_status}`;
}

const IN_WORDS: Record<AttemptError, string> = {
  unsuccessful_status: 'answered',
  redirect: 'redirects, which are not followed:',
  timeout: 'no complete answer within 15 seconds',
  connect_timeout: 'no connection within 5 seconds',
  connection_refused: 'refuses connections',
  connection_reset: 'breaks the connection off',
  unreachable: 'cannot be reached',
  dns_failure: 'its name has no address',
  blocked_address: 'its address is not public',
  tls_error: 'its certificate is wrong, expired or not trusted',
  invalid_response: 'does not speak HTTP',
  too_large: 'answers with endless headers',
  network_error: 'the network failed',
  aborted: 'broken off by us',
  internal_error: 'could not be sent: see the log',
};

function nextAttempt({ status, next_attempt_at }: Delivery, waitsUntil: string | undefined): string {
  if (status !== 'pending') return 'none';
  if (next_attempt_at === null) return 'under way';
  return waitsUntil ?? next_attempt_at;
}

interface ResendOptions {
  event?: string;
  failed?: true;
  since?: number;
  dryRun?: true;
  json?: true;
}

function addResend(webhook: Command): void {
  const resend: Command = webhook
    .command('resend')
    .description('send events again at once, each with the id that it had')
    .argument('<id>', 'the subscription’s id, as webhook list shows it', parse.id)
    .option('--event <id>', 'this one, also when it was given up or delivered', parse.id)
    .option('--failed', 'all that were given up')
    .option('--since <when>', 'with --failed: only events made since then: 7d, 12h, or a date', parse.since)
    .option('--dry-run', 'only tell how many it would be')
    .option('--json', 'print {queued}')
    .addHelpText(
      'after',
      `\nExamples:\n  hourkeep webhook resend ${AN_ID} --event <id>\n  hourkeep webhook resend ${AN_ID} --failed --since 2d`,
    )
    .action(async (id: string, options: ResendOptions) => {
      if ((options.event === undefined) === (options.failed === undefined))
        resend.error('error: give either --event or --failed');
      if (options.since !== undefined && options.failed === undefined)
        resend.error('error: --since goes with --failed');
      const queued = await queue(id, options);
      if (options.json) printJson({ queued });
      else if (options.event !== undefined && queued === 0) print('It is being sent at this moment.');
      else if (options.dryRun) print(`${deliveries(queued)} would be sent again.`);
      else if (queued === 0) print('There is nothing to send again.');
      else print(`${deliveries(queued)} will be sent again now.`);
    });
}

async function queue(id: string, { event, since = 0, ...options }: ResendOptions): Promise<number> {
  const dryRun = options.dryRun === true;
  return withContext(async (ctx) => {
    const webhook = await webhooks.get(ctx, id);
    if (event !== undefined) return webhooks.resendEvent(ctx, operator, webhook, event, { dryRun });
    return withProgress((show) => {
      const progress = (queued: number): void => show(`${queued} to be sent again`);
      return webhooks.resendFailed(ctx, operator, webhook, { since, dryRun, progress });
    });
  });
}

function deliveries(count: number): string {
  return count === 1 ? '1 delivery' : `${count} deliveries`;
}

function addDisable(webhook: Command): void {
  webhook
    .command('disable')
    .description('send nothing more to a subscription; its host cannot switch it on again')
    .argument('<id>', 'the subscription’s id, as webhook list shows it', parse.id)
    .requiredOption('--reason <text>', 'why, for the audit trail', parse.textUpTo(LONGEST_REASON))
    .option('--json', 'print the subscription as webhook list does')
    .addHelpText('after', `\nExample:\n  hourkeep webhook disable ${AN_ID} --reason "floods its own server"`)
    .action((id: string, options: { reason: string; json?: true }) =>
      withContext(async (ctx) => {
        const changed = await webhooks.disable(ctx, operator, id, options.reason);
        const webhook = await webhooks.get(ctx, id);
        if (options.json) printJson(webhook);
        else if (!changed) print(`${id} was disabled by an operator before; nothing has changed.`);
        else print(`Disabled ${id}. ${deliveries(webhook.pending)} wait until it is enabled.`);
      }),
    );
}

function addEnable(webhook: Command): void {
  webhook
    .command('enable')
    .description('switch a subscription on again, whoever or whatever switched it off')
    .argument('<id>', 'the subscription’s id, as webhook list shows it', parse.id)
    .option('--json', 'print the subscription as webhook list does')
    .addHelpText('after', `\nExample:\n  hourkeep webhook enable ${AN_ID}`)
    .action((id: string, options: { json?: true }) =>
      withContext(async (ctx) => {
        const changed = await webhooks.enable(ctx, operator, id);
        const webhook = await webhooks.get(ctx, id);
        if (options.json) printJson(webhook);
        else if (!changed) print(`${id} is active already.`);
        else print(`Enabled ${id}. ${deliveries(webhook.pending)} go out now.`);
      }),
    );
}
