import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { calendarOf } from '../../test/support/busy-hours.ts';
import { useCalendars } from '../../test/support/calendars.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import * as calendars from './calendars.ts';
import { subscribe } from '../spaces/update.ts';
import { operator } from '../../test/support/operator.ts';

onBothEngines('importing a calendar', (engine) => {
  const { world, server } = useCalendars(engine);

  /** A desk whose space has an external calendar. */
  async function subscribed() {
    const desk = await openDesk(world);
    const { id } = await subscribe(world.ctx, operator, desk.spaceId, server.url);
    let heard = 0;
    /** What the imports since the last look have told, by date. */
    const news = async (): Promise<string[]> => {
      const told = (await desk.events()).flatMap(({ type, data }) =>
        type === 'availability.changed' && data.cause === 'external_calendar'
          ? `${data.date} ${data.hours.join(',')}`
          : [],
      );
      const fresh = told.slice(heard);
      heard = told.length;
      return fresh.sort();
    };
    const book = (date: string, start_hour: number, end_hour: number) =>
      desk.book({ date, start_hour, end_hour });
    return { ...desk, id, book, news };
  }

  test('a changed event moves its hours, a removed one frees them', async () => {
    const from = await subscribed();
    server.serveEvents('10:00-12:00 on 2027-03-18', '09:00-10:00 on 2027-03-19');
    await calendars.sync(world.ctx, operator, from.id);
    await from.news();
    server.serve(calendarOf(['UID:moved', 'DTSTART:20270318T110000', 'DTEND:20270318T130000']));
    const done = await calendars.sync(world.ctx, operator, from.id);
    const imported = { result: 'imported', busy: 2, added: 1, freed: 2, overlaps: [], warning: null };
    assert.deepEqual(done, imported);
    assert.deepEqual(await from.reasons('2027-03-18'), { 11: 'external_block', 12: 'external_block' });
    assert.deepEqual(await from.reasons('2027-03-19'), {});
    assert.deepEqual(await from.news(), ['2027-03-18 10,12', '2027-03-19 9']);
  });

  test('a booking where the calendar is busy stays, and is reported once', async () => {
    const from = await subscribed();
    server.serveEvents('10:00-12:00 on 2027-03-18');
    const { id } = (await from.book('2027-03-18', 11, 13)).body.data.booking;
    const done = await calendars.sync(world.ctx, operator, from.id);
    assert.equal(done.result, 'imported');
    assert.deepEqual(done.overlaps, [{ booking_id: id, date: '2027-03-18', hours: [11] }]);
    for (let poll = 0; poll < 3; poll++) {
      world.clock.advance({ minutes: 15 });
      await calendars.pollDue(world.ctx);
    }
    const lines = world.logLines(id).filter((line) => !line.includes('"message":"request"'));
    assert.equal(lines.length, 1);
    assert.match(lines[0]!, /"level":"warn".*"date":"2027-03-18","hours":\[11\]/);
    assert.deepEqual(await from.reasons('2027-03-18'), { 10: 'external_block', 11: 'booked', 12: 'booked' });
    assert.deepEqual(await from.news(), ['2027-03-18 10']);
  });

  test('most of a year, every hour, is imported whole, with an event for each date', async () => {
    const from = await subscribed();
    server.serve(calendarOf(['UID:1', 'DTSTART;VALUE=DATE:20270401', 'RRULE:FREQ=DAILY;COUNT=300']));
    const done = await calendars.sync(world.ctx, operator, from.id);
    assert.equal(done.result, 'imported');
    assert.equal(done.added, 300 * 24);
    assert.equal((await from.news()).length, 300);
    assert.deepEqual(await calendars.remove(world.ctx, operator, from.id), { freed: 300 * 24 });
    assert.equal((await from.news()).length, 300);
  });
});
