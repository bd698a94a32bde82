import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { markBusy } from '../../test/support/external-calendar.ts';
import { useWorld, type SpaceOverrides } from '../../test/support/world.ts';
import { addDays } from '../time/dates.ts';

onBothEngines('GET availability', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  before(async () => {
    desk = await openDesk(world);
  });
  const ask = (query: string, spaceId = desk.spaceId, key = desk.key) =>
    world.call('GET', `/api-availability/api/v1/spaces/${spaceId}/availability?${query}`, { key });

  // Zones and dates of every kind: clocks set forward and back, at midnight, by half an hour, and a day that was jumped over.
  const cases: [what: string, first: string, count: number, space: SpaceOverrides][] = [
    ['an ordinary month', '2027-06-01', 31, {}],
    ['the hour that is skipped', '2027-03-10', 10, { timezone: 'America/New_York' }],
    ['the hour that is repeated', '2027-11-01', 14, { timezone: 'America/New_York' }],
    ['midnight that is skipped', '2027-09-01', 10, { timezone: 'America/Santiago' }],
    ['half an hour', '2027-04-01', 10, { timezone: 'Australia/Lord_Howe' }],
    ['a date that was jumped over', '2011-12-28', 5, { timezone: 'Pacific/Apia' }],
    ['opening hours', '2027-06-01', 7, { operating_hours: { start_hour: 9, end_hour: 18 } }],
    ['an inactive space', '2027-06-01', 7, { is_active: false }],
    ['the day that has begun', '2027-02-27', 4, {}],
    ['the last days there are', '9999-12-20', 12, {}],
  ];
  for (const [what, first, count, space] of cases)
    test(`with days answers for each date what the date alone answers: ${what}`, async () => {
      const own = await openDesk(world, {}, space);
      const place = { hostId: own.hostId, spaceId: own.spaceId };
      const dates = Array.from({ length: count }, (_, i) => addDays(first, i));
      for (const [i, date] of dates.entries()) {
        const hour = (i * 5) % 21;
        if (i % 3 === 0) await own.book({ date, start_hour: hour, end_hour: hour + 2 });
        if (i % 3 !== 1)
          await own.block({ date, start_hour: 22, end_hour: 24, ...(i % 2 && { reason: 'Cleaning' }) });
        if (i % 4 === 0)
          await world.ctx.db.transaction((tx) => markBusy(tx, { ...place, date, hour: hour + 1 }));
      }
      const answer = await ask(`date=${first}&days=${count}`, own.spaceId, own.key);
      assert.equal(answer.status, 200, answer.text);
      const alone = await Promise.all(dates.map((date) => ask(`date=${date}`, own.spaceId, own.key)));
      const { days, ...top } = answer.body.data;
      assert.deepEqual(top, alone[0]!.body.data);
      assert.deepEqual(
        days?.map((day) => JSON.stringify(day)),
        alone.map(({ body }) => {
          const { date, slots, blocks } = body.data;
          return JSON.stringify({ date, slots, blocks });
        }),
      );
    });

  test('takes 1 to 31 days, and none beyond the year 9999', async () => {
    for (const days of ['0', '32', '1.5', 'x', '-1']) {
      const answer = await ask(`date=2027-06-01&days=${days}`);
      assert.equal(refused(answer, 422, 'VALIDATION_ERROR').details[0].field, 'days', days);
    }
    const { details } = refused(await ask('date=9999-12-20&days=13'), 422, 'VALIDATION_ERROR');
    assert.deepEqual(details, [{ field: 'days', message: 'must not lead beyond the year 9999' }]);
  });

  test('goes up to the end of the year 9999 in UTC', async () => {
    const { slots } = (await ask('date=9999-12-31')).body.data;
    assert.deepEqual(
      slots.filter((slot) => slot.available).map((slot) => slot.hour),
      Array.from({ length: 18 }, (_, hour) => hour),
    );
  });
});
