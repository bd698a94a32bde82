import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { counting } from '../../test/support/counting.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { insertManyBookings } from '../../test/support/many-bookings.ts';
import { putBooking } from '../../test/support/put-booking.ts';
import { until } from '../../test/support/until.ts';
import { useWorld } from '../../test/support/world.ts';
import * as blocks from '../blocks/blocks.ts';
import { longReads } from '../db/long-reads.ts';
import * as icalFeed from './ical-feed.ts';

const EARLY = '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c77';

onBothEngines('long calendar feeds', (engine) => {
  const world = useWorld(engine);
  const stays = new AbortController().signal;
  let hostId: string;
  let spaceId: string;
  let token: string;
  let days: string[];
  const open = () => icalFeed.open(world.ctx, spaceId, token);

  // A space that is booked out for forty days but for what is blocked every evening.
  before(async () => {
    const today = new Date(world.clock.now()).toISOString().slice(0, 10);
    days = Array.from({ length: 40 }, (_, i) => Temporal.PlainDate.from(today).add({ days: i }).toString());
    hostId = await world.addHost();
    spaceId = await world.addSpace(hostId);
    await insertManyBookings(world.ctx.db, { hostId, environment: 'production', days, perDay: 20, today });
    token = await world.newFeedToken(spaceId);
    await world.ctx.db.transaction(async (tx) => {
      for (const date of days) {
        const range = { hostId, spaceId, date, startHour: 21, endHour: 23 };
        await blocks.writeBlock(tx, world.clock.now(), { environment: 'production' }, range, date);
      }
    });
  });

  test('have every booking and every block once', async () => {
    const text = String((await icalFeed.read(world.ctx, await open(), stays)).bytes);
    const uids = [...text.matchAll(/^UID:(.*)@/gm)].map(([, id]) => id!);
    const booked = await world.rows<{ id: string }>(
      `select id from bookings where host_id = $1 and status <> 'cancelled'`,
      [hostId],
    );
    assert.ok(booked.length > 600);
    assert.equal(new Set(uids).size, uids.length);
    assert.equal(uids.length, booked.length + days.length);
    assert.ok(booked.every(({ id }) => uids.includes(id)));
    assert.equal(text.split('BEGIN:VCALENDAR').length, 2);
    assert.match(text, /END:VEVENT\r\nEND:VCALENDAR\r\n$/);
  });

  /** How many statements one reading takes. */
  async function statementsOfOne(): Promise<number> {
    const counted = counting(world.ctx);
    await icalFeed.read(counted.ctx, await open(), stays);
    return counted.statements();
  }

  test('are read once for all who come together', async () => {
    const counted = counting(world.ctx);
    const space = await open();
    const feeds = await Promise.all(
      Array.from({ length: 20 }, () => icalFeed.read(counted.ctx, space, stays)),
    );
    assert.equal(new Set(feeds).size, 1);
    assert.equal(counted.statements(), await statementsOfOne());
  });

  test('are one text for all who download them, also when they come one after the other', async () => {
    const space = await open();
    const first = await icalFeed.read(world.ctx, space, stays);
    const second = await icalFeed.read(world.ctx, space, stays);
    assert.equal(first.bytes, second.bytes);
  });

  test('show what stood when they were asked for, also to those who come in the middle of a reading', async () => {
    const counted = counting(world.ctx);
    const space = await open();
    const first = icalFeed.read(counted.ctx, space, stays);
    // The blocks, and two pages of bookings: it is past the first day.
    await until(() => counted.statements() >= 3);
    const early = { host_id: hostId, space_id: spaceId, id: EARLY, date: days[0]! };
    await putBooking(world, { ...early, start_hour: 20, end_hour: 21 });
    const others = await Promise.all([1, 2, 3].map(() => icalFeed.read(counted.ctx, space, stays)));
    assert.ok(!String((await first).bytes).includes(EARLY));
    assert.equal(new Set(others).size, 1);
    assert.ok(String(others[0]!.bytes).includes(EARLY));
    await world.write('delete from bookings where id = $1', [EARLY]);
  });

  test('are read no further when all who wanted them have gone, and to the end while one is left', async () => {
    const space = await open();
    const [one, another] = [new AbortController(), new AbortController()];
    const counted = counting(world.ctx);
    const asked = [one, another].map(({ signal }) => icalFeed.read(counted.ctx, space, signal));
    await until(() => counted.statements() > 1);
    one.abort(new Error('gone'));
    assert.equal((await asked[1]!).bytes.subarray(-3).toString(), 'R\r\n');
    const all = counted.statements();

    const left = new AbortController();
    const again = icalFeed.read(counted.ctx, space, left.signal);
    const rejected = assert.rejects(again, { message: 'gone' });
    // At each turn: a pause between two looks would let it read on.
    while (counted.statements() <= all) await nextTurn();
    left.abort(new Error('gone'));
    await rejected;
    // Behind whatever is still in line.
    await longReads.begin(hostId, stays).part(() => undefined);
    assert.ok(counted.statements() < all + all, `${counted.statements() - all} of ${all}`);
    assert.ok((await icalFeed.read(world.ctx, space, stays)).bytes.length > 0);
  });
});
