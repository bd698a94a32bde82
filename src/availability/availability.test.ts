import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { markBusy } from '../../test/support/external-calendar.ts';
import { useWorld } from '../../test/support/world.ts';
import { addDays } from '../time/dates.ts';

onBothEngines('GET availability', (engine) => {
  const world = useWorld(engine);

  const ask = async ({ key, spaceId }: Desk, query: string) => {
    const path = `/api-availability/api/v1/spaces/${spaceId}/availability?${query}`;
    const answer = await world.call('GET', path, { key });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };

  const cases: [what: string, first: string, count: number][] = [
    ['an ordinary month', '2027-06-01', 31],
    ['the hour that is skipped', '2027-03-10', 10],
    ['the day that has begun', '2027-02-27', 4],
    ['the last days there are', '9999-12-20', 12],
  ];
  for (const [what, first, count] of cases)
    test(`with days answers for each date what the date alone answers: ${what}`, async () => {
      const desk = await openDesk(world);
      const dates = Array.from({ length: count }, (_, i) => addDays(first, i));
      for (const [i, date] of dates.entries()) {
        const hour = (i * 5) % 21;
        if (i % 3 === 0) await desk.book({ date, start_hour: hour, end_hour: hour + 2 });
        if (i % 3 !== 1)
          await desk.block({ date, start_hour: 22, end_hour: 24, ...(i % 2 && { reason: 'Cleaning' }) });
        if (i % 4 === 0)
          await world.ctx.db.transaction((tx) => markBusy(tx, { ...desk, date, hour: hour + 1 }));
      }
      const { days, ...top } = await ask(desk, `date=${first}&days=${count}`);
      const alone = await Promise.all(dates.map((date) => ask(desk, `date=${date}`)));
      assert.deepEqual(top, alone[0]);
      assert.deepEqual(
        days.map((day) => JSON.stringify(day)),
        alone.map(({ date, slots, blocks }) => JSON.stringify({ date, slots, blocks })),
      );
    });

  test('goes up to the end of the year 9999 in UTC', async () => {
    const desk = await openDesk(world);
    const { slots } = await ask(desk, 'date=9999-12-31');
    const free = slots.filter((slot) => slot.available).map((slot) => slot.hour);
    assert.deepEqual(
      free,
      Array.from({ length: 18 }, (_, hour) => hour),
    );
  });
});
