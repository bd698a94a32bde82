import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { refused } from '../../test/support/answer.ts';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { untilWaiting } from '../../test/support/until.ts';
import { useWorld } from '../../test/support/world.ts';
import { guestKey } from './guest.ts';

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
    const others = answers.filter((answer) => answer.status !== 200);
    for (const answer of others) {
      refused(answer, 429, 'GUEST_BOOKING_VELOCITY');
      assert.equal(answer.headers.get('retry-after'), '3600');
    }
    assert.equal((await desk.heldHours()).length, 10);
    assert.equal((await desk.events()).length, 20);
  });
});

onPostgres('guest velocity of 1, for two bookings at the same moment', (engine) => {
  const world = useWorld(engine, { GUEST_VELOCITY_MAX: '1' });

  test('lets one of them stand, also when none has committed before both are there', async () => {
    const desk = await openDesk(world);
    // The first event of a subscription locks its row, and the second booking would wait for that.
    await desk.book({ start_hour: 8, end_hour: 9 });
    const gate = new Client({ connectionString: world.databaseUrl });
    await gate.connect();
    // A booking that has passed every check waits in its commit, until the gate opens.
    await gate.query(`
      select pg_advisory_lock(1);
      create function pass_gate() returns trigger language plpgsql as
        'begin perform pg_advisory_xact_lock_shared(1); return null; end';
      create constraint trigger gate after insert on bookings deferrable initially deferred
        for each row execute function pass_gate()`);
    const book = (start_hour: number) =>
      desk.book({ guest_email: 'ada@example.com', start_hour, end_hour: start_hour + 1 });
    const answers = Promise.all([book(10), book(14)]);
    await untilWaiting(world, 2);
    await gate.end();
    const [stands, other] = (await answers).sort((a, b) => a.status - b.status);
    assert.equal(stands.status, 200);
    refused(other, 429, 'GUEST_BOOKING_VELOCITY');
    assert.equal((await desk.heldHours()).length, 2);
  });
});

test('an address is compared in lower case and without its plus-tag', () => {
  assert.equal(guestKey('Ada+Spring@Example.COM'), 'ada@example.com');
  assert.equal(guestKey('a.d.a@example.com'), 'a.d.a@example.com');
  assert.equal(guestKey('+@example.com'), '+@example.com');
  assert.equal(guestKey('"a@b"+x@example.com'), '"a@b"@example.com');
});
