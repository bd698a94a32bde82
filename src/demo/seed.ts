import * as apiKeys from '../api-keys/api-keys.ts';
import { SCOPES, type Scope } from '../ids/scopes.ts';
import * as blocks from '../blocks/blocks.ts';
import * as calendars from '../calendars/calendars.ts';
import type { Tx } from '../db/database.ts';
import * as hosts from '../hosts/hosts.ts';
import * as hours from '../hours/hours.ts';
import { NO_RULES } from '../hours/schedule.ts';
import type { Environment } from '../ids/api-key.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { exampleListing, type SeededSpace } from '../spaces/fields.ts';
import * as spaces from '../spaces/spaces.ts';
import { LAST_DATE } from '../time/dates.ts';
import { DAY_MS, HOUR_MS } from '../time/units.ts';
import { WEEKDAYS, type WeeklyHours } from '../time/weekdays.ts';
import { localDate } from '../time/zones.ts';
import { seedBookings, type Taken } from './seed-bookings.ts';

/** What a developer needs to try every endpoint. */
export type DemoWorld = Awaited<ReturnType<typeof seedDemo>>;

type DemoSpace = Awaited<ReturnType<typeof addSpace>>;

/** Two hosts with a few months of life: no endpoint answers with an empty list. */
export async function seedDemo(tx: Tx, now: number, secrets: Secrets, base: string) {
  const host = await hosts.add(tx, now, {
    name: 'Harbor Light Studios',
    email: 'host@harborlight.example',
    timezone: 'America/New_York',
    currency: 'USD',
  });
  const riverside = await addSpace(tx, now, host, 'production', RIVERSIDE);
  const loft = await addSpace(tx, now, host, 'production', LOFT);
  const printShop = await addSpace(tx, now, host, 'production', PRINT_SHOP);
  const sandbox = await addSpace(tx, now, host, 'sandbox', { ...RIVERSIDE, title: 'Sandbox Studio' });
  const owner = { hostId: host.id };
  await seedBookings(tx, now, { ...owner, environment: 'production' }, [riverside, loft], 100);
  await seedBookings(tx, now, { ...owner, environment: 'sandbox' }, [sandbox], 10);
  const block = (space: DemoSpace, days: number, startHour: number, endHour: number, reason: string) => {
    const date = localDate(space.timezone, now + days * DAY_MS);
    const range = { hostId: host.id, spaceId: space.id, date, startHour, endHour };
    return blocks.writeBlock(tx, now, space, range, reason);
  };
  await block(riverside, 2, 7, 9, 'Cleaning');
  await block(loft, 4, 20, 22, 'Evening off');

  const other = await hosts.add(tx, now, {
    name: 'Hangang Party Rooms',
    email: 'host@hangang.example',
    timezone: 'Asia/Seoul',
    currency: 'KRW',
  });
  const hangang = await addSpace(tx, now, other, 'production', HANGANG);
  const theirs = { hostId: other.id, environment: 'production' } as const;
  const taken = await seedBookings(tx, now, theirs, [hangang], 60);
  const feed = spaces.icalUrl(base, hangang.id, hangang.ical_token);
  await seedCalendar(tx, now, secrets, host.id, loft, feed, taken);

  const key = (hostId: string, environment: Environment, name: string, scopes: readonly Scope[] = SCOPES) =>
    apiKeys.create(tx, now, { hostId, environment, name, scopes });
  const readScopes = SCOPES.filter((scope) => scope.endsWith(':read'));
  const revoked = await key(host.id, 'production', 'Demo, revoked');
  await apiKeys.revoke(tx, now, revoked.id);
  return {
    keys: {
      production: (await key(host.id, 'production', 'Demo')).key,
      sandbox: (await key(host.id, 'sandbox', 'Demo sandbox')).key,
      revoked: revoked.key,
      read_only: (await key(host.id, 'production', 'Demo, reads only', readScopes)).key,
    },
    host: named(host),
    spaces: [riverside, loft, printShop, sandbox],
    other_host: {
      ...named(other),
      keys: { production: (await key(other.id, 'production', 'Demo of the other host')).key },
      spaces: [hangang],
    },
  };
}

