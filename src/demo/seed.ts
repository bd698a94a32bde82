import * as apiKeys from '../api-keys/api-keys.ts';
import { SCOPES, type Scope } from '../api-keys/scopes.ts';
import * as blocks from '../blocks/blocks.ts';
import * as calendars from '../calendars/calendars.ts';
import type { Tx } from '../db/database.ts';
import * as hosts from '../hosts/hosts.ts';
import * as hours from '../hours/hours.ts';
import type { Environment } from '../ids/api-key.ts';
import { DEFAULT_MILLIONTHS } from '../money/commission.ts';
import * as spaces from '../spaces/spaces.ts';
import { LAST_DATE } from '../time/dates.ts';
import { DAY_MS, HOUR_MS } from '../time/units.ts';
import { localDate } from '../time/zones.ts';
import { seedBookings, type Taken } from './seed-bookings.ts';

interface DemoSpace {
  id: string;
  title: string;
  environment: Environment;
  timezone: string;
  operating_hours: { start_hour: number; end_hour: number };
  is_active: boolean;
  ical_token: string;
}

interface DemoHost {
  id: string;
  name: string;
  email: string;
}

export interface DemoWorld {
  keys: { production: string; sandbox: string; revoked: string; read_only: string };
  host: DemoHost;
  spaces: DemoSpace[];
  other_host: DemoHost & { keys: { production: string }; spaces: DemoSpace[] };
}

/** Two hosts with a few months of life: no endpoint answers with an empty list. */
export async function seedDemo(tx: Tx, now: number, base: string): Promise<DemoWorld> {
  const host = await addHost(tx, now, {
    name: 'Harbor Light Studios',
    email: 'host@harborlight.example',
    timezone: 'America/New_York',
    currency: 'USD',
  });
  const riverside = await addSpace(tx, now, host.id, { ...RIVERSIDE, environment: 'production' });
  const loft = await addSpace(tx, now, host.id, { ...LOFT, environment: 'production' });
  const printShop = await addSpace(tx, now, host.id, { ...PRINT_SHOP, environment: 'production' });
  const sandbox = await addSpace(tx, now, host.id, {
    ...RIVERSIDE,
    title: 'Sandbox Studio',
    environment: 'sandbox',
  });
  const owner = { hostId: host.id };
  await seedBookings(tx, now, { ...owner, environment: 'production' }, [riverside, loft], 100);
  await seedBookings(tx, now, { ...owner, environment: 'sandbox' }, [sandbox], 10);
  await seedBlocks(tx, now, host.id, riverside, loft);

  const other = await addHost(tx, now, {
    name: 'Hangang Party Rooms',
    email: 'host@hangang.example',
    timezone: 'Asia/Seoul',
    currency: 'KRW',
  });
  const hangang = await addSpace(tx, now, other.id, { ...HANGANG, environment: 'production' });
  const theirs = { hostId: other.id, environment: 'production' } as const;
  const taken = await seedBookings(tx, now, theirs, [hangang], 60);
  await seedCalendar(tx, now, host.id, loft, spaces.icalUrl(base, hangang.id, hangang.ical_token), taken);

  const key = (hostId: string, environment: Environment, name: string, scopes: readonly Scope[] = SCOPES) =>
    apiKeys.create(tx, now, { hostId, environment, name, scopes, expiresAt: null });
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
    host,
    spaces: [riverside, loft, printShop, sandbox],
    other_host: {
      ...other,
      keys: { production: (await key(other.id, 'production', 'Demo of the other host')).key },
      spaces: [hangang],
    },
  };
}

async function addHost(
  tx: Tx,
  now: number,
  host: { name: string; email: string; timezone: string; currency: string },
): Promise<DemoHost> {
  const id = await hosts.add(tx, now, {
    ...host,
    commissionMillionths: DEFAULT_MILLIONTHS,
    settlementModes: hosts.SETTLEMENT_MODES,
    maxBookingValue: null,
  });
  return { id, name: host.name, email: host.email };
}

type SpaceTemplate = Omit<spaces.NewSpace, 'hostId' | 'environment'>;

