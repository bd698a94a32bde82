import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Hourkeep, type HourkeepError, type Booking, type ErrorCode } from '../../client/src/index.ts';
import { contractOf } from '../support/contract.ts';
import { onBothEngines } from '../support/engines.ts';
import { useWorld } from '../support/world.ts';

const byId = (a: Booking, b: Booking): number => (a.id < b.id ? -1 : 1);

onBothEngines('the client and the service', (engine) => {
  const world = useWorld(engine);
  const asked: { method: string; path: string }[] = [];
  let hk: Hourkeep;
  let spaceId: string;
  before(async () => {
    const hostId = await world.addHost();
    spaceId = await world.addSpace(hostId, { title: 'Studio' });
    const { key } = await world.addKey(hostId);
    hk = new Hourkeep({
      apiKey: key,
      baseUrl: world.url,
      fetch: async (url, init) => {
        asked.push({ method: init.method ?? '', path: new URL(url).pathname });
        return fetch(url, init);
      },
    });
  });
  const date = '2027-03-18';
  const guest = { guest_email: 'ada@example.com', guest_name: 'Ada Miller' };

  test('spaces are listed, read and changed', async () => {
    assert.deepEqual(
      (await hk.spaces.list()).map(({ id, title }) => [id, title]),
      [[spaceId, 'Studio']],
    );
    assert.equal((await hk.spaces.get(spaceId)).title, 'Studio');
    const changed = await hk.spaces.update(spaceId, { price: 32.5 });
    assert.deepEqual([changed.price_per_hour, 'ical_feed_url' in changed], [32.5, false]);
    const rotated = await hk.spaces.update(spaceId, { rotate_ical_token: true });
    assert.equal(rotated.id, spaceId);
    assert.equal((await fetch(rotated.ical_feed_url!)).status, 200);
  });

  test('a booking is made, read, found and cancelled', async () => {
    const made = await hk.bookings.create({
      space_id: spaceId,
      date,
      start_hour: 10,
      end_hour: 12,
      ...guest,
    });
    assert.equal(made.status, 'confirmed');
    assert.deepEqual(await hk.bookings.get(made.id), made);
    const { bookings, pagination } = await hk.bookings.list({ from: date, to: date });
    assert.deepEqual(bookings, [made]);
    assert.deepEqual([pagination.total, pagination.has_more], [1, false]);
    const cancelled = await hk.bookings.cancel(made.id, { reason: 'Guest fell ill' });
    assert.equal(cancelled.cancellation_reason, 'Guest fell ill');
  });

  test('a booking is moved, and keeps what the move does not change', async () => {
    const old = await hk.bookings.create({
      space_id: spaceId,
      date: '2027-03-19',
      start_hour: 10,
      end_hour: 12,
      guest_phone: '+1 555 0100',
      ...guest,
    });
    const moved = await hk.bookings.move(old.id, { start_hour: 11, end_hour: 13 });
    assert.deepEqual(
      [moved.date, moved.start_hour, moved.end_hour, moved.guest_name, moved.guest_phone, moved.replaces],
      ['2027-03-19', 11, 13, 'Ada Miller', '+1 555 0100', old.id],
    );
    assert.equal((await hk.bookings.get(old.id)).replaced_by, moved.id);
    await assert.rejects(hk.bookings.move(old.id, { start_hour: 14, end_hour: 15 }), {
      code: 'BOOKING_CANCELLATION_BLOCKED',
    });
    await hk.bookings.cancel(moved.id, { reason: 'No longer needed' });
  });

  test('changes come to whoever keeps a copy, each time from where the last time ended', async () => {
    const copy = new Map<string, Booking>();
    const save = (bookings: Booking[]) => {
      for (const booking of bookings) copy.set(booking.id, booking);
    };
    let since = await hk.bookings.changes(undefined, save);
    const all = (await hk.bookings.list({ limit: 200 })).bookings;
    assert.deepEqual([...copy.values()].toSorted(byId), all.toSorted(byId));
    world.clock.advance({ minutes: 5 });
    since = await hk.bookings.changes(since, save);
    const made = await hk.bookings.create({
      space_id: spaceId,
      date: '2027-03-20',
      start_hour: 10,
      end_hour: 11,
      ...guest,
    });
    copy.clear();
    await hk.bookings.changes(since, save);
    assert.deepEqual([...copy.values()], [made]);
    await hk.bookings.cancel(made.id, { reason: 'No longer needed' });
  });

  test('hours are blocked and freed, and the day shows it', async () => {
    const range = { date, start_hour: 18, end_hour: 20 };
    assert.deepEqual(
      (await hk.blocks.create(spaceId, { ...range, reason: 'Cleaning' })).blocked_hours,
      [18, 19],
    );
    const { slots } = await hk.availability.get(spaceId, date);
    assert.deepEqual(slots[18], { hour: 18, available: false, block_reason: 'host_block' });
    assert.deepEqual((await hk.blocks.delete(spaceId, range)).unblocked_hours, [18, 19]);
  });

  test('money is reported', async () => {
    assert.equal((await hk.settlement.report('2027-03')).totals.cancelled, 4);
    assert.equal((await hk.earnings.get()).currency, 'USD');
  });

  test('a webhook is made with its secret, changed, listed and deleted', async () => {
    const made = await hk.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['booking.created'] });
    assert.match(made.secret, /^whsec_/);
    const paused = await hk.webhooks.update(made.id, { is_active: false });
    assert.deepEqual([paused.is_active, paused.secret], [false, undefined]);
    assert.deepEqual(await hk.webhooks.list(), [paused]);
    assert.deepEqual(await hk.webhooks.delete(made.id), { id: made.id, deleted: true });
  });

  test('a refusal has its code, which the compiler knows, and its facts', async () => {
    const input = { space_id: spaceId, date, start_hour: 6, end_hour: 8, ...guest };
    await hk.bookings.create(input);
    const error = await hk.bookings.create(input).then(
      () => assert.fail('booked twice'),
      (caught: HourkeepError) => caught,
    );
    const code: ErrorCode = error.code;
    assert.deepEqual([code, error.status, error.details], ['BOOKING_CONFLICT', 409, { hours: [6, 7] }]);
    assert.match(error.requestId ?? '', /./);
    await assert.rejects(hk.spaces.get('nothing'), { code: 'NOT_FOUND', status: 404 });
    await assert.rejects(hk.availability.get(spaceId, 'today'), { code: 'VALIDATION_ERROR' });
  });

  test('iterating shows every booking once, in order, whatever the size of pages', async () => {
    for (const hour of [1, 2, 3, 4, 5]) {
      const hours = { start_hour: hour, end_hour: hour + 1 };
      await hk.bookings.create({ space_id: spaceId, date: '2027-04-01', ...hours, ...guest });
    }
    const seen: Booking[] = [];
    for await (const booking of hk.bookings.iterate({ from: '2027-04-01', limit: 2 })) seen.push(booking);
    assert.deepEqual(
      seen.map(({ start_hour }) => start_hour),
      [1, 2, 3, 4, 5],
    );
  });

  test('every operation that needs a key has been called by now', async () => {
    const { endpoints, find } = await contractOf(world.url);
    const called = new Set(asked.map(({ method, path }) => find(method, path)));
    const missing = endpoints.filter(
      (endpoint) => endpoint.operation.security.length > 0 && !called.has(endpoint),
    );
    assert.deepEqual(
      missing.map(({ operation }) => operation.operationId),
      [],
    );
  });
});
