import * as apiKeys from '../../src/api-keys/api-keys.ts';
import type { Owner } from '../../src/caller.ts';
import { SCOPES } from '../../src/ids/scopes.ts';
import { toRequest, type BookingRequest } from '../../src/bookings/fields.ts';
import type { Context } from '../../src/context.ts';
import { migrate } from '../../src/db/migrate.ts';
import * as hosts from '../../src/hosts/hosts.ts';
import * as spaces from '../../src/spaces/spaces.ts';
import { addDays, datesFrom as datesAfter } from '../../src/time/dates.ts';
import { openContext } from '../support/context.ts';
import { A_HOST, A_SPACE } from '../support/host-and-space.ts';
import type { Caller } from './work.ts';

export interface BenchHost extends Caller, Owner {
  /** Each opens the feed of the space in the same place. */
  readonly feedTokens: readonly string[];
}

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

/** Hosts with a key each and spaces that are always open: each with so many, or one after the other with these. */
export async function addHosts(
  ctx: Context,
  count: number,
  spacesEach: number | readonly number[],
): Promise<BenchHost[]> {
  // Without daylight saving time, which would skip an hour that is booked.
  const [now, environment, timezone] = [ctx.clock.now(), 'production', 'Asia/Seoul'] as const;
  return ctx.db.transaction(async (tx) => {
    const added: BenchHost[] = [];
    for (let i = 0; i < count; i++) {
      const host = await hosts.add(tx, now, { ...A_HOST, timezone, email: `host-${i}@example.com` });
      const hostId = host.id;
      const key = { hostId, environment, name: 'bench', scopes: SCOPES };
      const ids: string[] = [];
      const feedTokens: string[] = [];
      const wanted = typeof spacesEach === 'number' ? spacesEach : spacesEach[i]!;
      while (ids.length < wanted) {
        const space = await spaces.add(tx, now, { host, environment }, { ...A_SPACE, timezone });
        ids.push(space.id);
        feedTokens.push(space.icalToken);
      }
      added.push({ ...(await apiKeys.create(tx, now, key)), hostId, spaces: ids, feedTokens });
    }
    return added;
  });
}

/** Calendar dates from so many days after today on. */
export function datesFrom(firstDay: number, count: number): string[] {
  return datesAfter(addDays(new Date().toISOString().slice(0, 10), firstDay), count)!;
}

/** The mark makes it another guest's, with another key. */
export function bookingOf(
  hours: Pick<BookingRequest, 'space_id' | 'date' | 'start_hour' | 'end_hour'>,
  mark: string | number,
): BookingRequest {
  return toRequest({
    ...hours,
    guest_email: `guest-${mark}@example.com`,
    guest_name: 'Ada Miller',
    guest_phone: '+1 212 555 0142',
    idempotency_key: `order-${mark}`,
  });
}
