import { Option, type Command } from 'commander';
import * as audit from '../audit/audit.ts';
import { baseUrl } from '../config.ts';
import * as hosts from '../hosts/hosts.ts';
import type { Environment } from '../ids/api-key.ts';
import { SPACE_TEXT_LENGTHS } from '../spaces/text-lengths.ts';
import * as spaces from '../spaces/spaces.ts';
import type { SpaceChanges } from '../spaces/listing.ts';
import { update } from '../spaces/update.ts';
import * as parse from './options.ts';
import { printFields, printJson, printList } from './output.ts';
import { operator, withContext } from './run.ts';

interface Fields {
  title: string;
  price: number;
  timezone: string;
  hours: { start: number; end: number };
  category: string;
  description: string;
  address: string;
  area: string;
  capacity: number;
  cancellationNotice: number;
  amenities: string[];
  photos: string[];
}

type Optional = 'timezone' | 'description' | 'capacity';

interface AddOptions extends Omit<Fields, Optional>, Partial<Pick<Fields, Optional>> {
  host: string;
  env: Environment;
  inactive?: true;
  json?: true;
}

/** False: emptied with --no-…. */
type Emptied = 'description' | 'capacity' | 'amenities' | 'photos';

interface UpdateOptions extends Partial<Omit<Fields, Emptied>> {
  description?: string | false;
  capacity?: number | false;
  amenities?: string[] | false;
  photos?: string[] | false;
  active?: true;
  inactive?: true;
  json?: true;
}

const LONGEST = SPACE_TEXT_LENGTHS;
const TITLE = ['--title <title>', 'as guests see it', parse.textUpTo(LONGEST.title)] as const;
const PRICE = ['--price <amount>', 'per hour, in the host’s currency', parse.amount] as const;
const HOURS = ['--hours <from-to>', 'operating hours'] as const;
const CATEGORY = [
  '--category <slug>',
  'such as studio or meeting-room',
  parse.textUpTo(LONGEST.categorySlug),
] as const;
const DESCRIPTION = ['--description <text>', 'a few sentences', parse.textUpTo(LONGEST.description)] as const;
const ADDRESS = ['--address <address>', 'street and town', parse.upTo(LONGEST.address)] as const;
const AREA = ['--area <area>', 'the neighbourhood', parse.upTo(LONGEST.area)] as const;
const CAPACITY = ['--capacity <people>', 'how many fit in', parse.count] as const;
const NOTICE = [
  '--cancellation-notice <hours>',
  'latest cancellation before the start',
  parse.count,
] as const;
const AMENITIES = [
  '--amenities <list>',
  'comma-separated',
  parse.listUpTo(LONGEST.entries, LONGEST.amenity),
] as const;
const PHOTOS = [
  '--photos <urls>',
  'comma-separated',
  parse.listUpTo(LONGEST.entries, LONGEST.photoUrl),
] as const;

export function addSpaceCommands(program: Command): void {
  const space = program.command('space').description('what hosts rent out');

  space
    .command('add')
    .description('add a space to a host')
    .requiredOption('--host <id>', 'whose it is', parse.id)
    .requiredOption(...TITLE)
    .requiredOption(...PRICE)
    .option('--env <environment>', 'production or sandbox', parse.environment, 'production')
    .option('--timezone <zone>', 'IANA name (default: the host’s)', parse.timezone)
    .addOption(new Option(...HOURS).argParser(parse.hourRange).default({ start: 0, end: 24 }, '0-24'))
    .option(...CATEGORY, 'space')
    .option(...DESCRIPTION)
    .option(...ADDRESS, '')
    .option(...AREA, '')
    .option(...CAPACITY)
    .option(...NOTICE, 0)
    .option(...AMENITIES, [])
    .option(...PHOTOS, [])
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

  space
    .command('show')
    .description('show a space')
    .argument('<id>', 'the space’s id, as space list shows it', parse.id)
    .option('--json', 'print the space')
    .addHelpText('after', '\nExample:\n  hourkeep space show <id>')
    .action(async (id: string, options: { json?: true }) =>
      printSpace(options, await withContext((ctx) => spaces.showForOperator(ctx.db, id))),
    );

  space
    .command('update')
    .description('change fields of a space; the others, and all bookings, stay as they are')
    .argument('<id>', 'the space’s id, as space list shows it', parse.id)
    .option(...TITLE)
    .option(...PRICE)
    .option('--timezone <zone>', 'IANA name; only while nothing lies ahead', parse.timezone)
    .option(...HOURS, parse.hourRange)
    .option(...CATEGORY)
    .option(...DESCRIPTION)
    .option('--no-description', 'no description')
    .option(...ADDRESS)
    .option(...AREA)
    .option(...CAPACITY)
    .option('--no-capacity', 'not known how many fit in')
    .option(...NOTICE)
    .option(...AMENITIES)
    .option('--no-amenities', 'no amenities')
    .option(...PHOTOS)
    .option('--no-photos', 'no photos')
    .option('--active', 'takes bookings')
    .addOption(new Option('--inactive', 'takes no bookings; those it has stay').conflicts('active'))
    .option('--json', 'print the space')
    .addHelpText('after', '\nExample:\n  hourkeep space update <id> --price 52.50 --hours 8-23')
    .action(async (id: string, options: UpdateOptions, command: Command) => {
      parse.someChange(options, command);
      const changed = await withContext(async (ctx) => {
        const { currency } = await spaces.showForOperator(ctx.db, id);
        return update(ctx, operator, id, toChanges(options, currency));
      });
      printSpace(options, changed);
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

function toChanges(options: UpdateOptions, currency: string): SpaceChanges {
  const { price, hours, description, capacity, amenities, photos, active, inactive } = options;
  return {
    title: options.title,
    categorySlug: options.category,
    description: description === false ? null : description,
    address: options.address,
    area: options.area,
    pricePerHour: price === undefined ? undefined : parse.minorUnits(price, currency),
    capacity: capacity === false ? null : capacity,
    timezone: options.timezone,
    openHour: hours?.start,
    closeHour: hours?.end,
    cancellationNoticeHours: options.cancellationNotice,
    isActive: inactive ? false : active,
    amenities: amenities === false ? [] : amenities,
    photoUrls: photos === false ? [] : photos,
  };
}

function printSpace(options: { json?: true }, space: spaces.OperatorSpace): void {
  if (options.json) {
    printJson(space);
    return;
  }
  const { start_hour: opens, end_hour: closes } = space.operating_hours;
  printFields([
    ['Space', space.id],
    ['Title', space.title],
    ['Host', `${space.host_name} (${space.host_id})`],
    ['Environment', space.environment],
    ['Price', `${space.price_per_hour} ${space.currency} an hour`],
    ['Open', `${opens}-${closes}`],
    ['Timezone', space.timezone],
    ['Cancellation notice', `${space.cancellation_notice_hours} hours`],
    ['Category', space.category_slug],
    ['Description', space.description ?? ''],
    ['Address', space.address],
    ['Area', space.area],
    ['Capacity', space.capacity === null ? 'not known' : String(space.capacity)],
    ['Amenities', space.amenities.join(', ')],
    ['Photos', space.photo_urls.join(', ')],
    ['Active', space.is_active ? 'yes' : 'no'],
  ]);
}
