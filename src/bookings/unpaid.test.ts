import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { counting } from '../../test/support/counting.ts';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { putBooking } from '../../test/support/put-booking.ts';
import { trailOf } from '../../test/support/trail.ts';
import { TEST_SECRET_KEY, useWorld, type SpaceOverrides, type World } from '../../test/support/world.ts';
import type { Context } from '../context.ts';
import * as guests from '../guests/guests.ts';
import * as payments from '../payments/payments.ts';
import { loopsFor, tasksFor } from '../worker/tasks.ts';
import * as bookings from './bookings.ts';
import * as forOperators from './for-operators.ts';

/** Bookings are made at 12:00 of the world's clock. */
const SETTING = { UNPAID_CANCEL_MINUTES: '30', SECRET_KEY: TEST_SECRET_KEY };
const BEFORE_DUE = '2027-03-01T12:29:59.999Z';
const DUE = '2027-03-01T12:30:00.000Z';

const withMinutes = (ctx: Context, unpaidCancelMinutes: number): Context => ({
  ...ctx,
  config: { ...ctx.config, unpaidCancelMinutes },
});

async function setUp(world: World, t: TestContext, space?: SpaceOverrides) {
  world.clock.restoreAfter(t);
  const desk = await openDesk(world, {}, space);
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

  test('is the same in every record of an unpaid booking: responses, lists, events, commands', async (t) => {
    const desk = await setUp(world, t);
    const email = 'due@example.com';
    const fields = { guest_email: email, idempotency_key: 'order-1' };
    const made = await desk.unpaid(fields);
    const [created] = await desk.events();
    const list = async (query: string) => {
      const path = `/api-bookings/api/v1/bookings?${query}`;
      return (await world.call('GET', path, { key: desk.key })).body.data.bookings[0];
    };
    const filter = { host: desk.hostId, limit: 10 };
    const wanted = { email, hostId: undefined };
    const exported = await guests.exportAll(world.ctx, operator, wanted, () => undefined);
    const shown = {
      create: made,
      replay: await desk.unpaid(fields),
      event: created!.type === 'booking.created' ? created!.data.booking : undefined,
      detail: await desk.read(made.id),
      list: await list('limit=1'),
      'list of a guest': await list(`guest=${email}`),
      'list of changes': await list('updated_since=1970-01-01T00:00:00Z'),
      'booking show': await forOperators.show(world.ctx, made.id),
      'booking list': (await forOperators.list(world.ctx, filter))[0],
      'booking list --updated-since': (await forOperators.listChanges(world.ctx, filter, 0))[0],
      'guest export': exported.bookings[0],
    };
    for (const [where, booking] of Object.entries(shown)) assert.equal(booking?.payment_due_at, DUE, where);
  });

  test('is null once the booking has begun', async (t) => {
    const desk = await setUp(world, t);
    const { id, starts_at } = await desk.unpaid({ date: '2027-03-01', start_hour: 8, end_hour: 9 });
    world.clock.set(new Date(Date.parse(starts_at) - 1).toISOString());
    assert.notEqual((await desk.read(id)).payment_due_at, null);
    world.clock.set(starts_at);
    assert.equal((await desk.read(id)).payment_due_at, null);
  });

  test('is null for keep@sandbox.test in the sandbox, which the clock leaves alone, and not in production', async (t) => {
    for (const [environment, due] of [
      ['sandbox', null],
      ['production', DUE],
    ] as const) {
      const desk = await setUp(world, t, { environment });
      const made = await desk.unpaid({ guest_email: 'Keep+1@Sandbox.test' });
      const listed = await world.call('GET', '/api-bookings/api/v1/bookings', { key: desk.key });
      const shown = [made, listed.body.data.bookings[0]!, await forOperators.show(world.ctx, made.id)];
      for (const { payment_due_at } of shown) assert.equal(payment_due_at, due, environment);
      await desk.passTo(DUE);
      assert.equal((await desk.read(made.id)).status, due === null ? 'confirmed' : 'cancelled', environment);
      world.clock.set('2027-03-01T12:00:00Z');
    }
  });
});

onBothEngines('the clock and unpaid bookings', (engine) => {
  const world = useWorld(engine, SETTING);

  test('cancels one when it is due: the hours are free, events and audit trail have it', async (t) => {
    const desk = await setUp(world, t);
    const booking = await desk.unpaid();
    await desk.passTo(BEFORE_DUE);
    assert.deepEqual(await desk.read(booking.id), booking);
    await desk.passTo(DUE);
    const cancelled = {
      ...booking,
      status: 'cancelled',
      payment_due_at: null,
      cancellation_reason: 'Not paid in time',
      cancelled_at: DUE,
      updated_at: DUE,
    };
    assert.deepEqual(await desk.read(booking.id), cancelled);
    assert.deepEqual(await desk.heldHours(), []);
    assert.deepEqual((await desk.events()).slice(2), [
      { type: 'booking.cancelled', data: { booking: cancelled } },
      {
        type: 'availability.changed',
        data: { space_id: desk.spaceId, date: '2027-06-01', hours: [10, 11], cause: 'booking_cancelled' },
      },
    ]);
    const { action, actor_type, actor_id, subject } = (await trailOf(world, desk.hostId)).at(-1)!;
    assert.deepEqual(
      [action, actor_type, actor_id, subject],
      ['booking.cancelled', 'clock', 'cancel-unpaid-bookings', booking.id],
    );
  });

  test('cancels each of 450 once, by two workers, after a long downtime', async (t) => {
    const desk = await setUp(world, t);
    const unpaid = {
      host_id: desk.hostId,
      space_id: desk.spaceId,
      date: '2027-06-01',
      created_at: world.clock.now(),
      settlement_mode: 'platform_settled',
      payment_status: 'pending',
    } as const;
    const ids = await Promise.all(Array.from({ length: 450 }, () => putBooking(world, unpaid)));
    await Promise.all(Array.from({ length: 2 }, () => desk.passTo('2027-03-10T00:00:00Z')));
    await desk.passTo('2027-03-10T00:00:01Z');
    assert.deepEqual((await desk.cancellations()).toSorted(), ids.toSorted());
  });

  test('cancels a booking until the moment it begins', async (t) => {
    const desk = await setUp(world, t);
    const { id } = await desk.unpaid({ date: '2027-03-01', start_hour: 8, end_hour: 10 });
    await desk.passTo('2027-03-01T12:59:59.999Z');
    assert.equal((await desk.read(id)).status, 'cancelled');
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
