import type { QueryClient } from '@tanstack/react-query';
import type {
  Availability,
  BlockedDays,
  Booking,
  CreateBooking,
  Space,
  UpdateListing,
  Webhook,
} from '@hourkeep/client';
import { write } from './calls.ts';
import { runsOf, type Range } from './calendar/cells.ts';
import type { CivilDate, Weekday } from './dates.ts';
import { byTime, dayKey, type BookingRange } from './queries.ts';

// Each change shows at once and is put right when the API says no.

export interface Hours {
  spaceId: string;
  date: CivilDate;
  start_hour: number;
  end_hour: number;
}

export async function book(queries: QueryClient, input: CreateBooking): Promise<Booking> {
  const hours = { ...input, spaceId: input.space_id };
  const booking = await optimistically(queries, hours, hold(hours, 'booked'), () =>
    write((hk) => hk.bookings.create(input)),
  );
  rememberBooking(queries, booking);
  return booking;
}

export async function cancel(queries: QueryClient, booking: Booking, reason: string): Promise<Booking> {
  const hours = { ...booking, spaceId: booking.space_id };
  const cancelled = await optimistically(queries, hours, free(hours), () =>
    write((hk) => hk.bookings.cancel(booking.id, { reason })),
  );
  rememberBooking(queries, cancelled);
  // Whether a free hour can be booked is for the API to say.
  void queries.invalidateQueries({ queryKey: dayKey(hours.spaceId, hours.date) });
  return cancelled;
}

/** In one step; nobody else gets an hour of either meanwhile. */
export async function move(queries: QueryClient, old: Booking, to: Hours, key: string): Promise<Booking> {
  const from = { ...old, spaceId: old.space_id };
  const { spaceId, ...range } = to;
  const moved = await optimistically(queries, from, free(from), () =>
    optimistically(queries, to, hold(to, 'booked'), () =>
      write((hk) => hk.bookings.move(old.id, { space_id: spaceId, ...range, idempotency_key: key })),
    ),
  );
  const { id, created_at } = moved;
  const gone = { status: 'cancelled', cancellation_reason: 'Moved', cancelled_at: created_at } as const;
  rememberBooking(queries, { ...old, ...gone, replaced_by: id });
  rememberBooking(queries, moved);
  for (const { spaceId: space, date } of [from, to]) {
    void queries.invalidateQueries({ queryKey: dayKey(space, date) });
  }
  return moved;
}

export async function block(queries: QueryClient, hours: Hours, reason: string): Promise<void> {
  const { spaceId, ...range } = hours;
  const given = reason === '' ? {} : { reason };
  const change = (day: Availability): Availability => ({
    ...hold(hours, 'host_block')(day),
    blocks: [...day.blocks, { ...range, reason: reason || null }],
  });
  await optimistically(queries, hours, change, () =>
    write((hk) =>
      hk.blocks.create(spaceId, {
        date: range.date,
        start_hour: range.start_hour,
        end_hour: range.end_hour,
        ...given,
      }),
    ),
  );
}

type Day = BlockedDays['days'][number];
interface ManyDays {
  end_date: CivilDate;
  weekdays: Weekday[];
}

/** The same hours of many days. Hours that are held are left out, and named in the answer. */
export async function blockDays(
  queries: QueryClient,
  { spaceId, ...range }: Hours,
  days: ManyDays,
  reason: string,
): Promise<Day[]> {
  const given = reason === '' ? {} : { reason };
  const done = await write((hk) =>
    hk.blocks.create(spaceId, { ...range, ...days, skip_occupied: true, ...given }),
  );
  void queries.invalidateQueries({ queryKey: ['day', spaceId] });
  return done.days;
}

/** Frees what `blockDays` has blocked and no hour more: the others may have been blocked before. */
export async function unblockDays(
  queries: QueryClient,
  { spaceId, start_hour, end_hour }: Hours,
  weekdays: Weekday[],
  days: readonly Day[],
): Promise<void> {
  const ranges: (Range & { date: CivilDate; end_date: CivilDate })[] = [];
  let whole: (typeof ranges)[number] | undefined;
  for (const { date, blocked_hours, occupied_hours } of days) {
    if (occupied_hours.length > 0) {
      whole = undefined;
      ranges.push(...runsOf(blocked_hours).map((run) => ({ ...run, date, end_date: date })));
    } else if (whole === undefined) {
      whole = { start_hour, end_hour, date, end_date: date };
      ranges.push(whole);
    } else whole.end_date = date;
  }
  for (const range of ranges) await write((hk) => hk.blocks.delete(spaceId, { ...range, weekdays }));
  await queries.invalidateQueries({ queryKey: ['day', spaceId] });
}

