import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

onBothEngines('PATCH listing', (engine) => {
  const world = useWorld(engine);
  let hostId: string;
  let key: string;
  let spaceId: string;

  beforeEach(async () => {
    hostId = await world.addHost();
    ({ key } = await world.addKey(hostId));
    spaceId = await world.addSpace(hostId);
  });

  const patch = (body: unknown, id = spaceId) =>
    world.call('PATCH', `/api-listing-update/api/v1/spaces/${id}`, { key, body });
  const read = async (id = spaceId) =>
    (await world.call('GET', `/api-listings/api/v1/spaces/${id}`, { key })).body.data.space;
  const book = (start_hour: number, email = 'ada@example.com') =>
    world.call('POST', '/api-create-booking/api/v1/bookings', {
      key,
      body: {
        space_id: spaceId,
        date: '2027-03-18',
        start_hour,
        end_hour: start_hour + 2,
        guest_email: email,
        guest_name: 'Ada Miller',
      },
    });

  async function events(): Promise<{ type: string; data: unknown }[]> {
    const rows = await world.rows('select type, data from events where host_id = $1 order by id', [hostId]);
    return rows.map((row) => ({ type: row.type, data: JSON.parse(row.data) }));
  }

  test('changes the field it names and answers the whole space', async () => {
    const before = await read();
    const answer = await patch({ title: 'Garden Room' });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      success: true,
      data: { space: { ...before, title: 'Garden Room' } },
    });
    assert.deepEqual(await read(), answer.body.data.space);
  });

  test('a change is announced with the new space and the names of what changed', async () => {
    const { body } = await patch({ space_id: spaceId, title: 'Garden Room', price: 61.5, is_active: true });
    assert.deepEqual(await events(), [
      { type: 'listing.updated', data: { space: body.data.space, changed: ['title', 'price_per_hour'] } },
    ]);
    assert.equal(body.data.space.price_per_hour, 61.5);
  });

  test('values that are there already change and announce nothing', async () => {
    const before = await world.rows('select updated_at from spaces where id = $1', [spaceId]);
    world.clock.advance({ minutes: 5 });
    const answer = await patch({ title: 'Test Space', price: 50, is_active: true });
    assert.equal(answer.status, 200);
    assert.deepEqual(await events(), []);
    assert.deepEqual(await world.rows('select updated_at from spaces where id = $1', [spaceId]), before);
  });

  test('a space can be made free of charge', async () => {
    assert.equal((await patch({ price: 0 })).body.data.space.price_per_hour, 0);
  });

  test('a price is kept to the last minor unit', async () => {
    for (const price of [19.99, 0.07, 1.1, 123_456_789.01]) {
      assert.equal((await patch({ price })).body.data.space.price_per_hour, price);
    }
    const rows = await world.rows('select price_per_hour from spaces where id = $1', [spaceId]);
    assert.deepEqual(rows[0].price_per_hour, 12_345_678_901);
  });

  test('a price with more decimals than the currency has is refused', async () => {
    const wonHost = await world.addHost({ currency: 'KRW' });
    const dinarHost = await world.addHost({ currency: 'KWD' });
    const cases: [string, number, number][] = [
      [hostId, 10.005, 10.01],
      [wonHost, 35_000.5, 35_000],
      [dinarHost, 1.2345, 1.234],
    ];
    for (const [host, wrong, right] of cases) {
      const owner = await world.addKey(host);
      const id = await world.addSpace(host);
      const call = (price: number) =>
        world.call('PATCH', `/api-listing-update/api/v1/spaces/${id}`, { key: owner.key, body: { price } });
      const refused = await call(wrong);
      assert.equal(refused.status, 422);
      assert.equal(refused.body.error.code, 'VALIDATION_ERROR');
      assert.equal(refused.body.error.details[0].field, 'price');
      assert.equal((await call(right)).body.data.space.price_per_hour, right);
    }
  });

  test('a refused price leaves the other named fields as they were', async () => {
    await patch({ title: 'Garden Room', price: 10.005 });
    assert.equal((await read()).title, 'Test Space');
    assert.deepEqual(await events(), []);
  });

  test('a new price holds for new bookings and leaves those that were made', async () => {
    const { booking } = (await book(10)).body.data;
    await patch({ price: 80 });
    const kept = await world.call('GET', `/api-booking-detail/api/v1/bookings/${booking.id}`, { key });
    assert.deepEqual(kept.body.data.booking, booking);
    assert.equal((await book(14)).body.data.booking.total_price, 160);
  });

  test('an inactive space takes no bookings and keeps those it has', async () => {
    const { booking } = (await book(10)).body.data;
    assert.equal((await patch({ is_active: false })).body.data.space.is_active, false);
    const refused = await book(14);
    assert.equal(refused.status, 422);
    assert.equal(refused.body.error.details[0].field, 'space_id');
    const kept = await world.call('GET', `/api-booking-detail/api/v1/bookings/${booking.id}`, { key });
    assert.deepEqual(kept.body.data.booking, booking);
    await patch({ is_active: true });
    assert.equal((await book(14)).status, 200);
  });

  test('changes of different fields at the same time all stay', async () => {
    for (let round = 1; round <= 8; round++) {
      await patch({ title: 'Before', price: 1, is_active: true });
      const answers = await Promise.all([
        patch({ title: `Round ${round}` }),
        patch({ price: 100 + round }),
        patch({ is_active: false }),
      ]);
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [200, 200, 200],
      );
      const space = await read();
      assert.equal(space.title, `Round ${round}`);
      assert.equal(space.price_per_hour, 100 + round);
      assert.equal(space.is_active, false);
    }
  });

  test('of many equal changes at the same time one is announced', async () => {
    await Promise.all(Array.from({ length: 12 }, () => patch({ price: 77 })));
    assert.equal((await events()).length, 1);
  });

  const bad: [string, unknown, string][] = [
    ['nothing', {}, 'body'],
    ['no body', undefined, 'body'],
    ['an empty title', { title: '' }, 'title'],
    ['a title of 201 characters', { title: 'x'.repeat(201) }, 'title'],
    ['a negative price', { price: -1 }, 'price'],
    ['a price past all reason', { price: 1e300 }, 'price'],
    ['a price as a text', { price: '50' }, 'price'],
    ['no price', { price: null }, 'price'],
    ['a number for is_active', { is_active: 1 }, 'is_active'],
    ['the record’s name of the price', { price_per_hour: 5 }, 'price_per_hour'],
    ['an array', [], 'body'],
  ];
  for (const [what, body, field] of bad) {
    test(`${what} is bad input`, async () => {
      const answer = await patch(body);
      assert.equal(answer.status, 422);
      assert.equal(answer.body.error.code, 'VALIDATION_ERROR');
      assert.equal(answer.body.error.details[0].field, field);
    });
  }

  test('the space_id alone names nothing to change', async () => {
    const answer = await patch({ space_id: spaceId });
    assert.equal(answer.status, 422);
    assert.equal(answer.body.error.message, 'body must have at least one of title, price, is_active');
  });

  test('another space_id in the body is bad input', async () => {
    const answer = await patch({ space_id: await world.addSpace(hostId), title: 'X' });
    assert.equal(answer.status, 422);
    assert.equal(answer.body.error.details[0].field, 'space_id');
  });

  test('a malformed, unknown, foreign or other environment’s space is not found', async () => {
    const foreign = await world.addSpace(await world.addHost());
    const sandbox = await world.addSpace(hostId, { environment: 'sandbox' });
    for (const id of ['nowhere', '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01', foreign, sandbox]) {
      const answer = await patch({ title: 'Mine now' }, id);
      assert.equal(answer.status, 404);
      assert.equal(answer.body.error.code, 'NOT_FOUND');
    }
  });

  test('it needs the scope spaces:write', async () => {
    const reader = await world.addKey(hostId, { scopes: ['spaces:read'] });
    const answer = await world.call('PATCH', `/api-listing-update/api/v1/spaces/${spaceId}`, {
      key: reader.key,
      body: { title: 'X' },
    });
    assert.equal(answer.status, 403);
    assert.deepEqual(answer.body.error.details, { required_scope: 'spaces:write' });
  });
});
