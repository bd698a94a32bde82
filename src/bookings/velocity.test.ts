import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { guestKey } from './guest-key.ts';
import * as bookings from './bookings.ts';

onBothEngines('guest velocity', (engine) => {
  const world = useWorld(engine);

  test('of 40 racing bookings of one guest exactly 10 stand, the rest are GUEST_BOOKING_VELOCITY', async () => {
    const desk = await openDesk(world);
    const spellings = ['ada@example.com', 'ADA@example.com', 'ada+1@example.com', 'Ada+two@Example.COM'];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        desk.book({
          date: `2027-07-${String(1 + (i % 20)).padStart(2, '0')}`,
          start_hour: i < 20 ? 3 : 7,
          end_hour: i < 20 ? 4 : 8,
          guest_email: spellings[i % 4],
        }),
      ),
    );
    assert.equal(answers.filter((answer) => answer.status === 200).length, 10);
    const refused = answers.filter((answer) => answer.status === 429);
    assert.equal(refused.length, 30);
    assert.equal(refused[0]?.body.error.code, 'GUEST_BOOKING_VELOCITY');
    assert.equal(refused[0]?.headers.get('retry-after'), '3600');
    assert.equal((await desk.heldHours()).length, 10);
    assert.equal((await desk.events()).length, 20);
  });

  test('the hour rolls: a place comes free when the oldest leaves it', async () => {
    const desk = await openDesk(world);
    const book = (hour: number) =>
      desk.book({ start_hour: hour, end_hour: hour + 1, guest_email: 'rolling@example.com' });
    for (let hour = 0; hour < 10; hour++) {
      assert.equal((await book(hour)).status, 200);
      world.clock.advance({ minutes: 1 });
    }
    const refused = await book(10);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), String(50 * 60));
    world.clock.advance({ minutes: 49, seconds: 59 });
    assert.equal((await book(10)).status, 429);
    world.clock.advance({ seconds: 1 });
    assert.equal((await book(10)).status, 200);
    assert.equal((await book(11)).status, 429);
  });

  test('cancelled bookings count, platform ones do not, other hosts and environments are apart', async () => {
    const desk = await openDesk(world);
    const guest_email = 'busy@example.com';
    for (let hour = 0; hour < 10; hour++) {
      const { id } = (await desk.book({ start_hour: hour, end_hour: hour + 1, guest_email })).body.data
        .booking;
      await desk.cancel(id);
    }
    assert.equal((await desk.book({ guest_email })).status, 429);
    const platform = await bookings.create(
      world.ctx,
      { hostId: desk.hostId, environment: 'production' },
      {
        spaceId: desk.spaceId,
        date: '2027-06-01',
        startHour: 20,
        endHour: 21,
        guestEmail: guest_email,
        guestName: 'B',
        guestPhone: null,
        settlementMode: 'host_settled',
        idempotencyKey: null,
      },
      'platform',
    );
    assert.equal(platform.booking.source, 'platform');
    const other = await openDesk(world);
    assert.equal((await other.book({ guest_email })).status, 200);
    const sandbox = await openDesk(world, {}, { environment: 'sandbox' });
    assert.equal((await sandbox.book({ guest_email })).status, 200);
  });

  test('comes before the conflict: a guest over the limit does not learn what is taken', async () => {
    const desk = await openDesk(world);
    const guest_email = 'curious@example.com';
    for (let hour = 0; hour < 10; hour++)
      await desk.book({ start_hour: hour, end_hour: hour + 1, guest_email });
    assert.equal(
      (await desk.book({ start_hour: 0, end_hour: 1, guest_email })).body.error.code,
      'GUEST_BOOKING_VELOCITY',
    );
  });
});

test('an address is compared in lower case and without its plus-tag', () => {
  assert.equal(guestKey('Ada+Spring@Example.COM'), 'ada@example.com');
  assert.equal(guestKey('a.d.a@example.com'), 'a.d.a@example.com');
  assert.equal(guestKey('+@example.com'), '+@example.com');
  assert.equal(guestKey('"a@b"+x@example.com'), '"a@b"@example.com');
});
