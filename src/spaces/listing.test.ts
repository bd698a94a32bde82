import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { belongings } from '../../test/support/tables.ts';
import { useWorld } from '../../test/support/world.ts';

const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('PATCH listing', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let hostId: string;
  let key: string;
  let spaceId: string;

  beforeEach(async () => {
    desk = await openDesk(world);
    ({ hostId, key, spaceId } = desk);
  });

  const patch = (body: unknown, id = spaceId) =>
    world.call('PATCH', `/api-listing-update/api/v1/spaces/${id}`, { key, body });
  const read = async () =>
    (await world.call('GET', `/api-listings/api/v1/spaces/${spaceId}`, { key })).body.data.space;

  test('values that are there already change and announce nothing', async () => {
    const before = await belongings(world, hostId, 'production');
    world.clock.advance({ minutes: 5 });
    const answer = await patch({ title: 'Test Space', price: 50, is_active: true });
    assert.equal(answer.status, 200);
    assert.equal(await belongings(world, hostId, 'production'), before);
  });

  test('changes of different fields at the same time all stay', async () => {
    for (let round = 1; round <= 3; round++) {
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
    assert.equal((await desk.events()).length, 1);
  });

  const bad: [string, unknown, string][] = [
    ['nothing', {}, 'body'],
    ['the space_id alone', { space_id: ABSENT }, 'body'],
    ['another space_id than that of the path', { space_id: ABSENT, title: 'x' }, 'space_id'],
    ['no body', undefined, 'body'],
    ['an empty title', { title: '' }, 'title'],
    ['a title of 201 characters', { title: 'x'.repeat(201) }, 'title'],
    ['a negative price', { price: -1 }, 'price'],
    ['a price past all reason', { price: 1e300 }, 'price'],
    ['a price of half a cent more', { price: 10.005 }, 'price'],
    ['a price as a text', { price: '50' }, 'price'],
    ['no price', { price: null }, 'price'],
    ['a number for is_active', { is_active: 1 }, 'is_active'],
    ['the record’s name of the price', { price_per_hour: 5 }, 'price_per_hour'],
    ['an array', [], 'body'],
    ['a blank description', { description: ' ' }, 'description'],
    ['a description of 10 001 characters', { description: 'x'.repeat(10_001) }, 'description'],
    ['hours without an end', { operating_hours: { start_hour: 9 } }, 'operating_hours.end_hour'],
    [
      'hours that end before they begin',
      { operating_hours: { start_hour: 9, end_hour: 9 } },
      'operating_hours',
    ],
    ['no hours', { operating_hours: null }, 'operating_hours'],
    [
      'hours with something more',
      { operating_hours: { start_hour: 9, end_hour: 10, on: 'Monday' } },
      'operating_hours.on',
    ],
    ['a negative capacity', { capacity: -1 }, 'capacity'],
    ['a million seats', { capacity: 1_000_000 }, 'capacity'],
    ['half a seat', { capacity: 1.5 }, 'capacity'],
    ['a blank amenity', { amenities: ['wifi', ' '] }, 'amenities.1'],
    ['an amenity of 101 characters', { amenities: ['x'.repeat(101)] }, 'amenities.0'],
    ['201 amenities', { amenities: Array(201).fill('wifi') }, 'amenities'],
    ['no amenities as null', { amenities: null }, 'amenities'],
    ['a photo without a host', { photo_urls: ['https:///1.jpg'] }, 'photo_urls.0'],
    ['a photo with white space', { photo_urls: ['https://a.example/1 2.jpg'] }, 'photo_urls.0'],
    ['a photo that is a script', { photo_urls: ['javascript:alert(1)'] }, 'photo_urls.0'],
    ['a photo of 2049 characters', { photo_urls: [`https://a.example/${'x'.repeat(2031)}`] }, 'photo_urls.0'],
    ['a token that is not to be rotated', { rotate_ical_token: false }, 'rotate_ical_token'],
    ['a calendar that is no text', { connect_calendar: 5 }, 'connect_calendar'],
    ['no calendar', { connect_calendar: null }, 'connect_calendar'],
    ['a connection whose id is none', { disconnect_calendar: 'x' }, 'disconnect_calendar'],
  ];
  test('bad input is 422 and names the field, and nothing changes', async () => {
    const before = await belongings(world, hostId, 'production');
    for (const [what, body, field] of bad) {
      const { details } = refused(await patch(body), 422, 'VALIDATION_ERROR');
      assert.equal(details[0].field, field, what);
    }
    assert.equal(await belongings(world, hostId, 'production'), before);
  });
});
