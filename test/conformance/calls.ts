import assert from 'node:assert/strict';
import type { Booking, BookingPage, Space, UpdatedSpace, Webhook } from '../../client/src/index.ts';
import { contractOf } from '../support/contract.ts';
import type { Cases } from './bench.ts';

/** Every method, and what the service refuses. */
export const CALLS: Cases = {
  'spaces are listed, read and changed': async ({ connect, spaceId }) => {
    const hk = connect();
    const spaces = await hk.call<Space[]>('spaces.list');
    assert.deepEqual(
      spaces.map(({ id, title }) => [id, title]),
      [[spaceId, 'Studio']],
    );
    assert.deepEqual(await hk.call('spaces.get', spaceId), spaces[0]);
    const changed = await hk.call<UpdatedSpace>('spaces.update', spaceId, { price: 32.5 });
    assert.deepEqual([changed.price_per_hour, 'ical_feed_url' in changed], [32.5, false]);
    const rotated = await hk.call<UpdatedSpace>('spaces.update', spaceId, { rotate_ical_token: true });
    assert.equal(rotated.id, spaceId);
    assert.equal((await fetch(rotated.ical_feed_url!)).status, 200);
  },
  'a day is read, and several in one request': async ({ connect, spaceId, proxy }) => {
    const hk = connect();
    proxy.play();
    const day = await hk.call<{ slots: unknown[] }>('availability.get', spaceId, '2027-03-18');
    const days = await hk.call<{ date: string }[]>('availability.days', spaceId, '2027-03-18', 3);
    assert.deepEqual(days[0], { date: '2027-03-18', slots: day.slots, blocks: [] });
    assert.deepEqual(
      days.map(({ date }) => date),
      ['2027-03-18', '2027-03-19', '2027-03-20'],
    );
    assert.equal(proxy.received.length, 2);
  },
  'a booking is made, read, found by its date and cancelled': async ({ connect, booking }) => {
    const hk = connect();
    const wanted = booking();
    const made = await hk.call<Booking>('bookings.create', wanted);
    assert.deepEqual([made.status, made.date, made.hours], ['confirmed', wanted.date, 2]);
    assert.deepEqual(await hk.call('bookings.get', made.id), made);
    const query = { from: wanted.date, to: wanted.date, status: 'confirmed', limit: 10 };
    const page = await hk.call<BookingPage>('bookings.list', query);
    assert.deepEqual(page.bookings, [made]);
    assert.deepEqual([page.pagination.total, page.pagination.limit], [1, 10]);
    const cancelled = await hk.call<Booking>('bookings.cancel', made.id, { reason: 'Guest fell ill' });
    assert.deepEqual([cancelled.status, cancelled.cancellation_reason], ['cancelled', 'Guest fell ill']);
  },
  'text of any script arrives whole': async ({ connect, booking }) => {
    const guest_name = 'Zoë "한강" \\ 🎹';
    const made = await connect().call<Booking>('bookings.create', { ...booking(), guest_name });
    assert.equal(made.guest_name, guest_name);
  },
  'a booking is moved, keeps what the move does not change, and null clears': async ({
    connect,
    booking,
  }) => {
    const hk = connect();
    const words = {
      guest_phone: '+1 555 0100',
      reference: 'PMS-7',
      notes: 'Two tables.\nA van.',
      guest_count: 2,
    };
    const old = await hk.call<Booking>('bookings.create', { ...booking(), ...words });
    const moved = await hk.call<Booking>('bookings.move', old.id, { end_hour: 14, notes: null });
    const { id, ends_at, total_price, idempotency_key, created_at, updated_at } = moved;
    const own = { id, ends_at, total_price, idempotency_key, created_at, updated_at };
    assert.deepEqual(moved, { ...old, ...own, end_hour: 14, hours: 4, notes: null, replaces: old.id });
    assert.equal(old.notes, words.notes);
    assert.equal((await hk.call<Booking>('bookings.get', old.id)).replaced_by, id);
    await hk.failsWith('BOOKING_CANCELLATION_BLOCKED', 422, 'bookings.move', old.id, { end_hour: 15 });
  },
  'bookings are found by reference, and by one status or a list of several': async ({ connect, booking }) => {
    const hk = connect();
    const reference = 'PMS 8/ü';
    const old = await hk.call<Booking>('bookings.create', { ...booking(), reference });
    const moved = await hk.call<Booking>('bookings.move', old.id, { end_hour: 14 });
    const found = async (status?: string | string[]): Promise<string[]> => {
      const query = { reference, ...(status !== undefined && { status }) };
      const { bookings } = await hk.call<BookingPage>('bookings.list', query);
      assert.deepEqual(await hk.call('bookings.iterate', query), bookings);
      return bookings.map(({ id }) => id);
    };
    assert.deepEqual(await found(), [old.id, moved.id]);
    assert.deepEqual(await found('confirmed'), [moved.id]);
    assert.deepEqual(await found(['confirmed', 'completed']), [moved.id]);
    assert.deepEqual(await found('completed,cancelled'), [old.id]);
    assert.deepEqual(await found(['cancelled', 'confirmed']), [old.id, moved.id]);
  },
  'iterating shows every booking once, page after page': async ({ connect, booking, proxy }) => {
    const hk = connect();
    const wanted = booking();
    for (const hour of [1, 2, 3]) {
      const hours = { start_hour: hour, end_hour: hour + 1 };
      await hk.call('bookings.create', { ...wanted, ...hours });
    }
    proxy.play();
    const query = { from: wanted.date, to: wanted.date, limit: 1, offset: 1 };
    const seen = await hk.call<Booking[]>('bookings.iterate', query);
    assert.deepEqual(
      seen.map(({ start_hour }) => start_hour),
      [2, 3],
    );
    const [first, second] = proxy.received.map(({ path }) => new URLSearchParams(path.split('?')[1]));
    assert.deepEqual([first?.get('offset'), first?.get('cursor')], ['1', null]);
    assert.equal(second?.get('offset'), null);
    assert.match(second?.get('cursor') ?? '', /./);
    const all = await hk.call<Booking[]>('bookings.iterate');
    assert.ok(all.length >= 3);
    assert.match(proxy.received.at(-1)!.path, /\?limit=200$/);
  },
  'changes begin with everything, and go on where they ended': async ({ connect, booking, world, proxy }) => {
    const hk = connect();
    interface Walk {
      since: string;
      pages: Booking[][];
    }
    await hk.call('bookings.create', booking());
    const first = await hk.call<Walk>('bookings.changes', null);
    assert.ok(first.pages.flat().length > 0);
    world.clock.advance({ minutes: 5 });
    const second = await hk.call<Walk>('bookings.changes', first.since);
    const made = await hk.call<Booking>('bookings.create', booking());
    proxy.play();
    const third = await hk.call<Walk>('bookings.changes', second.since);
    assert.deepEqual(third.pages, [[made]]);
    const asked = new URLSearchParams(proxy.received[0]!.path.split('?')[1]);
    assert.deepEqual([asked.get('updated_since'), asked.get('limit')], [second.since, '200']);
    const later = await hk.call<Walk>('bookings.changes', '2027-12-31T00:00:00Z');
    assert.deepEqual(later.pages, [], 'an empty page is not handed over');
  },
  'hours are blocked and freed, and the day shows it': async ({ connect, booking, spaceId }) => {
    const hk = connect();
    const range = { date: booking().date, start_hour: 18, end_hour: 20 };
    const blocked = await hk.call('blocks.create', spaceId, { ...range, reason: 'Cleaning' });
    assert.deepEqual([blocked['blocked_hours'], blocked['reason']], [[18, 19], 'Cleaning']);
    const { slots } = await hk.call<{ slots: unknown[] }>('availability.get', spaceId, range.date);
    assert.deepEqual(slots[18], { hour: 18, available: false, block_reason: 'host_block' });
    const freed = await hk.call('blocks.delete', spaceId, range);
    assert.deepEqual(freed['unblocked_hours'], [18, 19]);
  },
  'hours of many days are blocked and freed; what is held is named': async ({ connect, spaceId }) => {
    const hk = connect();
    const sundays = { date: '2028-05-01', end_date: '2028-05-31', weekdays: ['sunday'] };
    const range = { ...sundays, start_hour: 9, end_hour: 11 };
    const blocked = await hk.call('blocks.create', spaceId, range);
    const dates = ['2028-05-07', '2028-05-14', '2028-05-21', '2028-05-28'];
    assert.deepEqual(blocked, {
      space_id: spaceId,
      start_hour: 9,
      end_hour: 11,
      reason: null,
      days: dates.map((date) => ({ date, blocked_hours: [9, 10], occupied_hours: [] })),
    });
    const later = { ...range, start_hour: 10, end_hour: 12 };
    const error = await hk.failsWith('BLOCK_SLOT_OCCUPIED', 409, 'blocks.create', spaceId, later);
    assert.deepEqual(error.details, { days: dates.map((date) => ({ date, hours: [10] })) });
    const again = { ...range, end_date: '2028-05-07', end_hour: 12, skip_occupied: true };
    const more = await hk.call('blocks.create', spaceId, again);
    assert.deepEqual(more['days'], [{ date: dates[0], blocked_hours: [11], occupied_hours: [9, 10] }]);
    const freed = await hk.call('blocks.delete', spaceId, range);
    const days = dates.map((date) => ({ date, unblocked_hours: [9, 10] }));
    assert.deepEqual(freed, { space_id: spaceId, days });
  },
  'money is reported': async ({ connect }) => {
    const hk = connect();
    const report = await hk.call('settlement.report', '2027-04');
    assert.deepEqual([report['month'], report['currency']], ['2027-04', 'USD']);
    assert.equal((await hk.call('earnings.get'))['currency'], 'USD');
  },
  'a webhook is made with its secret, changed, listed and deleted': async ({ connect }) => {
    const hk = connect();
    const wanted = { url: 'http://127.0.0.1:9/', events: ['booking.created'], description: 'mine' };
    const made = await hk.call<Webhook>('webhooks.create', wanted);
    assert.match(made.secret ?? '', /^whsec_/);
    const pause = { is_active: false, description: null };
    const paused = await hk.call<Webhook>('webhooks.update', made.id, pause);
    assert.deepEqual([paused.is_active, paused.description], [false, null]);
    assert.ok(!('secret' in paused));
    const rotated = await hk.call<Webhook>('webhooks.update', made.id, { rotate_secret: true });
    assert.match(rotated.secret ?? '', /^whsec_/);
    const listed = await hk.call<Webhook[]>('webhooks.list');
    assert.deepEqual(
      listed.map(({ id }) => id),
      [made.id],
    );
    assert.deepEqual(await hk.call('webhooks.delete', made.id), { id: made.id, deleted: true });
    assert.deepEqual(await hk.call('webhooks.list'), []);
  },
  'a refusal has its code, status, message, request id and facts': async ({ connect, booking }) => {
    const hk = connect();
    const wanted = booking({ start_hour: 6, end_hour: 8 });
    await hk.call('bookings.create', wanted);
    const error = await hk.fails('bookings.create', { ...wanted, guest_email: 'grace@example.com' });
    assert.deepEqual(
      [error.code, error.status, error.message, error.details],
      ['BOOKING_CONFLICT', 409, 'Already taken: 06:00, 07:00', { hours: [6, 7] }],
    );
    assert.match(error.requestId ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(error.outcome ?? null, null);
  },
  'a key without the scope is told which it lacks': async ({ connect, keyWith }) => {
    const hk = connect({ apiKey: await keyWith(['spaces:read']) });
    const error = await hk.failsWith('INSUFFICIENT_SCOPE', 403, 'earnings.get');
    assert.deepEqual(error.details, { required_scope: 'earnings:read' });
  },
  'a guest who books too often is refused at once': async ({ connect, booking, proxy }) => {
    const hk = connect();
    const { guest_email } = booking();
    const again = () => ({ ...booking(), guest_email });
    for (let i = 0; i < 10; i += 1) await hk.call('bookings.create', again());
    proxy.play();
    const error = await hk.failsWith('GUEST_BOOKING_VELOCITY', 429, 'bookings.create', again());
    assert.ok((error.retryAfter ?? 0) > 0);
    assert.equal(proxy.received.length, 1);
  },
  'every operation that needs a key has been called by now': async ({ world, proxy }) => {
    const { endpoints, find } = await contractOf(world.url);
    const called = new Set(proxy.all.map(({ method, path }) => find(method, path.split('?')[0]!)));
    const missing = endpoints.filter(
      (endpoint) => endpoint.operation.security.length > 0 && !called.has(endpoint),
    );
    assert.deepEqual(
      missing.map(({ operation }) => operation.operationId),
      [],
    );
  },
};