export async function unblock(queries: QueryClient, hours: Hours): Promise<void> {
  const { spaceId, date, start_hour, end_hour } = hours;
  await optimistically(queries, hours, free(hours), () =>
    write((hk) => hk.blocks.delete(spaceId, { date, start_hour, end_hour })),
  );
  void queries.invalidateQueries({ queryKey: dayKey(spaceId, date) });
}

/** Whether hours can be booked depends on these. */
const DECIDE_AVAILABILITY = [
  'is_active',
  'operating_hours',
  'weekly_hours',
  'booking_rules',
  'connect_calendar',
  'disconnect_calendar',
] as const;

export async function updateSpace(queries: QueryClient, id: string, fields: UpdateListing): Promise<Space> {
  const space = await write((hk) => hk.spaces.update(id, fields));
  rememberSpace(queries, space);
  if (DECIDE_AVAILABILITY.some((name) => fields[name] !== undefined))
    await queries.invalidateQueries({ queryKey: ['day', id] });
  return space;
}

export function rememberSpace(queries: QueryClient, space: Space): void {
  queries.setQueryData<Space[]>(['spaces'], (all) =>
    all?.map((each) => (each.id === space.id ? space : each)),
  );
}

export function rememberWebhook(queries: QueryClient, answer: Webhook): void {
  // The secret is shown once and not remembered.
  const webhook: Webhook = { ...answer, secret: undefined };
  queries.setQueryData<Webhook[]>(['webhooks'], (all = []) =>
    all.some(({ id }) => id === webhook.id)
      ? all.map((each) => (each.id === webhook.id ? webhook : each))
      : [...all, webhook],
  );
}

export function forgetWebhook(queries: QueryClient, id: string): void {
  queries.setQueryData<Webhook[]>(['webhooks'], (all) => all?.filter((each) => each.id !== id));
}

async function optimistically<T>(
  queries: QueryClient,
  { spaceId, date }: { spaceId: string; date: CivilDate },
  change: (day: Availability) => Availability,
  work: () => Promise<T>,
): Promise<T> {
  const key = dayKey(spaceId, date);
  // An answer that is on its way is from before the change.
  await queries.cancelQueries({ queryKey: key });
  const before = queries.getQueryData<Availability>(key);
  if (before !== undefined) queries.setQueryData(key, change(before));
  try {
    return await work();
  } catch (error) {
    queries.setQueryData(key, before);
    void queries.invalidateQueries({ queryKey: key });
    throw error;
  }
}

const within = (hours: { start_hour: number; end_hour: number }, hour: number): boolean =>
  hour >= hours.start_hour && hour < hours.end_hour;

const hold =
  (hours: { start_hour: number; end_hour: number }, block_reason: 'booked' | 'host_block') =>
  (day: Availability): Availability => ({
    ...day,
    slots: day.slots.map((slot) =>
      within(hours, slot.hour) ? { ...slot, available: false, block_reason } : slot,
    ),
  });

const free =
  (hours: { start_hour: number; end_hour: number }) =>
  (day: Availability): Availability => ({
    ...day,
    slots: day.slots.map((slot) =>
      within(hours, slot.hour) ? { ...slot, available: true, block_reason: null } : slot,
    ),
  });

export function rememberBooking(queries: QueryClient, booking: Booking): void {
  for (const query of queries.getQueryCache().findAll({ queryKey: ['bookings', 'range'] })) {
    const { spaceId, from, to } = query.queryKey[2] as BookingRange;
    const concerns =
      (spaceId === undefined || spaceId === booking.space_id) && from <= booking.date && booking.date <= to;
    if (concerns) {
      queries.setQueryData<Booking[]>(query.queryKey, (all) =>
        all === undefined ? undefined : [...all.filter(({ id }) => id !== booking.id), booking].sort(byTime),
      );
    }
  }
  void queries.invalidateQueries({ queryKey: ['bookings', 'page'] });
  void queries.invalidateQueries({ queryKey: ['earnings'] });
  void queries.invalidateQueries({ queryKey: ['report'] });
}
