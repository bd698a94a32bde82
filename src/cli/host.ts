import { Option, type Command } from 'commander';
import * as audit from '../audit/audit.ts';
import * as hosts from '../hosts/hosts.ts';
import { DEFAULT_MILLIONTHS, millionthsToRate } from '../money/commission.ts';
import * as parse from './options.ts';
import { print, printJson, printList } from './output.ts';
import { operator, withContext } from './run.ts';

interface AddOptions {
  name: string;
  email: string;
  timezone: string;
  currency: string;
  commission: number;
  settlementModes: hosts.SettlementMode[];
  maxBookingValue?: number;
  json?: true;
}

export function addHostCommands(program: Command): void {
  const host = program.command('host').description('accounts that own spaces');

  host
    .command('add')
    .description('add a host')
    .requiredOption('--name <name>', 'as the operator knows them', parse.text)
    .requiredOption('--email <email>', 'nobody books their own space with it', parse.email)
    .requiredOption('--timezone <zone>', 'IANA name; decides which month it is in reports', parse.timezone)
    .requiredOption('--currency <code>', 'ISO 4217; all their prices are in it', parse.currency)
    .addOption(
      new Option('--commission <rate>', 'the platform’s share')
        .argParser(parse.commission)
        .default(DEFAULT_MILLIONTHS, String(millionthsToRate(DEFAULT_MILLIONTHS))),
    )
    .option('--settlement-modes <list>', 'which modes bookings may use', parse.settlementModes, [
      ...hosts.SETTLEMENT_MODES,
    ])
    .option('--max-booking-value <amount>', 'most expensive booking, in major units', parse.amount)
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
          ['COMMISSION', (row) => `${(row.commission_rate * 100).toFixed(2)} %`],
        ],
        'There are no hosts yet: hourkeep host add --help',
      );
    });
}
