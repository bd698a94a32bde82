import { Option, type Command } from 'commander';
import * as audit from '../audit/audit.ts';
import * as hosts from '../hosts/hosts.ts';
import { setActive, update, type HostChanges } from '../hosts/update.ts';
import { DEFAULT_MILLIONTHS, millionthsToRate } from '../money/commission.ts';
import * as parse from './options.ts';
import { print, printFields, printJson, printList } from './output.ts';
import { operator, withContext } from './run.ts';

interface Fields {
  name: string;
  email: string;
  timezone: string;
  currency: string;
  commission: number;
  settlementModes: hosts.SettlementMode[];
}

interface AddOptions extends Fields {
  maxBookingValue?: number;
  json?: true;
}

interface UpdateOptions extends Partial<Fields> {
  /** False: none of its own. */
  maxBookingValue?: number | false;
  json?: true;
}

const NAME = ['--name <name>', 'as the operator knows them', parse.text] as const;
const EMAIL = ['--email <email>', 'nobody books their own space with it', parse.email] as const;
const TIMEZONE = [
  '--timezone <zone>',
  'IANA name; decides which month it is in reports',
  parse.timezone,
] as const;
const COMMISSION = ['--commission <rate>', 'the platform’s share'] as const;
const MODES = ['--settlement-modes <list>', 'which modes bookings may use', parse.settlementModes] as const;
const MAXIMUM = [
  '--max-booking-value <amount>',
  'most expensive booking, in major units',
  parse.amount,
] as const;

