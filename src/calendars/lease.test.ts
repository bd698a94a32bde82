import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarOf } from '../../test/support/busy-hours.ts';
import { useCalendars } from '../../test/support/calendars.ts';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { openDesk } from '../../test/support/booking.ts';
import { onConnection } from '../../test/support/query.ts';
import { untilWaiting } from '../../test/support/until.ts';
import { openDatabase } from '../db/open.ts';
import * as calendars from './calendars.ts';
import { subscribe } from '../spaces/update.ts';
import { operator } from '../../test/support/operator.ts';

const TWO_HOURS = calendarOf(['UID:1', 'DTSTART:20270401T100000', 'DTEND:20270401T120000']);
const ONE_HOUR = calendarOf(['UID:1', 'DTSTART:20270401T150000', 'DTEND:20270401T160000']);

onBothEngines('who polls a calendar', (engine) => {
  const { world, server, subscribed, hoursOf } = useCalendars(engine);

  /** A poll whose answer waits until the test lets it go. */
  async function slowPoll(text: string): Promise<{ answer(): void; polled: Promise<unknown>; id: string }> {
    const id = await subscribed();
    const arrived = Promise.withResolvers<() => void>();
    server.handle((_request, response) => arrived.resolve(() => response.writeHead(200).end(text)));
    const polled = calendars.pollDue(world.ctx);
    const answer = await arrived.promise;
    return { id, polled, answer };
  }

  test('a request to import now waits for the poll under way and imports after it', async () => {
    const slow = await slowPoll(TWO_HOURS);
    const syncing = calendars.sync(world.ctx, operator, slow.id);
    server.serve(ONE_HOUR);
    slow.answer();
    await slow.polled;
    const result = await syncing;
    assert.ok(result.result === 'imported');
    assert.deepEqual([result.added, result.freed], [1, 2], 'against what the poll had imported');
    assert.equal(server.requests.length, 2);
  });

  test('a dead worker’s calendar is polled by another one, and what comes back too late changes nothing', async () => {
    const slow = await slowPoll(TWO_HOURS);
    await calendars.pollDue(world.ctx);
    assert.equal(server.requests.length, 1, 'not while it may be alive');
    world.clock.advance({ minutes: 3 });
    server.serve(ONE_HOUR);
    await calendars.pollDue(world.ctx);
    slow.answer();
    await slow.polled;
    assert.deepEqual(await hoursOf(slow.id), ['2027-04-01 15']);
  });

  test('a calendar that is removed while it is polled leaves nothing behind', async () => {
    const slow = await slowPoll(TWO_HOURS);
    await calendars.remove(world.ctx, operator, slow.id);
    slow.answer();
    await slow.polled;
    assert.deepEqual(await hoursOf(slow.id), []);
  });

  test('a worker that stops gives up its polls, and others can go on at once', async () => {
    const id = await subscribed();
    const arrived = Promise.withResolvers<void>();
    server.handle(() => arrived.resolve());
    const stopping = new AbortController();
    const polled = calendars.pollDue(world.ctx, stopping.signal);
    await arrived.promise;
    stopping.abort();
    await polled;
    server.serve(TWO_HOURS);
    await calendars.pollDue(world.ctx);
    assert.deepEqual(await hoursOf(id), ['2027-04-01 10', '2027-04-01 11']);
    const [row] = await calendars.list(world.ctx);
    assert.equal(row?.failures, 0);
  });

  test('an unknown calendar cannot be imported or removed', async () => {
    const unknown = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
    const error = { name: 'OperatorError', message: `there is no calendar ${unknown}` };
    await assert.rejects(calendars.sync(world.ctx, operator, unknown), error);
    await assert.rejects(calendars.remove(world.ctx, operator, unknown), error);
  });
});

onPostgres('workers on one database', (engine) => {
  const { world, server } = useCalendars(engine);

  test('each calendar is polled by exactly one of them', async (t) => {
    server.serve(TWO_HOURS);
    const spaceId = await world.addSpace(await world.addHost());
    for (let n = 0; n < 12; n++) await subscribe(world.ctx, operator, spaceId, `${server.url}?${n}`);
    const { config, log } = world.ctx;
    const others = Array.from({ length: 3 }, () => openDatabase(config, log));
    t.after(() => Promise.all(others.map((db) => db.close())));
    const workers = [world.ctx, ...others.map((db) => ({ ...world.ctx, db }))];
    await Promise.all(workers.map((ctx) => calendars.pollDue(ctx)));
    assert.deepEqual(
      server.requests.map((request) => String(request.url)).sort(),
      Array.from({ length: 12 }, (_, n) => `/secret-token/calendar.ics?${n}`).sort(),
    );
    const imported = await world.rows('select distinct calendar_id from external_hours');
    assert.equal(imported.length, 12);
  });

  test('an hour that two calendars of a space free at the same time is announced once', async () => {
    const desk = await openDesk(world);
    for (const n of [1, 2]) await subscribe(world.ctx, operator, desk.spaceId, `${server.url}?${n}`);
    server.serve(TWO_HOURS);
    await calendars.pollDue(world.ctx);
    server.serve(ONE_HOUR);
    world.clock.advance({ hours: 1 });
    await onConnection(world.databaseUrl, async (holder) => {
      await holder.query(`begin; select 1 from external_hours where host_id = '${desk.hostId}' for update`);
      const polled = calendars.pollDue(world.ctx);
      await untilWaiting(world, 2);
      await holder.query('rollback');
      await polled;
    });
    const told = (await desk.events()).map(({ data }) => ('hours' in data ? data.hours : []));
    assert.deepEqual(told, [[10, 11], [15], [10, 11]]);
  });
});