async function addSpace(
  tx: Tx,
  now: number,
  hostId: string,
  space: SpaceTemplate & { environment: Environment },
): Promise<DemoSpace> {
  const { id, icalToken } = await spaces.add(tx, now, { ...space, hostId });
  return {
    id,
    title: space.title,
    environment: space.environment,
    timezone: space.timezone,
    operating_hours: { start_hour: space.openHour, end_hour: space.closeHour },
    is_active: space.isActive,
    ical_token: icalToken,
  };
}

/** In the next days: a cleaning and an evening off. */
async function seedBlocks(
  tx: Tx,
  now: number,
  hostId: string,
  riverside: DemoSpace,
  loft: DemoSpace,
): Promise<void> {
  const range = (space: DemoSpace, days: number, startHour: number, endHour: number) => ({
    hostId,
    spaceId: space.id,
    date: localDate(space.timezone, now + days * DAY_MS),
    startHour,
    endHour,
  });
  await blocks.place(tx, now, riverside, range(riverside, 2, 7, 9), 'Cleaning');
  await blocks.place(tx, now, loft, range(loft, 4, 20, 22), 'Evening off');
}

/**
 * An external calendar with the hours that its first poll will find, so that the poll changes nothing. It is not due
 * before the service knows its own address (demo.ts).
 */
async function seedCalendar(
  tx: Tx,
  now: number,
  hostId: string,
  space: DemoSpace,
  url: string,
  taken: readonly Taken[],
): Promise<void> {
  const { environment } = space;
  const id = await calendars.add(tx, now, { hostId, environment, id: space.id }, url);
  await calendars.move(tx, id, url, calendars.NEVER);
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

const COMMON = { cancellationNoticeHours: 0, isActive: true };

const RIVERSIDE: SpaceTemplate = {
  ...COMMON,
  title: 'Riverside Studio',
  categorySlug: 'studio',
  description: 'Daylight studio with a white cyclorama and a view of the river',
  address: '12 Wharf Street, Brooklyn, NY 11201',
  area: 'Brooklyn',
  pricePerHour: 4500,
  capacity: 12,
  timezone: 'America/New_York',
  openHour: 0,
  closeHour: 24,
  ratingHundredths: 480,
  reviewCount: 127,
  amenities: ['wifi', 'parking', 'backdrops'],
  photoUrls: ['https://images.example.com/riverside-1.jpg', 'https://images.example.com/riverside-2.jpg'],
};

const LOFT: SpaceTemplate = {
  ...COMMON,
  title: 'Loft Meeting Room',
  categorySlug: 'meeting-room',
  description: 'Quiet room for ten with a screen and a whiteboard',
  address: '88 Spring Street, New York, NY 10012',
  area: 'SoHo',
  pricePerHour: 3250,
  capacity: 10,
  timezone: 'America/New_York',
  openHour: 9,
  closeHour: 22,
  ratingHundredths: 465,
  reviewCount: 58,
  amenities: ['wifi', 'screen', 'whiteboard', 'coffee'],
  photoUrls: ['https://images.example.com/loft-1.jpg'],
};

const PRINT_SHOP: SpaceTemplate = {
  ...COMMON,
  title: 'Old Print Shop',
  categorySlug: 'event-space',
  description: null,
  address: '3 Foundry Lane, Jersey City, NJ 07302',
  area: 'Jersey City',
  pricePerHour: 6000,
  capacity: null,
  timezone: 'America/New_York',
  openHour: 8,
  closeHour: 20,
  ratingHundredths: 0,
  reviewCount: 0,
  isActive: false,
  amenities: [],
  photoUrls: [],
};

const HANGANG: SpaceTemplate = {
  ...COMMON,
  title: '한강 파티룸',
  categorySlug: 'party-room',
  description: '한강이 보이는 파티룸, 20명까지',
  address: '서울특별시 마포구 양화로 45',
  area: '마포구',
  pricePerHour: 35_000,
  capacity: 20,
  timezone: 'Asia/Seoul',
  openHour: 0,
  closeHour: 24,
  ratingHundredths: 490,
  reviewCount: 311,
  amenities: ['wifi', 'karaoke', 'kitchen'],
  photoUrls: ['https://images.example.com/hangang-1.jpg'],
};
