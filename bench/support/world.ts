import * as apiKeys from '../../src/api-keys/api-keys.ts';
import { SCOPES } from '../../src/api-keys/scopes.ts';
import type { Context } from '../../src/context.ts';
import { write, type Tx } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { EventOwner } from '../../src/events/events.ts';
import * as hosts from '../../src/hosts/hosts.ts';
import { hashIcalToken } from '../../src/spaces/ical-token.ts';
import * as spaces from '../../src/spaces/spaces.ts';
import { openContext } from '../../test/support/context.ts';
import type { Caller } from './work.ts';

/** Hosts of a database, in the order in which their spaces are numbered. */
export interface BenchHost extends Caller, EventOwner {}

/** Opens a database as the service would, for as long as the work takes. */
export async function withDatabase<T>(url: string, work: (ctx: Context) => Promise<T>): Promise<T> {
  const ctx = openContext({ DATABASE_URL: url, GUEST_VELOCITY_MAX: '1000000' });
  try {
    await migrate(ctx.db, ctx.clock);
    return await work(ctx);
  } finally {
    await ctx.db.close();
  }
}

/** Hosts with a key each and spaces that are always open, whose ids are numbers that SQL can compute too. */
export async function addHosts(ctx: Context, count: number, spacesEach: number): Promise<BenchHost[]> {
  const now = ctx.clock.now();
  return ctx.db.transaction(async (tx) => {
    const added: BenchHost[] = [];
    for (let host = 0; host < count; host++) {
      const hostId = await hosts.add(tx, now, { ...A_HOST, email: `host-${host}@example.com` });
      const { key } = await apiKeys.create(tx, now, { ...A_KEY, hostId });
      const numbers = Array.from({ length: spacesEach }, (_, i) => host * spacesEach + i);
      for (const number of numbers) {
        const { id } = await spaces.add(tx, now, { ...A_SPACE, hostId });
        await renumber(tx, hostId, id, spaceId(number));
      }
      added.push({ hostId, environment: A_KEY.environment, key, spaces: numbers.map(spaceId) });
    }
    return added;
  });
}

/** Opens the feeds of all spaces. */
export const FEED_TOKEN = '00000000-0000-7000-8000-000000000000';

export const SPACE_ID_PREFIX = '00000000-0000-7000-8000-';

function spaceId(number: number): string {
  return SPACE_ID_PREFIX + String(number).padStart(12, '0');
}

const DAY_MS = 86_400_000;

/** Calendar dates from so many days after today on. */
export function datesFrom(firstDay: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    new Date(Date.now() + (firstDay + i) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The feed refers to the space, so it goes first and comes back last. */
async function renumber(tx: Tx, hostId: string, from: string, to: string): Promise<void> {
  await tx.run(deleteFeed, [from]);
  await tx.run(renumberSpace, [hostId, from, to]);
  await tx.run(insertFeed, [hostId, to, hashIcalToken(FEED_TOKEN)]);
}

const deleteFeed = write('delete from feeds where space_id = $1');
const renumberSpace = write('update spaces set id = $3 where host_id = $1 and id = $2');
const insertFeed = write(`
  insert into feeds (host_id, environment, space_id, token_hash) values ($1, 'production', $2, $3)`);

const A_HOST: Omit<hosts.NewHost, 'email'> = {
  name: 'Bench Host',
  timezone: 'Asia/Seoul',
  currency: 'USD',
  commissionMillionths: 100_000,
  settlementModes: hosts.SETTLEMENT_MODES,
  maxBookingValue: null,
};

const A_KEY: Omit<apiKeys.NewKey, 'hostId'> = {
  environment: 'production',
  name: 'bench',
  scopes: SCOPES,
  expiresAt: null,
};

const A_SPACE: Omit<spaces.NewSpace, 'hostId'> = {
  environment: 'production',
  title: 'Bench Space',
  categorySlug: 'studio',
  description: null,
  address: '1 Bench Street',
  area: 'Benchville',
  pricePerHour: 4500,
  capacity: 8,
  timezone: 'Asia/Seoul',
  openHour: 0,
  closeHour: 24,
  cancellationNoticeHours: 0,
  ratingHundredths: 450,
  reviewCount: 3,
  isActive: true,
  amenities: ['wifi'],
  photoUrls: [],
};
