import assert from 'node:assert/strict';
import fc, { type Arbitrary } from 'fast-check';
import * as bookings from '../../src/bookings/bookings.ts';
import { markBusy } from '../support/external-calendar.ts';
import { CREATE } from '../support/booking.ts';
import { readStrictly } from '../support/rfc5545.ts';
import type { Answer, World } from '../support/world.ts';
import {
  hoursFrom,
  isClosed,
  isSkipped,
  startsAt,
  type Model,
  type ModelBooking,
  type ModelSpace,
} from './model.ts';

/** One host's afternoon: what is there, and what the model thinks is there. */
export interface Scene {
  hostId: string;
  world: World;
  key: string;
  spaces: ModelSpace[];
  model: Model;
  /** Counts the requests of all scenes of a run. */
  asked: { count: number };
}

/** Does one thing to the service and to the model, and compares what they say. */
export interface Step {
  told: string;
  take(scene: Scene): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** Friday to Monday around the night when New York loses an hour. */
const DATES = ['2027-03-12', '2027-03-13', '2027-03-14', '2027-03-15'];

const place = fc.record({
  space: fc.nat(1),
  date: fc.constantFrom(...DATES),
  start: fc.integer({ min: 0, max: 23 }),
  length: fc.integer({ min: 1, max: 5 }),
});
type Place = typeof place extends Arbitrary<infer T> ? T : never;

export const anyStep: Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(place, fc.option(fc.nat(3), { freq: 3, nil: undefined })).map(book) },
  { weight: 4, arbitrary: fc.nat(20).map(cancel) },
  { weight: 4, arbitrary: fc.tuple(fc.nat(20), place).map(move) },
  { weight: 4, arbitrary: place.map(block) },
  { weight: 3, arbitrary: place.map(unblock) },
  { weight: 4, arbitrary: place.map(look) },
  { weight: 1, arbitrary: fc.nat(20).map(read) },
  { weight: 1, arbitrary: fc.record({ space: fc.nat(2), status: fc.nat(3) }).map(list) },
  { weight: 1, arbitrary: fc.nat(1).map(feed) },
  { weight: 1, arbitrary: place.map(importHour) },
  {
    weight: 1,
    arbitrary: fc.record({ space: fc.nat(1), price: fc.nat(9999), isActive: fc.boolean() }).map(relist),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 14 }).map(advance) },
  { weight: 1, arbitrary: fc.constant(null).map(earn) },
);

function book([where, nth]: [Place, number | undefined]): Step {
  const { date, start } = where;
  const end = Math.min(24, start + where.length);
  const key = nth === undefined ? undefined : `order-${nth}`;
  return step(`book ${spot(where)}${key === undefined ? '' : ` as ${key}`}`, async (scene) => {
    const { model, world } = scene;
    const space = scene.spaces[where.space]!;
    const body = {
      space_id: space.id,
      date,
      start_hour: start,
      end_hour: end,
      guest_name: 'Ada Miller',
      guest_email: 'ada@example.com',
      ...(key === undefined ? {} : { idempotency_key: key }),
    };
    const answer = await call(scene, 'POST', CREATE, body);
    const before = key === undefined ? undefined : model.bookings.find((booking) => booking.key === key);
    if (before !== undefined) {
      const same = before.space === space && before.date === date && before.startHour === start;
      if (!same || before.endHour !== end) return refused(answer, 422, 'VALIDATION_ERROR');
      assert.equal(answer.headers.get('idempotent-replayed'), 'true');
      return assertBooking(answer.body.data.booking, before);
    }
    const now = world.clock.now();
    if (hoursFrom(start, end).some((hour) => isClosed(space, date, hour, now))) {
      return refused(answer, 422, 'VALIDATION_ERROR');
    }
    const taken = model.taken(space, date, start, end);
    if (taken.length > 0) return refused(answer, 409, 'BOOKING_CONFLICT', { hours: taken });
    assert.equal(answer.status, 200, String(answer.bytes));
    const { id } = answer.body.data.booking;
    const { price } = space;
    const booking: ModelBooking = {
      id,
      space,
      date,
      startHour: start,
      endHour: end,
      status: 'confirmed',
      key,
      price,
    };
    model.book(booking);
    assertBooking(answer.body.data.booking, booking);
  });
}

function cancel(nth: number): Step {
  return step(`cancel ${nth}`, async (scene) => {
    const booking = nthBooking(scene, nth);
    if (booking === undefined) return;
    const path = `/api-cancel-booking/api/v1/bookings/${booking.id}/cancel`;
    const answer = await call(scene, 'POST', path, { reason: 'changed plans' });
    const { space, date, startHour } = booking;
    const left = startsAt(space.timezone, date, startHour) - scene.world.clock.now();
    if (booking.status !== 'confirmed' || left <= 0 || left < space.noticeHours * HOUR_MS) {
      return refused(answer, 422, 'BOOKING_CANCELLATION_BLOCKED');
    }
    scene.model.cancel(booking);
    assert.equal(answer.status, 200, String(answer.bytes));
    assertBooking(answer.body.data.booking, booking);
  });
}

