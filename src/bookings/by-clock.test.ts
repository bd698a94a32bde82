import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { counting } from '../../test/support/counting.ts';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { putBooking } from '../../test/support/put-booking.ts';
import { TEST_SECRET_KEY, useWorld, type World } from '../../test/support/world.ts';
import { list as listTrail } from '../audit/list.ts';
import type { Context } from '../context.ts';
import * as guests from '../guests/guests.ts';
import * as payments from '../payments/payments.ts';
import { loopsFor, tasksFor } from '../worker/tasks.ts';
import * as bookings from './by-clock.ts';
import type { BookingRow } from './fields.ts';
import * as forOperators from './for-operators.ts';

/** Bookings are made at 12:00 of the world's clock. */
const SETTING = { UNPAID_CANCEL_MINUTES: '30', SECRET_KEY: TEST_SECRET_KEY };
const BEFORE_DUE = '2027-03-01T12:29:59.999Z';
const DUE = '2027-03-01T12:30:00.000Z';

const withMinutes = (ctx: Context, unpaidCancelMinutes: number): Context => ({
  ...ctx,
  config: { ...ctx.config, unpaidCancelMinutes },
});

async function setUp(world: World, t: TestContext) {
  world.clock.restoreAfter(t);
  const desk = await openDesk(world);
  return {
    ...desk,
    /** Books hours that the guest is to pay to the platform. */
    unpaid: (fields: Record<string, unknown> = {}) =>
      desk.made({ settlement_mode: 'platform_settled', ...fields }),
    /** The clock moves on and a worker does all there is to do. */
    passTo: async (instant: string) => {
      world.clock.set(instant);
      while ((await bookings.cancelUnpaid(world.ctx)).more);
    },
    cancellations: async () =>
      (await desk.events()).flatMap((event) =>
        event.type === 'booking.cancelled' ? [event.data.booking.id] : [],
      ),
  };
}

onBothEngines('payment_due_at', (engine) => {
  const world = useWorld(engine, SETTING);

  // The simulation compares the other records.
  test('is in every record of an unpaid booking: a replay, the lists of commands, the export of its guest', async (t) => {
    const desk = await setUp(world, t);
    const email = 'due@example.com';
    const fields = { guest_email: email, idempotency_key: 'order-1' };
    const made = await desk.unpaid(fields);
    const filter = { host: desk.hostId, limit: 10 };
    const wanted = { email, hostId: undefined };
    const exported = await guests.exportAll(world.ctx, operator, wanted, () => undefined);
    const shown = [
      made,
      await desk.unpaid(fields),
      ...(await forOperators.list(world.ctx, filter)),
      ...(await forOperators.listChanges(world.ctx, filter, 0)),
      ...exported.bookings,
    ];
    assert.deepEqual(
      shown.map(({ payment_due_at }) => payment_due_at),
      Array(5).fill(DUE),
    );
  });
});

