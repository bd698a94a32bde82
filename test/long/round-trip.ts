import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as calendars from '../../src/calendars/calendars.ts';
import { subscribe } from '../../src/spaces/update.ts';
import { icalUrl } from '../../src/spaces/spaces.ts';
import { isSkipped, localDay } from '../../src/time/local-day.ts';
import type { BlockReason } from '../../src/hours/hours.ts';
import { openDesk, type Desk } from '../support/booking.ts';
import { onOneEngine } from '../support/engines.ts';
import { useWorld, type World } from '../support/world.ts';
import { operator } from '../support/operator.ts';

/** One zone for each way clocks change: in the small hours, at midnight, by half an hour. */
const ZONES = ['America/New_York', 'Europe/Berlin', 'Asia/Beirut', 'Australia/Lord_Howe'];
const DAY_MS = 86_400_000;

type Room = Desk & { world: World };

onOneEngine('from one Hourkeep’s feed into another one', (engine) => {
  const ours = useWorld(engine);
  const theirs = useWorld(engine);

  const addRoom = async (world: World, timezone: string): Promise<Room> => ({
    ...(await openDesk(world, { timezone }, { timezone })),
    world,
  });

  /** The calendar there, which reads what is held here. */
  async function follow(there: Room, here: Room): Promise<string> {
    const url = icalUrl(here.world.url, here.spaceId, await here.world.newFeedToken(here.spaceId));
    return (await subscribe(there.world.ctx, operator, there.spaceId, url)).id;
  }

  const sync = ({ world }: Room, id: string) => calendars.sync(world.ctx, operator, id);

  /** Holds two hours of every three, half of them by bookings and half by blocks. */
  async function fill({ book, block }: Room, timezone: string, date: string): Promise<void> {
    const day = localDay(timezone, date);
    for (let hour = 0; hour < 24; hour++) {
      if (hour % 3 === 2 || isSkipped(day, hour)) continue;
      const hours = { date, start_hour: hour, end_hour: hour + 1 };
      const answer = await (hour % 2 === 0 ? book(hours) : block(hours));
      assert.equal(answer.status, 200, answer.text);
    }
  }

  async function held(room: Room, date: string, ...reasons: BlockReason[]): Promise<number[]> {
    const found = Object.entries(await room.reasons(date));
    return found.filter(([, reason]) => reasons.includes(reason)).map(([hour]) => Number(hour));
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
      const done = await sync(there, await follow(there, here));
      let expected = 0;
      for (const date of dates) {
        const own = await held(here, date, 'booked', 'host_block');
        assert.deepEqual(await held(there, date, 'external_block'), own, date);
        expected += own.length;
      }
      assert.ok(done.result === 'imported');
      assert.equal(done.busy, expected, 'and no other hour of the year');
    });
  }

  const date = '2027-03-18';
  const at = (hour: number) => ({ date, start_hour: hour, end_hour: hour + 1 });

  test('what is cancelled here is free there', async () => {
    const [here, there] = [await addRoom(ours, 'Asia/Seoul'), await addRoom(theirs, 'Asia/Seoul')];
    await here.made(at(9));
    const cancelled = await here.made(at(11));
    const id = await follow(there, here);
    await sync(there, id);
    assert.deepEqual(await held(there, date, 'external_block'), [9, 11]);
    await here.cancel(cancelled.id);
    await sync(there, id);
    assert.deepEqual(await held(there, date, 'external_block'), [9]);
  });

  test('our own feed does not come back to us, straight or by way of another', async () => {
    const [here, there] = [await addRoom(ours, 'Asia/Seoul'), await addRoom(theirs, 'Asia/Seoul')];
    await here.made(at(9));
    const result = await sync(here, await follow(here, here));
    assert.ok(result.result === 'imported');
    assert.deepEqual([result.busy, result.overlaps], [0, []]);

    await sync(there, await follow(there, here));
    await there.made(at(20));
    await sync(here, await follow(here, there));
    assert.deepEqual(await held(here, date, 'booked'), [9]);
    assert.deepEqual(await held(here, date, 'external_block'), [20], 'only what is theirs');
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