function move([nth, where]: [number, Place]): Step {
  const { date, start } = where;
  const end = Math.min(24, start + where.length);
  return step(`move ${nth} to ${spot(where)}`, async (scene) => {
    const old = nthBooking(scene, nth);
    if (old === undefined) return;
    const space = scene.spaces[where.space]!;
    const answer = await call(scene, 'POST', CREATE, {
      space_id: space.id,
      date,
      start_hour: start,
      end_hour: end,
      guest_name: 'Ada Miller',
      guest_email: 'ada@example.com',
      replaces: old.id,
    });
    const now = scene.world.clock.now();
    const left = startsAt(old.space.timezone, old.date, old.startHour) - now;
    if (old.status !== 'confirmed' || left <= 0 || left < old.space.noticeHours * HOUR_MS)
      return refused(answer, 422, 'BOOKING_CANCELLATION_BLOCKED');
    if (hoursFrom(start, end).some((hour) => isClosed(space, date, hour, now)))
      return refused(answer, 422, 'VALIDATION_ERROR');
    const taken = scene.model.taken(space, date, start, end, old);
    if (taken.length > 0) return refused(answer, 409, 'BOOKING_CONFLICT', { hours: taken });
    assert.equal(answer.status, 200, String(answer.bytes));
    const { id, replaces } = answer.body.data.booking;
    assert.equal(replaces, old.id);
    scene.model.cancel(old);
    const booking: ModelBooking = {
      id,
      space,
      date,
      startHour: start,
      endHour: end,
      status: 'confirmed',
      key: undefined,
      price: space.price,
    };
    scene.model.book(booking);
    assertBooking(answer.body.data.booking, booking);
  });
}

function block(where: Place): Step {
  return step(`block ${spot(where)}`, async (scene) => {
    const { space, range, path } = blockOf(scene, where);
    const answer = await call(scene, 'POST', path, range);
    const taken = scene.model.taken(space, where.date, range.start_hour, range.end_hour);
    if (taken.length > 0) return refused(answer, 409, 'BLOCK_SLOT_OCCUPIED', { hours: taken });
    scene.model.block(space, where.date, range.start_hour, range.end_hour);
    const blocked_hours = hoursFrom(range.start_hour, range.end_hour);
    assert.deepEqual(answer.body.data, { space_id: space.id, ...range, reason: null, blocked_hours });
  });
}

function unblock(where: Place): Step {
  return step(`unblock ${spot(where)}`, async (scene) => {
    const { space, range, path } = blockOf(scene, where);
    const answer = await call(scene, 'DELETE', path, range);
    const unblocked_hours = scene.model.unblock(space, where.date, range.start_hour, range.end_hour);
    assert.deepEqual(answer.body.data, { space_id: space.id, date: where.date, unblocked_hours });
  });
}

function look(where: Pick<Place, 'space' | 'date'>): Step {
  return step(`look at ${where.space} ${where.date}`, async (scene) => {
    const space = scene.spaces[where.space]!;
    const path = `/api-availability/api/v1/spaces/${space.id}/availability?date=${where.date}`;
    const now = scene.world.clock.now();
    const slots = hoursFrom(0, 24).map((hour) => {
      const block_reason = scene.model.reason(space, where.date, hour);
      const available = block_reason === null && !isClosed(space, where.date, hour, now);
      return { hour, available, block_reason };
    });
    assert.deepEqual((await call(scene, 'GET', path)).body.data.slots, slots);
  });
}

function read(nth: number): Step {
  return step(`read ${nth}`, async (scene) => {
    const booking = nthBooking(scene, nth);
    if (booking === undefined) return;
    const answer = await call(scene, 'GET', `/api-booking-detail/api/v1/bookings/${booking.id}`);
    assertBooking(answer.body.data.booking, booking);
  });
}

function list(filter: { space: number; status: number }): Step {
  const status = ['confirmed', 'cancelled', 'completed'][filter.status];
  return step(`list ${filter.space} ${status ?? 'all'}`, async (scene) => {
    const space = scene.spaces[filter.space];
    const query = new URLSearchParams({
      limit: '200',
      ...(status === undefined ? {} : { status }),
      ...(space === undefined ? {} : { space_id: space.id }),
    });
    const { data } = (await call(scene, 'GET', `/api-bookings/api/v1/bookings?${String(query)}`)).body;
    const expected = scene.model.list({ space, status });
    assert.deepEqual(
      data.bookings.map((booking: { id: string }) => booking.id),
      expected.map((booking) => booking.id),
    );
    for (const [i, booking] of expected.entries()) assertBooking(data.bookings[i]!, booking);
    const total = expected.length;
    assert.deepEqual(data.pagination, {
      limit: 200,
      offset: 0,
      total,
      total_is_exact: true,
      has_more: false,
      next_cursor: null,
    });
  });
}