function named({ id, name, email }: hosts.HostRecord) {
  return { id, name, email };
}

async function addSpace(
  tx: Tx,
  now: number,
  host: hosts.HostRecord,
  environment: Environment,
  given: SeededSpace,
) {
  const { id, icalToken: ical_token } = await spaces.add(tx, now, { host, environment }, given);
  const { title, timezone, operating_hours, weekly_hours, is_active } = await spaces.showForOperator(tx, id);
  return { id, title, environment, timezone, operating_hours, weekly_hours, is_active, ical_token };
}

/**
 * An external calendar with the hours that its first poll will find, so that the poll changes nothing. It is not due
 * before the service knows its own address (demo.ts).
 */
async function seedCalendar(
  tx: Tx,
  now: number,
  secrets: Secrets,
  hostId: string,
  space: DemoSpace,
  url: string,
  taken: readonly Taken[],
): Promise<void> {
  const { environment } = space;
  const id = await calendars.add(tx, now, secrets, { hostId, environment, id: space.id }, url);
  await calendars.move(tx, secrets, { host_id: hostId, space_id: space.id, id }, url, calendars.NEVER);
  const yesterday = localDate(space.timezone, now - DAY_MS);
  const masks = new Map<string, number>();
  for (const { startsAt, endsAt } of taken) {
    for (let at = startsAt; at < endsAt; at += HOUR_MS) {
      const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(space.timezone);
      const date = local.toPlainDate().toString();
      if (date >= yesterday) masks.set(date, (masks.get(date) ?? 0) | (1 << local.hour));
    }
  }
  const range = { from: yesterday, to: LAST_DATE };
  await hours.replaceExternal(tx, { id, hostId, spaceId: space.id }, range, masks);
}

/** The space that the document shows, so that a new field has a value in the demo; without rules, so that every hour can be booked. */
const RIVERSIDE: SeededSpace = {
  ...exampleListing,
  description: 'Daylight studio with a white cyclorama and a view of the river',
  address: '12 Wharf Street, Brooklyn, NY 11201',
  booking_rules: NO_RULES,
  amenities: ['wifi', 'parking', 'backdrops'],
  photo_urls: ['https://images.example.com/riverside-1.jpg', 'https://images.example.com/riverside-2.jpg'],
};

const LOFT: SeededSpace = {
  title: 'Loft Meeting Room',
  category_slug: 'meeting-room',
  description: 'Quiet room for ten with a screen and a whiteboard',
  address: '88 Spring Street, New York, NY 10012',
  area: 'SoHo',
  price_per_hour: 32.5,
  capacity: 10,
  timezone: 'America/New_York',
  // Closed on Sundays, and open late on Saturdays.
  weekly_hours: {
    ...(Object.fromEntries(WEEKDAYS.map((day) => [day, { start_hour: 9, end_hour: 22 }])) as WeeklyHours),
    saturday: { start_hour: 12, end_hour: 22 },
    sunday: null,
  },
  booking_rules: { min_hours: 2, max_hours: 8, lead_hours: 1, horizon_days: 365 },
  rating: 4.65,
  review_count: 58,
  amenities: ['wifi', 'screen', 'whiteboard', 'coffee'],
  photo_urls: ['https://images.example.com/loft-1.jpg'],
};

const PRINT_SHOP: SeededSpace = {
  title: 'Old Print Shop',
  category_slug: 'event-space',
  address: '3 Foundry Lane, Jersey City, NJ 07302',
  area: 'Jersey City',
  price_per_hour: 60,
  timezone: 'America/New_York',
  operating_hours: { start_hour: 8, end_hour: 20 },
  is_active: false,
};

const HANGANG: SeededSpace = {
  title: '한강 파티룸',
  category_slug: 'party-room',
  description: '한강이 보이는 파티룸, 20명까지',
  address: '서울특별시 마포구 양화로 45',
  area: '마포구',
  price_per_hour: 35_000,
  capacity: 20,
  timezone: 'Asia/Seoul',
  rating: 4.9,
  review_count: 311,
  amenities: ['wifi', 'karaoke', 'kitchen'],
  photo_urls: ['https://images.example.com/hangang-1.jpg'],
};
