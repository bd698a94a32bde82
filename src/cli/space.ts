import { Option, type Command } from 'commander';
import * as audit from '../audit/audit.ts';
import { baseUrl } from '../config.ts';
import * as hosts from '../hosts/hosts.ts';
import type { Environment } from '../ids/api-key.ts';
import { SPACE_TEXT_LENGTHS } from '../spaces/text-lengths.ts';
import * as spaces from '../spaces/spaces.ts';
import * as parse from './options.ts';
import { printFields, printJson, printList } from './output.ts';
import { operator, withContext } from './run.ts';

interface AddOptions {
  host: string;
  title: string;
  price: number;
  env: Environment;
  timezone?: string;
  hours: { start: number; end: number };
  category: string;
  description?: string;
  address: string;
  area: string;
  capacity?: number;
  cancellationNotice: number;
  amenities: string[];
  photos: string[];
  inactive?: true;
  json?: true;
}

export function addSpaceCommands(program: Command): void {
  const space = program.command('space').description('what hosts rent out');

  space
    .command('add')
    .description('add a space to a host')
    .requiredOption('--host <id>', 'whose it is', parse.id)
    .requiredOption('--title <title>', 'as guests see it', parse.textUpTo(SPACE_TEXT_LENGTHS.title))
    .requiredOption('--price <amount>', 'per hour, in the host’s currency', parse.amount)
    .option('--env <environment>', 'production or sandbox', parse.environment, 'production')
    .option('--timezone <zone>', 'IANA name (default: the host’s)', parse.timezone)
    .addOption(
      new Option('--hours <from-to>', 'operating hours')
        .argParser(parse.hourRange)
        .default({ start: 0, end: 24 }, '0-24'),
    )
    .option(
      '--category <slug>',
      'such as studio or meeting-room',
      parse.textUpTo(SPACE_TEXT_LENGTHS.categorySlug),
      'space',
    )
    .option('--description <text>', 'a few sentences', parse.textUpTo(SPACE_TEXT_LENGTHS.description))
    .option('--address <address>', 'street and town', parse.upTo(SPACE_TEXT_LENGTHS.address), '')
    .option('--area <area>', 'the neighbourhood', parse.upTo(SPACE_TEXT_LENGTHS.area), '')
    .option('--capacity <people>', 'how many fit in', parse.count)
    .option('--cancellation-notice <hours>', 'latest cancellation before the start', parse.count, 0)
    .option(
      '--amenities <list>',
      'comma-separated',
      parse.listUpTo(SPACE_TEXT_LENGTHS.entries, SPACE_TEXT_LENGTHS.amenity),
      [],
    )
    .option(
      '--photos <urls>',
      'comma-separated',
      parse.listUpTo(SPACE_TEXT_LENGTHS.entries, SPACE_TEXT_LENGTHS.photoUrl),
      [],
    )
    .option('--inactive', 'takes no bookings yet')
    .option('--json', 'print {id, ical_token, ical_url, …}')
    .addHelpText(
      'after',
      '\nExample:\n  hourkeep space add --host <id> --title "Riverside Studio" --price 45 --hours 9-22 --capacity 12',
    )
    .action((options: AddOptions) =>
      withContext(async (ctx) => {
        const host = await hosts.get(ctx.db, options.host);
        const pricePerHour = parse.minorUnits(options.price, host.currency);
        const { id, icalToken } = await ctx.db.transaction(async (tx) => {
          const now = ctx.clock.now();
          const timezone = options.timezone ?? host.timezone;
          const space = { ...newSpace(options), pricePerHour, timezone };
          const added = await spaces.add(tx, now, space);
          const { hostId, environment } = space;
          await audit.record(tx, now, operator, {
            action: 'space.added',
            hostId,
            environment,
            subject: added.id,
          });
          return added;
        });
        const url = spaces.icalUrl(baseUrl(ctx.config), id, icalToken);
        if (options.json)
          printJson({
            id,
            title: options.title,
            environment: options.env,
            ical_token: icalToken,
            ical_url: url,
          });
        else
          printFields([
            ['Added space', id],
            ['iCal feed', `${url}  (shown once)`],
          ]);
      }),
    );

  space
    .command('list')
    .description('list spaces')
    .option('--host <id>', 'only this host’s', parse.id)
    .option('--json', 'print an array')
    .addHelpText('after', '\nExample:\n  hourkeep space list --host <id>')
    .action(async (options: { host?: string; json?: true }) => {
      const all = await withContext((ctx) => spaces.listForOperator(ctx, options.host));
      printList(
        options,
        all,
        [
          ['ID', (row) => row.id],
          ['TITLE', (row) => row.title],
          ['HOST', (row) => row.host_name],
          ['ENVIRONMENT', (row) => row.environment],
          ['PRICE', (row) => `${row.price_per_hour} ${row.currency}`],
          ['OPEN', (row) => `${row.operating_hours.start_hour}-${row.operating_hours.end_hour}`],
          ['TIMEZONE', (row) => row.timezone],
          ['ACTIVE', (row) => (row.is_active ? 'yes' : 'no')],
        ],
        'There are no spaces yet: hourkeep space add --help',
      );
    });
}

function newSpace(options: AddOptions): Omit<spaces.NewSpace, 'pricePerHour' | 'timezone'> {
  return {
    hostId: options.host,
    environment: options.env,
    title: options.title,
    categorySlug: options.category,
    description: options.description ?? null,
    address: options.address,
    area: options.area,
    capacity: options.capacity ?? null,
    openHour: options.hours.start,
    closeHour: options.hours.end,
    cancellationNoticeHours: options.cancellationNotice,
    ratingHundredths: 0,
    reviewCount: 0,
    isActive: options.inactive !== true,
    amenities: options.amenities,
    photoUrls: options.photos,
  };
}