export function addHostCommands(program: Command): void {
  const host = program.command('host').description('accounts that own spaces');

  host
    .command('add')
    .description('add a host')
    .requiredOption(...NAME)
    .requiredOption(...EMAIL)
    .requiredOption(...TIMEZONE)
    .requiredOption('--currency <code>', 'ISO 4217; all their prices are in it', parse.currency)
    .addOption(
      new Option(...COMMISSION)
        .argParser(parse.commission)
        .default(DEFAULT_MILLIONTHS, String(millionthsToRate(DEFAULT_MILLIONTHS))),
    )
    .option(...MODES, [...hosts.SETTLEMENT_MODES])
    .option(...MAXIMUM)
    .option('--json', 'print {id, …}')
    .addHelpText(
      'after',
      '\nExample:\n  hourkeep host add --name "Harbor Light" --email host@example.com --timezone America/New_York --currency USD',
    )
    .action(async (options: AddOptions) => {
      const { maxBookingValue: most } = options;
      const maxBookingValue = most === undefined ? null : parse.minorUnits(most, options.currency);
      const id = await withContext((ctx) =>
        ctx.db.transaction(async (tx) => {
          const now = ctx.clock.now();
          const hostId = await hosts.add(tx, now, {
            name: options.name,
            email: options.email,
            timezone: options.timezone,
            currency: options.currency,
            commissionMillionths: options.commission,
            settlementModes: options.settlementModes,
            maxBookingValue,
          });
          const subject = { hostId, environment: null, subject: hostId };
          await audit.record(tx, now, operator, { action: 'host.added', ...subject });
          return hostId;
        }),
      );
      if (options.json) printJson({ id, name: options.name, email: options.email });
      else print(`Added host ${options.name}: ${id}`);
    });

  host
    .command('list')
    .description('list all hosts')
    .option('--json', 'print an array')
    .addHelpText('after', '\nExample:\n  hourkeep host list')
    .action(async (options: { json?: true }) => {
      const all = await withContext((ctx) => hosts.list(ctx.db));
      printList(
        options,
        all,
        [
          ['ID', (row) => row.id],
          ['NAME', (row) => row.name],
          ['EMAIL', (row) => row.email],
          ['TIMEZONE', (row) => row.timezone],
          ['CURRENCY', (row) => row.currency],
          ['COMMISSION', commissionOf],
          ['ACTIVE', activeOf],
        ],
        'There are no hosts yet: hourkeep host add --help',
      );
    });

  host
    .command('show')
    .description('show a host')
    .argument('<id>', 'the host’s id, as host list shows it', parse.id)
    .option('--json', 'print the host')
    .addHelpText('after', '\nExample:\n  hourkeep host show <id>')
    .action(async (id: string, options: { json?: true }) =>
      printHost(options, await withContext((ctx) => hosts.show(ctx.db, id))),
    );

  host
    .command('update')
    .description('change fields of a host; the others stay as they are')
    .argument('<id>', 'the host’s id, as host list shows it', parse.id)
    .option(...NAME)
    .option(...EMAIL)
    .option(...TIMEZONE)
    .option('--currency <code>', 'ISO 4217; only while the host has no bookings', parse.currency)
    .option(...COMMISSION, parse.commission)
    .option(...MODES)
    .option(...MAXIMUM)
    .option('--no-max-booking-value', 'the maximum of the setting BOOKING_MAX_VALUE')
    .option('--json', 'print the host')
    .addHelpText('after', '\nExample:\n  hourkeep host update <id> --email new@example.com --commission 0.12')
    .action(async (id: string, options: UpdateOptions, command: Command) => {
      parse.someChange(options, command);
      const changed = await withContext(async (ctx) => {
        const { currency } = await hosts.get(ctx.db, id);
        return update(ctx, operator, id, toChanges(options, currency));
      });
      printHost(options, changed);
    });

  host
    .command('export')
    .description('print everything that is kept about a host, its guests too, as one JSON value')
    .argument('<id>', 'the host’s id, as host list shows it', parse.id)
    .option('--json', 'changes nothing: it is always JSON')
    .addHelpText('after', '\nExample:\n  hourkeep host export <id> > host.json')
    .action(async (id: string) => {
      const { exportHost } = await import('../hosts/export.ts');
      printJson(await withContext((ctx) => exportHost(ctx, operator, id)));
    });

  const activation = (name: 'deactivate' | 'activate', description: string, done: string) =>
    host
      .command(name)
      .description(description)
      .argument('<id>', 'the host’s id, as host list shows it', parse.id)
      .option('--json', 'print the host')
      .addHelpText('after', `\nExample:\n  hourkeep host ${name} <id>`)
      .action(async (id: string, options: { json?: true }) => {
        const result = await withContext((ctx) => setActive(ctx, operator, id, name === 'activate'));
        if (options.json) printJson(result.host);
        else print(`${result.host.name} ${result.repeated ? 'was already' : 'is'} ${done}`);
      });
  activation(
    'deactivate',
    'refuse a host’s keys and feeds from the next request on; calendars and webhooks wait',
    'deactivated: keys and feeds are refused, calendars are not polled, webhook deliveries wait.',
  );
  activation('activate', 'let a deactivated host go on', 'active: keys and feeds work, what waited goes on.');
}

function toChanges(options: UpdateOptions, presentCurrency: string): HostChanges {
  const { name, email, timezone, currency, commission, settlementModes, maxBookingValue: most } = options;
  const maximum = typeof most === 'number' ? parse.minorUnits(most, currency ?? presentCurrency) : undefined;
  return {
    name,
    email,
    timezone,
    currency,
    commissionMillionths: commission,
    settlementModes,
    maxBookingValue: most === false ? null : maximum,
  };
}

function printHost(options: { json?: true }, host: hosts.HostRecord): void {
  if (options.json) {
    printJson(host);
    return;
  }
  const { max_booking_value: most } = host;
  printFields([
    ['Host', host.id],
    ['Name', host.name],
    ['Email', host.email],
    ['Timezone', host.timezone],
    ['Currency', host.currency],
    ['Commission', commissionOf(host)],
    ['Settlement modes', host.settlement_modes.join(', ')],
    ['Maximum', most === null ? 'as BOOKING_MAX_VALUE says' : `${most} ${host.currency}`],
    ['Since', host.created_at],
    ['Active', activeOf(host)],
  ]);
}

function commissionOf(host: hosts.HostRecord): string {
  return `${(host.commission_rate * 100).toFixed(2)} %`;
}

function activeOf(host: hosts.HostRecord): string {
  return host.deactivated_at === null ? 'yes' : `no, since ${host.deactivated_at}`;
}
