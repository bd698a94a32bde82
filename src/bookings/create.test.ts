import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { belongings } from '../../test/support/tables.ts';
import { useWorld } from '../../test/support/world.ts';
import { chosen, initialValues, isShownToHost } from '../fields/fields.ts';
import { BOOKING } from './fields.ts';

onBothEngines('POST bookings', (engine) => {
  const world = useWorld(engine);

  test('answers 200 with every field of the record', async () => {
    const desk = await openDesk(world);
    const answer = await desk.book({
      guest_email: 'Ada+x@Example.com',
      guest_phone: '+1 212 555 0142',
      idempotency_key: 'order-1',
    });
    assert.equal(answer.status, 200);
    const { id } = answer.body.data.booking;
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.deepEqual(answer.body, {
      success: true,
      data: {
        booking: {
          // A field that is newer than this test.
          ...initialValues(chosen(BOOKING, isShownToHost)),
          id,
          space_id: desk.spaceId,
          status: 'confirmed',
          source: 'api',
          date: '2027-06-01',
          start_hour: 10,
          end_hour: 12,
          hours: 2,
          timezone: 'America/New_York',
          starts_at: '2027-06-01T14:00:00.000Z',
          ends_at: '2027-06-01T16:00:00.000Z',
          guest_name: 'Ada Miller',
          guest_email: 'Ada+x@Example.com',
          guest_phone: '+1 212 555 0142',
          price_per_hour: 50,
          total_price: 100,
          currency: 'USD',
          settlement_mode: 'host_settled',
          payment_status: 'host_collected',
          payment_due_at: null,
          paid_at: null,
          refunded_at: null,
          reference: null,
          notes: null,
          guest_count: null,
          walk_in: false,
          idempotency_key: 'order-1',
          cancellation_reason: null,
          cancelled_at: null,
          replaces: null,
          replaced_by: null,
          created_at: '2027-03-01T12:00:00.000Z',
          updated_at: '2027-03-01T12:00:00.000Z',
        },
      },
    });
    assert.equal(answer.headers.get('idempotent-replayed'), null);
  });

  test('holds its hours and tells of the booking and of the hours', async () => {
    const desk = await openDesk(world);
    const booking = await desk.made();
    assert.deepEqual(await desk.heldHours(), [
      { date: '2027-06-01', hour: 10, booking_id: booking.id },
      { date: '2027-06-01', hour: 11, booking_id: booking.id },
    ]);
    assert.deepEqual(await desk.events(), [
      { type: 'booking.created', data: { booking } },
      {
        type: 'availability.changed',
        data: { space_id: desk.spaceId, date: '2027-06-01', hours: [10, 11], cause: 'booking_created' },
      },
    ]);
  });

  test('a refused booking leaves no row, no hour and no event', async () => {
    const desk = await openDesk(world);
    await desk.book({ start_hour: 10, end_hour: 11 });
    const before = await belongings(world, desk.hostId, 'production');
    refused(await desk.book({ start_hour: 9, end_hour: 12 }), 409, 'BOOKING_CONFLICT');
    assert.equal(await belongings(world, desk.hostId, 'production'), before);
  });

  test('a whole day is one booking; a repeated hour counts and costs one, and the instants span both', async () => {
    const desk = await openDesk(world);
    const made = await desk.book({ date: '2027-11-07', start_hour: 0, end_hour: 24 });
    const { hours, total_price, starts_at, ends_at } = made.body.data.booking;
    assert.deepEqual(
      [hours, total_price, starts_at, ends_at],
      [24, 1200, '2027-11-07T04:00:00.000Z', '2027-11-08T05:00:00.000Z'],
    );
    assert.equal((await desk.heldHours()).length, 24);
  });

  test('bad fields are VALIDATION_ERROR and named', async () => {
    const desk = await openDesk(world);
    const cases: [fields: Record<string, unknown>, field: string][] = [
      [{ space_id: 'x' }, 'space_id'],
      [{ space_id: `urn:uuid:${desk.spaceId}` }, 'space_id'],
      [{ date: '2027-02-30' }, 'date'],
      [{ date: '0000-05-01' }, 'date'],
      [{ start_hour: -1 }, 'start_hour'],
      [{ start_hour: 24, end_hour: 24 }, 'start_hour'],
      [{ end_hour: 25 }, 'end_hour'],
      [{ start_hour: 12, end_hour: 12 }, 'end_hour'],
      [{ start_hour: 12, end_hour: 9 }, 'end_hour'],
      [{ guest_email: 'nobody' }, 'guest_email'],
      [{ guest_email: `${'x'.repeat(250)}@example.com` }, 'guest_email'],
      [{ guest_name: '' }, 'guest_name'],
      [{ guest_name: 'x'.repeat(201) }, 'guest_name'],
      [{ guest_phone: '' }, 'guest_phone'],
      [{ settlement_mode: 5 }, 'settlement_mode'],
      [{ idempotency_key: '' }, 'idempotency_key'],
      [{ idempotency_key: 'x'.repeat(256) }, 'idempotency_key'],
      [{ idempotency_key: 'ключ' }, 'idempotency_key'],
    ];
    for (const [fields, field] of cases) {
      const error = refused(await desk.book(fields), 422, 'VALIDATION_ERROR');
      assert.deepEqual(
        error.details.map(({ field }) => field),
        [field],
      );
    }
  });
});
