import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as calendars from '../../src/calendars/calendars.ts';
import { subscribe } from '../../src/spaces/update.ts';
import { icalUrl } from '../../src/spaces/spaces.ts';
import { isSkipped, localDay } from '../../src/time/local-day.ts';
import { onOneEngine } from '../support/engines.ts';
import { useWorld, type World } from '../support/world.ts';
import { operator } from '../support/operator.ts';

/** One zone for each way clocks change: in the small hours, at midnight, by half an hour. */
const ZONES = ['America/New_York', 'Europe/Berlin', 'Asia/Beirut', 'Australia/Lord_Howe'];
const DAY_MS = 86_400_000;

interface Room {
  world: World;
  spaceId: string;
  key: string;
}

onOneEngine('from one Hourkeep’s feed into another one', (engine) => {
  const ours = useWorld(engine);
  const theirs = useWorld(engine);

  async function addRoom(world: World, timezone: string): Promise<Room> {
    const hostId = await world.addHost({ timezone });
    const { key } = await world.addKey(hostId);
    return { world, spaceId: await world.addSpace(hostId, { timezone }), key };
  }

  async function feedOf({ world, spaceId }: Room): Promise<string> {
    const token = await world.newFeedToken(spaceId);
    return icalUrl(world.url, spaceId, token);
  }

  /** Holds two hours of every three, half of them by bookings and half by blocks. */
  async function fill(room: Room, timezone: string, date: string): Promise<void> {
    const day = localDay(timezone, date);
    for (let hour = 0; hour < 24; hour++) {
      if (hour % 3 === 2 || isSkipped(day, hour)) continue;
      const answer = await (hour % 2 === 0 ? book(room, date, hour) : block(room, date, hour));
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
  }

  function book({ world, spaceId, key }: Room, date: string, hour: number) {
    const guest = { guest_email: `guest-${date}-${hour}@example.com`, guest_name: 'Guest' };
    const body = { space_id: spaceId, date, start_hour: hour, end_hour: hour + 1, ...guest };
    return world.call('POST', '/api-create-booking/api/v1/bookings', { key, body });
  }

  function block({ world, spaceId, key }: Room, date: string, hour: number) {
    const body = { date, start_hour: hour, end_hour: hour + 1, reason: `Block ${hour}` };
    return world.call('POST', `/api-blocks/api/v1/spaces/${spaceId}/blocks`, { key, body });
  }

  async function held({ world, spaceId, key }: Room, date: string, reasons: string[]): Promise<number[]> {
    const path = `/api-availability/api/v1/spaces/${spaceId}/availability?date=${date}`;
    const { body } = await world.call('GET', path, { key });
    const slots = body.data.slots as { hour: number; block_reason: string | null }[];
    return slots.filter((slot) => reasons.includes(slot.block_reason ?? '')).map(({ hour }) => hour);
  }

  for (const timezone of ZONES) {
    test(`exactly our booked and blocked hours arrive, through both changes of the clocks in ${timezone}`, async () => {
      const [here, there] = [await addRoom(ours, timezone), await addRoom(theirs, timezone)];
      const dates = changesOf(timezone, ours.clock.now()).flatMap((date) => [
        date.subtract({ days: 1 }).toString(),
        date.toString(),
        date.add({ days: 1 }).toString(),
      ]);
      assert.equal(dates.length, 6);
      for (const date of dates) await fill(here, timezone, date);
      const { id } = await subscribe(theirs.ctx, operator, there.spaceId, await feedOf(here));
      const done = await calendars.sync(theirs.ctx, operator, id);
      let expected = 0;
      for (const date of dates) {
        const own = await held(here, date, ['booked', 'host_block']);
        assert.deepEqual(await held(there, date, ['external_block']), own, date);
        expected += own.length;
      }
      assert.ok(done.result === 'imported');
      assert.equal(done.busy, expected, 'and no other hour of the year');
    });
  }

  test('what is cancelled here is free there', async () => {
    const [here, there] = [await addRoom(ours, 'Asia/Seoul'), await addRoom(theirs, 'Asia/Seoul')];
    const date = '2027-03-18';
    const kept = await book(here, date, 9);
    const cancelled = await book(here, date, 11);
    const { id } = await subscribe(theirs.ctx, operator, there.spaceId, await feedOf(here));
    await calendars.sync(theirs.ctx, operator, id);
    assert.deepEqual(await held(there, date, ['external_block']), [9, 11]);
    const path = `/api-cancel-booking/api/v1/bookings/${cancelled.body.data.booking.id}/cancel`;
    await ours.call('POST', path, { key: here.key, body: { reason: 'ill' } });
    await calendars.sync(theirs.ctx, operator, id);
    assert.deepEqual(await held(there, date, ['external_block']), [9]);
    assert.equal(kept.status, 200);
  });

  test('our own feed does not come back to us, straight or by way of another', async () => {
    const [here, there] = [await addRoom(ours, 'Asia/Seoul'), await addRoom(theirs, 'Asia/Seoul')];
    const date = '2027-03-18';
    await book(here, date, 9);
    const straight = await subscribe(ours.ctx, operator, here.spaceId, await feedOf(here));
    const result = await calendars.sync(ours.ctx, operator, straight.id);
    assert.ok(result.result === 'imported');
    assert.deepEqual([result.busy, result.overlaps], [0, []]);

    await calendars.sync(
      theirs.ctx,
      operator,
      (await subscribe(theirs.ctx, operator, there.spaceId, await feedOf(here))).id,
    );
    await book(there, date, 20);
    const back = await subscribe(ours.ctx, operator, here.spaceId, await feedOf(there));
    await calendars.sync(ours.ctx, operator, back.id);
    assert.deepEqual(await held(here, date, ['booked']), [9]);
    assert.deepEqual(await held(here, date, ['external_block']), [20], 'only what is theirs');
  });
});

/** The dates of the next two changes of the clocks. */
function changesOf(timezone: string, now: number): Temporal.PlainDate[] {
  let at = Temporal.Instant.fromEpochMilliseconds(now + DAY_MS).toZonedDateTimeISO(timezone);
  return [1, 2].map(() => {
    const change = at.getTimeZoneTransition('next');
    if (change === null) throw new Error(`${timezone} does not change its clocks`);
    at = change;
    return change.subtract({ nanoseconds: 1 }).toPlainDate();
  });
}
