import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { afterEach, test } from 'node:test';
import { calendarOf } from '../../test/support/busy-hours.ts';
import { useCalendarServer } from '../../test/support/calendar-server.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import * as blocks from '../blocks/blocks.ts';
import * as calendars from './calendars.ts';

onBothEngines('importing a calendar', (engine) => {
  const world = useWorld(engine);
  const server = useCalendarServer();

  interface Subscribed {
    id: string;
    spaceId: string;
    key: string;
    hostId: string;
  }

  async function subscribed(): Promise<Subscribed> {
    const hostId = await world.addHost();
    const { key } = await world.addKey(hostId);
    const spaceId = await world.addSpace(hostId);
    const { id } = await calendars.subscribe(world.ctx, spaceId, server.url);
    return { id, spaceId, key, hostId };
  }

  async function reasons(from: Subscribed, date: string): Promise<Record<string, string>> {
    const path = `/api-availability/api/v1/spaces/${from.spaceId}/availability?date=${date}`;
    const answer = await world.call('GET', path, { key: from.key });
    const slots = answer.body.data.slots as { hour: number; block_reason: string | null }[];
    return Object.fromEntries(
      slots.flatMap(({ hour, block_reason }) => (block_reason === null ? [] : [[hour, block_reason]])),
    );
  }

  function book(from: Subscribed, date: string, start_hour: number, end_hour: number) {
    return world.call('POST', '/api-create-booking/api/v1/bookings', {
      key: from.key,
      body: {
        space_id: from.spaceId,
        date,
        start_hour,
        end_hour,
        guest_email: 'guest@example.com',
        guest_name: 'Guest',
      },
    });
  }

  const seen = new Set<string>();

  /** What the imports since the last look have told, by date. */
  async function news(from: Subscribed): Promise<string[]> {
    const rows = await world.rows(
      `select id, data from events where host_id = $1 and type = 'availability.changed'`,
      [from.hostId],
    );
    return rows
      .filter(({ id }) => !seen.has(id) && seen.add(id))
      .map(
        (row) => JSON.parse(row.data) as { date: string; hours: number[]; cause: string; space_id: string },
      )
      .filter(({ cause, space_id }) => cause === 'external_calendar' && space_id === from.spaceId)
      .map(({ date, hours }) => `${date} ${hours.join(',')}`)
      .sort();
  }

  afterEach(async () => {
    for (const { id } of await calendars.list(world.ctx)) await calendars.remove(world.ctx, id);
  });

  test('its hours show as external blocks and nobody can book them', async () => {
    const from = await subscribed();
    server.serveEvents('10:00-12:00 on 2027-03-18');
    await calendars.pollDue(world.ctx);
    assert.deepEqual(await reasons(from, '2027-03-18'), { 10: 'external_block', 11: 'external_block' });
    const refused = await book(from, '2027-03-18', 9, 12);
    assert.equal(refused.status, 409);
    assert.equal(refused.body.error.code, 'BOOKING_CONFLICT');
    assert.deepEqual(refused.body.error.details, { hours: [10, 11] });
    assert.equal((await book(from, '2027-03-18', 12, 13)).status, 200);
  });

  test('one event a date tells which hours changed', async () => {
    const from = await subscribed();
    server.serveEvents('10:00-12:00 on 2027-03-18', '14:00-15:00 on 2027-03-18', '09:00-10:00 on 2027-03-19');
    await calendars.pollDue(world.ctx);
    assert.deepEqual(await news(from), ['2027-03-18 10,11,14', '2027-03-19 9']);
  });

  test('a changed event moves its hours, a removed one frees them', async () => {
    const from = await subscribed();
    server.serveEvents('10:00-12:00 on 2027-03-18', '09:00-10:00 on 2027-03-19');
    await calendars.sync(world.ctx, from.id);
    await news(from);
    server.serve(calendarOf(['UID:moved', 'DTSTART:20270318T110000', 'DTEND:20270318T130000']));
    const done = await calendars.sync(world.ctx, from.id);
    assert.deepEqual(done, {
      result: 'imported',
      busy: 2,
      added: 1,
      freed: 2,
      overlaps: [],
      warning: null,
    });
    assert.deepEqual(await reasons(from, '2027-03-18'), { 11: 'external_block', 12: 'external_block' });
    assert.deepEqual(await reasons(from, '2027-03-19'), {});
    assert.deepEqual(await news(from), ['2027-03-18 10,12', '2027-03-19 9']);
  });

  test('an import that changes nothing tells nothing', async () => {
    const from = await subscribed();
    server.serveEvents('10:00-12:00 on 2027-03-18');
    await calendars.sync(world.ctx, from.id);
    await calendars.sync(world.ctx, from.id);
    assert.deepEqual(await news(from), ['2027-03-18 10,11']);
  });

  test('a booking where the calendar is busy stays, and is reported once', async () => {
    const from = await subscribed();
    server.serveEvents('10:00-12:00 on 2027-03-18');
    const { id } = (await book(from, '2027-03-18', 11, 13)).body.data.booking;
    const done = await calendars.sync(world.ctx, from.id);
    assert.equal(done.result, 'imported');
    assert.deepEqual(done.overlaps, [{ booking_id: id, date: '2027-03-18', hours: [11] }]);
    for (let poll = 0; poll < 3; poll++) {
      world.clock.advance({ minutes: 15 });
      await calendars.pollDue(world.ctx);
    }
    const lines = world
      .logText()
      .split('\n')
      .filter((line) => line.includes(id));
    assert.equal(lines.length, 1);
    assert.match(lines[0]!, /"level":"warn".*"date":"2027-03-18","hours":\[11\]/);
    assert.deepEqual(await reasons(from, '2027-03-18'), { 10: 'external_block', 11: 'booked', 12: 'booked' });
    assert.deepEqual(await news(from), ['2027-03-18 10']);
  });

  test('when the booking goes, the hour stays blocked by the calendar', async () => {
    const from = await subscribed();
    server.serveEvents('10:00-11:00 on 2027-03-18');
    const { id } = (await book(from, '2027-03-18', 10, 11)).body.data.booking;
    await calendars.sync(world.ctx, from.id);
    const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
    assert.equal((await world.call('POST', path, { key: from.key, body: { reason: 'ill' } })).status, 200);
    assert.deepEqual(await reasons(from, '2027-03-18'), { 10: 'external_block' });
  });

  test('an hour that something else holds too does not change hands', async () => {
    const from = await subscribed();
    const second = await calendars.subscribe(world.ctx, from.spaceId, `${server.url}?second`);
    const range = {
      hostId: from.hostId,
      spaceId: from.spaceId,
      date: '2027-03-18',
      startHour: 9,
      endHour: 10,
    };
    await world.ctx.db.transaction((tx) =>
      blocks.place(tx, world.clock.now(), { environment: 'production' }, range, 'Cleaning'),
    );
    server.serveEvents('09:00-12:00 on 2027-03-18');
    await calendars.sync(world.ctx, from.id);
    assert.deepEqual(await news(from), ['2027-03-18 10,11'], 'not the one that the host had blocked');
    server.serveEvents('11:00-13:00 on 2027-03-18');
    await calendars.sync(world.ctx, second.id);
    assert.deepEqual(await news(from), ['2027-03-18 12'], 'not the one the first calendar has');
    server.serveEvents('20:00-21:00 on 2027-03-20');
    await calendars.sync(world.ctx, from.id);
    assert.deepEqual(await news(from), ['2027-03-18 10', '2027-03-20 20']);
    assert.deepEqual(await reasons(from, '2027-03-18'), {
      9: 'host_block',
      11: 'external_block',
      12: 'external_block',
    });
  });

  test('hours that are over are imported and tell nobody anything', async () => {
    const from = await subscribed();
    const now = new Date(world.clock.now());
    const yesterday = new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10);
    server.serveEvents(`08:00-10:00 on ${yesterday}`);
    await calendars.sync(world.ctx, from.id);
    assert.deepEqual(await reasons(from, yesterday), { 8: 'external_block', 9: 'external_block' });
    assert.deepEqual(await news(from), []);
  });

  test('what this space’s own feed says does not come back, another space’s does', async () => {
    const from = await subscribed();
    server.serve(
      calendarOf(
        [`UID:1@${from.spaceId}.hourkeep`, 'DTSTART:20270318T100000', 'DURATION:PT1H'],
        ['UID:2@another-space.hourkeep', 'DTSTART:20270318T120000', 'DURATION:PT1H'],
      ),
    );
    await calendars.sync(world.ctx, from.id);
    assert.deepEqual(await reasons(from, '2027-03-18'), { 12: 'external_block' });
  });

  test('a calendar may come packed', async () => {
    const from = await subscribed();
    const text = calendarOf(['UID:1', 'DTSTART:20270318T100000', 'DURATION:PT1H']);
    server.serve(gzipSync(text), { 'content-encoding': 'gzip' });
    await calendars.sync(world.ctx, from.id);
    assert.match(String(server.requests.at(-1)?.headers['accept-encoding']), /gzip/);
    assert.deepEqual(await reasons(from, '2027-03-18'), { 10: 'external_block' });
  });

  test('most of a year, every hour, is imported whole, with an event for each date', async () => {
    const from = await subscribed();
    server.serve(calendarOf(['UID:1', 'DTSTART;VALUE=DATE:20270401', 'RRULE:FREQ=DAILY;COUNT=300']));
    const done = await calendars.sync(world.ctx, from.id);
    assert.equal(done.result, 'imported');
    assert.equal(done.added, 300 * 24);
    assert.equal((await news(from)).length, 300);
    assert.deepEqual(await calendars.remove(world.ctx, from.id), { freed: 300 * 24 });
    assert.equal((await news(from)).length, 300);
  });

  test('rolling entries that move with the day do not pile up', async () => {
    const from = await subscribed();
    const counts = new Set<number>();
    for (let day = 0; day < 5; day++) {
      const today = new Date(world.clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
      server.serve(
        calendarOf([
          `UID:${today}@airbnb.com`,
          `DTSTART;VALUE=DATE:${today}`,
          'DURATION:P3D',
          'SUMMARY:Not available',
        ]),
      );
      await calendars.pollDue(world.ctx);
      const [row] = await world.rows(
        `select count(*) as hours from external_hours where calendar_id = $1 and date >= $2`,
        [from.id, new Date(world.clock.now()).toISOString().slice(0, 10)],
      );
      counts.add(Number(row.hours));
      world.clock.advance({ hours: 24 });
    }
    assert.deepEqual([...counts], [72]);
  });
});
