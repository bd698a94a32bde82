import { enterAsItStands } from '../bookings/create.ts';
import { exampleBooking, KEPT_BY_MOVES, toRequest } from '../bookings/fields.ts';
import type { Tx } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';
import { localDay } from '../time/local-day.ts';
import { weekdayOf, type WeeklyHours } from '../time/weekdays.ts';
import { localDate } from '../time/zones.ts';
import { DAY_MS } from '../time/units.ts';

const FURTHEST_DAYS = 21;
const GUESTS = [
  'Ada Miller',
  'Ben Okafor',
  'Chiara Rossi',
  'Dae-jung Lee',
  'Elif Kaya',
  'Femi Adeyemi',
  'Greta Lind',
];

/** The document's values for what a caller may add to a booking: a field that is not named below has them. */
const OWN_EXAMPLES = Object.fromEntries(KEPT_BY_MOVES.map((name) => [name, exampleBooking[name]]));

interface SpaceToBook {
  readonly id: string;
  readonly timezone: string;
  readonly weekly_hours: WeeklyHours | null;
}

/** The instants between which a space is taken. */
export interface Taken {
  readonly startsAt: number;
  readonly endsAt: number;
}

/**
 * A booking every other day or so, from `daysBack` ago to three weeks ahead, of both sources and modes, paid
 * and unpaid, some cancelled. The same pattern every time: only the dates move with the day of the seed. Answers with
 * the times that are taken now.
 */
export async function seedBookings(
  tx: Tx,
  now: number,
  owner: { hostId: string; environment: Environment },
  spaces: readonly SpaceToBook[],
  daysBack: number,
): Promise<Taken[]> {
  const taken: Taken[] = [];
  let n = 0;
  for (const space of spaces) {
    for (let day = -daysBack; day <= FURTHEST_DAYS; day++) {
      if ((day + daysBack) % 2 === spaces.indexOf(space) % 2)
        taken.push(...(await seedOne(tx, now, owner, space, day, n++)));
    }
  }
  return taken;
}

async function seedOne(
  tx: Tx,
  now: number,
  owner: { hostId: string; environment: Environment },
  space: SpaceToBook,
  day: number,
  n: number,
): Promise<Taken[]> {
  const date = localDate(space.timezone, now + day * DAY_MS);
  if (space.weekly_hours?.[weekdayOf(date)] === null) return [];
  const startHour = 13 + (n % 5);
  const endHour = startHour + 1 + (n % 3);
  const guest = GUESTS[n % GUESTS.length]!;
  const source = n % 4 === 3 ? 'platform' : 'api';
  const settlementMode = n % 3 === 1 ? 'platform_settled' : 'host_settled';
  const local = localDay(space.timezone, date);
  const startsAt = local.startsAt[startHour]!;
  const endsAt = local.endsAt[endHour - 1]!;
  const status = n % 9 === 4 ? 'cancelled' : endsAt <= now ? 'completed' : 'confirmed';
  const createdAt = Math.min(now, endsAt) - (1 + (n % 12)) * DAY_MS;
  const paid = status === 'completed' || n % 2 === 0;
  await enterAsItStands(
    tx,
    owner,
    toRequest({
      ...(n % 5 === 1 && OWN_EXAMPLES),
      space_id: space.id,
      date,
      start_hour: startHour,
      end_hour: endHour,
      guest_email: `${guest.toLowerCase().replaceAll(' ', '.')}@example.com`,
      guest_name: guest,
      guest_phone: n % 2 === 0 ? `+1 212 555 01${String(n % 100).padStart(2, '0')}` : null,
      settlement_mode: settlementMode,
      reference: n % 3 === 0 ? `PMS-${20_000 + n}` : null,
      notes: n % 7 === 2 ? 'Needs a second table.\nArrives with a van.' : null,
      guest_count: n % 2 === 0 ? 1 + (n % 6) : null,
      walk_in: status === 'completed' && n % 11 === 5,
      idempotency_key: source === 'api' ? `demo-${space.id}-${n}` : null,
    }),
    {
      source,
      status,
      payment_status: settlementMode === 'host_settled' ? 'host_collected' : paid ? 'confirmed' : 'pending',
      paid_at: settlementMode === 'platform_settled' && paid ? createdAt : null,
      cancellation_reason: status === 'cancelled' ? 'Guest changed their plans' : null,
      created_at: createdAt,
      updated_at: status === 'completed' ? endsAt : createdAt,
    },
  );
  return status === 'cancelled' ? [] : [{ startsAt, endsAt }];
}