onBothEngines('the clock and unpaid bookings', (engine) => {
  const world = useWorld(engine, SETTING);

  const due: [
    what: string,
    actor: string,
    task: typeof bookings.completeDue,
    fields: Partial<BookingRow> & { date: string },
  ][] = [
    [
      'cancelled',
      'cancel-unpaid-bookings',
      bookings.cancelUnpaid,
      { date: '2027-06-01', settlement_mode: 'platform_settled', payment_status: 'pending' },
    ],
    ['completed', 'complete-bookings', bookings.completeDue, { date: '2027-03-02' }],
  ];
  for (const [what, actor, task, fields] of due)
    test(`each of 450 bookings is ${what} once, by two workers, after a long downtime`, async (t) => {
      const desk = await setUp(world, t);
      const booking = {
        host_id: desk.hostId,
        space_id: desk.spaceId,
        created_at: world.clock.now(),
        ...fields,
      };
      const ids = await Promise.all(Array.from({ length: 450 }, () => putBooking(world, booking)));
      world.clock.set('2027-03-10T00:00:00Z');
      const worker = async () => {
        while ((await task(world.ctx)).more);
      };
      await Promise.all([worker(), worker()]);
      await worker();
      const told = (await desk.events()).flatMap(({ type, data }) =>
        type === `booking.${what}` && 'booking' in data ? [data.booking.id] : [],
      );
      assert.deepEqual(told.toSorted(), ids.toSorted());
      const action = `booking.${what}`;
      const trail = await listTrail(world.ctx.db, { hostId: desk.hostId, actor, action, limit: 1000 });
      assert.deepEqual(trail.map(({ subject }) => subject).toSorted(), ids.toSorted());
    });

  const meanwhile: [what: string, change: (id: string) => Promise<unknown>][] = [
    ['paid', (id) => payments.confirm(world.ctx, operator, id, null)],
    [
      'paid and voided',
      async (id) => {
        await payments.confirm(world.ctx, operator, id, null);
        await payments.makeVoid(world.ctx, operator, id, 'Bounced');
      },
    ],
    ['begun', async () => world.clock.set('2027-03-01T13:00:00Z')],
  ];
  for (const [what, change] of meanwhile)
    test(`leaves a booking alone that is ${what} after a worker has found it overdue`, async (t) => {
      const desk = await setUp(world, t);
      const { id } = await desk.unpaid({ date: '2027-03-01', start_hour: 8, end_hour: 10 });
      world.clock.set(DUE);
      await bookings.cancelUnpaid(afterEachRead(world.ctx, () => change(id)));
      assert.equal((await desk.read(id)).status, 'confirmed');
      assert.deepEqual(await desk.cancellations(), []);
    });

  test('takes no step and reads nothing without the setting', async () => {
    const { config } = withMinutes(world.ctx, 0);
    const { name } = tasksFor(world.ctx.config).find((task) => /unpaid/.test(task.name))!;
    assert.ok(!tasksFor(config).some((task) => task.name === name));
    assert.ok(!loopsFor(config).some((task) => task.name === name));
    const { ctx, statements } = counting(withMinutes(world.ctx, 0));
    await bookings.logOverdue(ctx);
    assert.equal(statements(), 0);
  });

  test('at a start says how many are overdue, and nothing where none is', async (t) => {
    const desk = await setUp(world, t);
    // Those of the tests before.
    await desk.passTo(DUE);
    world.clock.set('2027-03-01T12:00:00Z');
    const logged = async () => {
      const before = world.logText().length;
      await bookings.logOverdue(world.ctx);
      return world
        .logText()
        .slice(before)
        .split('\n')
        .filter((line) => line.includes('UNPAID_CANCEL_MINUTES'));
    };
    await desk.unpaid();
    await desk.unpaid({ start_hour: 14, end_hour: 15 });
    world.clock.set(BEFORE_DUE);
    assert.deepEqual(await logged(), []);
    world.clock.set(DUE);
    const [line, ...more] = await logged();
    const { level, overdue, unpaid_cancel_minutes } = JSON.parse(line!);
    assert.deepEqual([level, overdue, unpaid_cancel_minutes, more], ['warn', 2, 30, []]);
  });
});

onPostgres('an unpaid booking that a payment holds locked', (engine) => {
  const world = useWorld(engine, SETTING);

  for (const [outcome, status] of [
    ['commits', 'confirmed'],
    ['rolls back', 'cancelled'],
  ] as const)
    test(`is passed over, and is ${status} once the payment ${outcome}`, async (t) => {
      const desk = await setUp(world, t);
      const { id } = await desk.unpaid();
      world.clock.set(DUE);
      const paying = world.ctx.db.transaction(async (tx) => {
        await payments.confirmPending(tx, world.clock.now(), operator, id);
        assert.equal((await bookings.cancelUnpaid(world.ctx)).changed, 0);
        if (outcome === 'rolls back') throw new Error('on purpose');
      });
      await paying.catch((error: Error) => assert.equal(error.message, 'on purpose'));
      await desk.passTo(DUE);
      assert.equal((await desk.read(id)).status, status);
    });
});

/** The same context. Each read of its database is answered only when `change` has been done: what is read next is of a later state. */
function afterEachRead(ctx: Context, change: () => Promise<unknown>): Context {
  const db = new Proxy(ctx.db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (!['all', 'get', 'readAlongIndexes'].includes(String(name))) return value.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        const answer: unknown = await Reflect.apply(value, target, args);
        await change();
        return answer;
      };
    },
  });
  return { ...ctx, db };
}
