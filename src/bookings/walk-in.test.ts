import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import * as forOperator from './for-operators.ts';

const NOBODY = 'walk-in@walk-in.invalid';
const NOT_RUNNING = [{ field: 'start_hour', message: 'must be the hour that is running now, for a walk-in' }];

onBothEngines('a walk-in', (engine) => {
  const world = useWorld(engine);
  // 7:00 in New York.
  beforeEach(() => world.clock.set('2027-03-01T12:00:00Z'));

  const RUNNING = { walk_in: true, date: '2027-03-01', start_hour: 7, end_hour: 8 };
  const NAMELESS = { ...RUNNING, guest_email: undefined };

  test('takes the running hour until its last moment, and no other', async () => {
    const desk = await openDesk(world);
    for (const [start_hour, date] of [
      [6, '2027-03-01'],
      [8, '2027-03-01'],
      [7, '2027-02-28'],
      [7, '2027-03-02'],
    ] as const)
      assert.deepEqual(await desk.problems({ ...NAMELESS, date, start_hour, end_hour: 24 }), NOT_RUNNING);
    world.clock.set('2027-03-01T13:00:00Z');
    assert.deepEqual(await desk.problems(NAMELESS), NOT_RUNNING);
    world.clock.set('2027-03-01T11:59:59.999Z');
    assert.deepEqual(await desk.problems(NAMELESS), NOT_RUNNING);
    world.clock.set('2027-03-01T12:59:59.999Z');
    const { walk_in, guest_email, hours, starts_at } = await desk.made({ ...NAMELESS, end_hour: 9 });
    assert.deepEqual([walk_in, guest_email, hours, starts_at], [true, NOBODY, 2, '2027-03-01T12:00:00.000Z']);
  });

  test('takes the hour that daylight saving repeats in both of its halves, and none that it skips', async () => {
    const repeated = { ...NAMELESS, date: '2027-11-07', start_hour: 1, end_hour: 2 };
    for (const now of ['2027-11-07T05:00:00Z', '2027-11-07T06:59:59.999Z']) {
      world.clock.set(now);
      const booking = await (await openDesk(world)).made(repeated);
      assert.deepEqual(
        [booking.starts_at, booking.ends_at],
        ['2027-11-07T05:00:00.000Z', '2027-11-07T07:00:00.000Z'],
      );
    }
    const desk = await openDesk(world);
    world.clock.set('2027-11-07T07:00:00Z');
    assert.deepEqual(await desk.problems(repeated), NOT_RUNNING);
    const skipped = { ...NAMELESS, date: '2027-03-14', start_hour: 2, end_hour: 4 };
    for (const now of ['2027-03-14T06:59:59.999Z', '2027-03-14T07:00:00Z']) {
      world.clock.set(now);
      assert.deepEqual(await desk.problems(skipped), NOT_RUNNING);
    }
    await desk.made({ ...skipped, start_hour: 3 });
  });

  test('alone may lack an email, and an address that stands for none is none', async () => {
    const desk = await openDesk(world);
    const missing = [{ field: 'guest_email', message: 'is required' }];
    const later = { start_hour: 10, end_hour: 11 };
    for (const fields of [
      { guest_email: undefined },
      { guest_email: undefined, walk_in: false },
      { guest_email: NOBODY },
      { guest_email: 'Walk-In+x@walk-in.invalid' },
    ])
      assert.deepEqual(await desk.problems({ ...later, ...fields }), missing);
    const { id } = await desk.made(later);
    assert.deepEqual(await desk.problems({ ...later, guest_email: undefined, replaces: id }), missing);
  });

  test('is not together with replaces', async () => {
    const desk = await openDesk(world);
    const { id } = await desk.made({});
    const both = [{ field: 'walk_in', message: 'must not be true together with replaces' }];
    assert.deepEqual(await desk.problems({ ...NAMELESS, replaces: id }), both);
    assert.equal((await desk.made({ walk_in: false, replaces: id })).walk_in, false);
  });

  test('can be entered and moved by the operator as it is', async () => {
    const desk = await openDesk(world);
    const { id } = await desk.enter({ ...RUNNING, guest_email: NOBODY });
    const place = { date: '2027-03-01', startHour: 9, endHour: 10 };
    const moved = await forOperator.move(world.ctx, operator, id, place);
    assert.deepEqual([moved.guest_email, moved.walk_in, moved.source], [NOBODY, false, 'platform']);
    await assert.rejects(desk.enter({ ...RUNNING, start_hour: 11, end_hour: 12 }), /running now/);
    await assert.rejects(desk.enter({ guest_email: NOBODY }), /guest_email is required/);
  });
});
