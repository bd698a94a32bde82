import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { chosen, initialValues, isShownToHost } from '../fields/fields.ts';
import { SPACE } from './fields.ts';

onBothEngines('GET spaces', (engine) => {
  const world = useWorld(engine);

  test('answers every field of the record, prices in major units', async () => {
    const hostId = await world.addHost({ currency: 'KWD', timezone: 'Asia/Kuwait' });
    const { key } = await world.addKey(hostId);
    const id = await world.addSpace(hostId, {
      title: '한강 파티룸',
      description: null,
      capacity: null,
      price_per_hour: 12.345,
      timezone: 'Asia/Kuwait',
      operating_hours: { start_hour: 9, end_hour: 22 },
      rating: 4.67,
      is_active: false,
      amenities: [],
    });
    const space = {
      // A field that is newer than this test.
      ...initialValues(chosen(SPACE, isShownToHost)),
      id,
      title: '한강 파티룸',
      category_slug: 'studio',
      description: null,
      address: '1 Test Street',
      area: 'Testville',
      price_per_hour: 12.345,
      capacity: null,
      operating_hours: { start_hour: 9, end_hour: 22 },
      weekly_hours: null,
      booking_rules: { min_hours: null, max_hours: null, lead_hours: null, horizon_days: null },
      rating: 4.67,
      review_count: 3,
      is_active: false,
      amenities: [],
      photo_urls: ['https://images.example.com/1.jpg'],
      timezone: 'Asia/Kuwait',
      currency: 'KWD',
      external_calendars: [],
    };
    const list = await world.call('GET', '/api-listings/api/v1/spaces', { key });
    assert.deepEqual(list.body, { success: true, data: { spaces: [space] } });
    const detail = await world.call('GET', `/api-listings/api/v1/spaces/${id}`, { key });
    assert.equal(detail.status, 200);
    assert.deepEqual(detail.body, { success: true, data: { space } });
  });
});