function feed(nth: number): Step {
  return step(`feed ${nth}`, async (scene) => {
    const space = scene.spaces[nth]!;
    const answer = await call(scene, 'GET', `/api-ical-feed?space_id=${space.id}&token=${space.token}`);
    const shown = readStrictly(answer.bytes).events.flatMap(({ start, end }) =>
      hoursFrom(0, (end - start) / HOUR_MS).map((hour) => start + hour * HOUR_MS),
    );
    const held = scene.model
      .heldSlots(space)
      .filter(({ date, hour }) => !isSkipped(space.timezone, date, hour))
      .map(({ date, hour }) => startsAt(space.timezone, date, hour));
    const inOrder = (instants: number[]): number[] => instants.sort((a, b) => a - b);
    assert.deepEqual(inOrder(shown), inOrder(held));
  });
}

function importHour({ space: nth, date, start }: Place): Step {
  return step(`import ${nth} ${date} ${start}`, async ({ world, model, hostId, spaces }) => {
    const space = spaces[nth]!;
    const slot = { hostId, spaceId: space.id, date, hour: start };
    await world.ctx.db.transaction((tx) => markBusy(tx, slot));
    model.import(space, date, start);
  });
}

function relist({ space: nth, price, isActive }: { space: number; price: number; isActive: boolean }): Step {
  return step(`change ${nth}: ${price / 100}, ${isActive ? 'open' : 'closed'}`, async (scene) => {
    const space = scene.spaces[nth]!;
    const path = `/api-listing-update/api/v1/spaces/${space.id}`;
    const answer = await call(scene, 'PATCH', path, { price: price / 100, is_active: isActive });
    Object.assign(space, { price: price / 100, isActive });
    assert.equal(answer.body.data.space.price_per_hour, space.price);
    assert.equal(answer.body.data.space.is_active, isActive);
  });
}

function advance(by: number): Step {
  return step(`wait ${by} h`, async ({ world, model }) => {
    world.clock.advance({ hours: by });
    while ((await bookings.completeDue(world.ctx)).more);
    model.complete(world.clock.now());
  });
}

function earn(): Step {
  return step('earnings', async (scene) => {
    const { data } = (await call(scene, 'GET', '/api-earnings/api/v1/earnings')).body;
    for (const [name, status] of [
      ['lifetime', 'completed'],
      ['upcoming', 'confirmed'],
    ] as const) {
      const { bookings: count, hours: sum, gross, commission } = scene.model.sums(status);
      assert.deepEqual(data[name], {
        bookings: count,
        hours: sum,
        gross: gross / 100,
        commission: commission / 100,
        net: (gross - commission) / 100,
      });
    }
  });
}

/** After all steps: every hour of every day, and every booking. */
export function lastLook(): Step[] {
  return [
    ...[0, 1].flatMap((space) => [...DATES.map((date) => look({ space, date })), feed(space)]),
    list({ space: 2, status: 3 }),
    earn(),
  ];
}

function step(told: string, take: Step['take']): Step {
  // So that a failing sequence reads as a sequence.
  return { told, take, [fc.toStringMethod]: () => told } as Step;
}

function call({ world, key, asked }: Scene, method: string, path: string, body?: object): Promise<Answer> {
  asked.count++;
  return world.call(method, path, { key, body });
}

function nthBooking({ model }: Scene, nth: number): ModelBooking | undefined {
  return model.bookings[nth % Math.max(1, model.bookings.length)];
}

function blockOf(scene: Scene, where: Place) {
  const space = scene.spaces[where.space]!;
  const range = {
    date: where.date,
    start_hour: where.start,
    end_hour: Math.min(24, where.start + where.length),
  };
  return { space, range, path: `/api-blocks/api/v1/spaces/${space.id}/blocks` };
}

function spot({ space, date, start, length }: Place): string {
  return `${space} ${date} ${start}+${length}`;
}

function refused(answer: Answer, status: number, code: string, details?: object): void {
  assert.equal(answer.status, status, String(answer.bytes));
  assert.equal(answer.body.error.code, code);
  if (details !== undefined) assert.deepEqual(answer.body.error.details, details);
}

function assertBooking(record: Record<string, unknown>, booking: ModelBooking): void {
  const { space, date, startHour, endHour } = booking;
  const count = endHour - startHour;
  const instant = (hour: number): string => new Date(startsAt(space.timezone, date, hour)).toISOString();
  const expected = {
    id: booking.id,
    space_id: space.id,
    status: booking.status,
    date,
    start_hour: startHour,
    end_hour: endHour,
    hours: count,
    starts_at: instant(startHour),
    ends_at: instant(endHour),
    price_per_hour: booking.price,
    total_price: (Math.round(booking.price * 100) * count) / 100,
    idempotency_key: booking.key ?? null,
  };
  const told = Object.fromEntries(Object.keys(expected).map((name) => [name, record[name]]));
  assert.deepEqual(told, expected);
}
