import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { insertManyBookings } from '../../test/support/many-bookings.ts';
import { useWorld } from '../../test/support/world.ts';
import * as blocks from '../blocks/blocks.ts';
import { newIcalToken, hashIcalToken } from '../spaces/ical-token.ts';
import * as icalFeed from './ical-feed.ts';
import { render } from './render.ts';

onBothEngines('long calendar feeds', (engine) => {
  const world = useWorld(engine);

  /** A space that is booked out for forty days but for what is blocked every evening. */
  async function busySpace() {
    const today = new Date(world.clock.now()).toISOString().slice(0, 10);
    const days = Array.from({ length: 40 }, (_, i) =>
      Temporal.PlainDate.from(today).add({ days: i }).toString(),
    );
    const hostId = await world.addHost();
    const spaceId = await world.addSpace(hostId);
    await insertManyBookings(world.ctx.db, { hostId, environment: 'production', days, perDay: 20, today });
    const token = newIcalToken();
    await world.write(
      `update feeds set token_hash = '${hashIcalToken(token)}' where space_id = '${spaceId}'`,
    );
    await world.ctx.db.transaction(async (tx) => {
      for (const date of days) {
        const range = { hostId, spaceId, date, startHour: 21, endHour: 23 };
        await blocks.place(tx, world.clock.now(), { environment: 'production' }, range, date);
      }
    });
    return { hostId, spaceId, token, days };
  }

  test('a feed of many pages has every booking and every block once', async () => {
    const { hostId, spaceId, token, days } = await busySpace();
    const text = await icalFeed.read(world.ctx, spaceId, token);
    const uids = [...text.matchAll(/^UID:(.*)@/gm)].map(([, id]) => id!);
    const booked = await world.rows<{ id: string }>(
      `select id from bookings where host_id = $1 and status <> 'cancelled'`,
      [hostId],
    );
    assert.ok(booked.length > 600);
    assert.equal(new Set(uids).size, uids.length);
    assert.equal(uids.length, booked.length + days.length);
    assert.deepEqual(
      booked.filter(({ id }) => !uids.includes(id)),
      [],
    );
    assert.equal(text.split('BEGIN:VCALENDAR').length, 2);
    assert.match(text, /END:VEVENT\r\nEND:VCALENDAR\r\n$/);
  });
});

test('others get their turn while a long feed is written', async () => {
  const entry = { summary: 'Booked', startsAt: 0, endsAt: 3_600_000, revision: 0, changedAt: 0 } as const;
  const entries = Array.from({ length: 500 }, (_, i) => ({ ...entry, id: `booking-${i}` }));
  let turns = 0;
  const watch = setInterval(() => turns++, 0);
  const text = await render({ id: 'space', title: 'Room' }, entries);
  clearInterval(watch);
  assert.equal(text.split('BEGIN:VEVENT').length, 501);
  assert.ok(turns >= 9, `${turns} turns`);
});
