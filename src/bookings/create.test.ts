import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as blocks from '../blocks/blocks.ts';
import type * as hours from '../hours/hours.ts';
import { markBusy } from '../../test/support/foreign-calendar.ts';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld, type Answer } from '../../test/support/world.ts';

function refused(answer: Answer, status: number, code: string): Answer['body']['error'] {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.equal(answer.body.error.code, code);
  return answer.body.error;
}

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
          idempotency_key: 'order-1',
          cancellation_reason: null,
          cancelled_at: null,
          created_at: '2027-03-01T12:00:00.000Z',
          updated_at: '2027-03-01T12:00:00.000Z',
        },
      },
    });
    assert.equal(answer.headers.get('idempotent-replayed'), null);
  });

  test('holds its hours and writes both events in the same commit', async () => {
    const desk = await openDesk(world);
    const { booking } = (await desk.book()).body.data;
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

  test('platform_settled is paid later: payment_status pending', async () => {
    const desk = await openDesk(world);
    const { booking } = (await desk.book({ settlement_mode: 'platform_settled' })).body.data;
    assert.equal(booking.payment_status, 'pending');
  });

  test('the whole day, hour 0 to 24, is one booking', async () => {
    const desk = await openDesk(world);
    const { booking } = (await desk.book({ start_hour: 0, end_hour: 24 })).body.data;
    assert.equal(booking.hours, 24);
    assert.equal(booking.ends_at, '2027-06-02T04:00:00.000Z');
    assert.equal((await desk.heldHours()).length, 24);
  });

  test('1: a space that is unknown, another host’s or of another environment is 404', async () => {
    const desk = await openDesk(world);
    const other = await openDesk(world);
    const sandbox = await world.addSpace(desk.hostId, { environment: 'sandbox' });
    for (const space_id of [other.spaceId, sandbox, '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01']) {
      refused(await desk.book({ space_id }), 404, 'NOT_FOUND');
    }
  });

  test('2: the host cannot be the guest, in any case and with any plus-tag', async () => {
    const desk = await openDesk(world, { email: 'Owner+studio@Example.com' });
    for (const guest_email of ['owner@example.com', 'OWNER@EXAMPLE.COM', 'Owner+party@example.com']) {
      refused(await desk.book({ guest_email }), 403, 'SELF_BOOKING_BLOCKED');
    }
    assert.equal((await desk.book({ guest_email: 'owner2@example.com' })).status, 200);
  });

  test('3: a mode that is unknown, or not allowed to this host, is BOOKING_INVALID_SETTLEMENT_MODE', async () => {
    const desk = await openDesk(world, { settlementModes: ['host_settled'] });
    for (const settlement_mode of ['cash', '', 'platform_settled', 'HOST_SETTLED']) {
      const error = refused(await desk.book({ settlement_mode }), 422, 'BOOKING_INVALID_SETTLEMENT_MODE');
      assert.deepEqual(error.details, { settlement_mode, allowed: ['host_settled'] });
    }
    refused(await desk.book({ settlement_mode: 5 }), 422, 'VALIDATION_ERROR');
  });

  test('4: past, begun, closed, skipped and inactive hours are VALIDATION_ERROR', async () => {
    const desk = await openDesk(world, {}, { openHour: 6, closeHour: 22 });
    const inactive = await world.addSpace(desk.hostId, { isActive: false });
    const night = await world.addSpace(desk.hostId);
    const cases: Record<string, unknown>[] = [
      { date: '2027-02-28' },
      { date: '2027-03-01', start_hour: 7, end_hour: 8 },
      { start_hour: 5, end_hour: 7 },
      { start_hour: 21, end_hour: 23 },
      { space_id: inactive },
      { space_id: night, date: '2027-03-14', start_hour: 1, end_hour: 4 },
    ];
    for (const fields of cases) {
      const error = refused(await desk.book(fields), 422, 'VALIDATION_ERROR');
      assert.equal(error.details.length, 1);
    }
    assert.equal((await desk.book({ date: '2027-03-01', start_hour: 8, end_hour: 9 })).status, 200);
  });

  test('5: a price over the maximum is BOOKING_VALUE_EXCEEDED, with both amounts; the maximum itself is fine', async () => {
    const cases: [currency: string, price: number, hours: number, value: number, limit: number][] = [
      ['USD', 100_001, 10, 10_000.1, 10_000],
      ['KRW', 100_001, 10, 1_000_010, 1_000_000],
      ['KWD', 100_001, 10, 1000.01, 1000],
    ];
    for (const [currency, pricePerHour, count, value, limit] of cases) {
      const desk = await openDesk(world, { currency }, { pricePerHour });
      const error = refused(
        await desk.book({ start_hour: 0, end_hour: count }),
        422,
        'BOOKING_VALUE_EXCEEDED',
      );
      assert.deepEqual(error.details, { value, limit, currency });
      assert.equal((await desk.book({ start_hour: 0, end_hour: count - 1 })).status, 200);
    }
    const exact = await openDesk(world, {}, { pricePerHour: 100_000 });
    assert.equal((await exact.book({ start_hour: 0, end_hour: 10 })).body.data.booking.total_price, 10_000);
    const strict = await openDesk(world, { maxBookingValue: 9999 });
    refused(await strict.book(), 422, 'BOOKING_VALUE_EXCEEDED');
  });

  test('7: hours held by a booking, a block or a foreign calendar are 409 and named', async () => {
    const desk = await openDesk(world);
    const range = { hostId: desk.hostId, spaceId: desk.spaceId, date: '2027-06-01' };
    await desk.book({ start_hour: 10, end_hour: 12 });
    await world.ctx.db.transaction(async (tx) => {
      const blocked = { ...range, startHour: 13, endHour: 14 };
      await blocks.place(tx, world.clock.now(), { environment: 'production' }, blocked, null);
      await markBusy(tx, { ...range, hour: 14 });
    });
    const error = refused(await desk.book({ start_hour: 11, end_hour: 16 }), 409, 'BOOKING_CONFLICT');
    assert.deepEqual(error.details, { hours: [11, 13, 14] });
    assert.match(error.message, /11:00, 13:00, 14:00/);
  });

  test('a refused booking leaves nothing: no row, no hour, no event, no guest counted', async () => {
    const desk = await openDesk(world);
    await desk.book({ start_hour: 10, end_hour: 11 });
    const before = { hours: await desk.heldHours(), events: await desk.events() };
    refused(
      await desk.book({ start_hour: 9, end_hour: 12, idempotency_key: 'refused' }),
      409,
      'BOOKING_CONFLICT',
    );
    assert.deepEqual({ hours: await desk.heldHours(), events: await desk.events() }, before);
    const rows = await world.rows('select count(*) as n from bookings where host_id = $1', [desk.hostId]);
    assert.equal(rows[0].n, 1);
    assert.equal((await desk.book({ start_hour: 12, end_hour: 13, idempotency_key: 'refused' })).status, 200);
  });

  test('adjacent bookings do not clash', async () => {
    const desk = await openDesk(world);
    assert.equal((await desk.book({ start_hour: 8, end_hour: 10 })).status, 200);
    assert.equal((await desk.book({ start_hour: 10, end_hour: 12 })).status, 200);
    assert.equal((await desk.book({ start_hour: 7, end_hour: 8 })).status, 200);
  });

  test('a repeated hour counts and costs one, and the instants span both', async () => {
    const desk = await openDesk(world);
    const { booking } = (await desk.book({ date: '2027-11-07', start_hour: 0, end_hour: 3 })).body.data;
    assert.equal(booking.hours, 3);
    assert.equal(booking.total_price, 150);
    assert.equal(booking.starts_at, '2027-11-07T04:00:00.000Z');
    assert.equal(booking.ends_at, '2027-11-07T08:00:00.000Z');
  });

  test('what availability calls available can be booked, and nothing else', async () => {
    const desk = await openDesk(world, {}, { openHour: 5, closeHour: 20, timezone: 'Australia/Lord_Howe' });
    for (const date of ['2027-10-03', '2027-03-01', '2028-04-02', '9999-12-31']) {
      const path = `/api-availability/api/v1/spaces/${desk.spaceId}/availability?date=${date}`;
      const { slots } = (await world.call('GET', path, { key: desk.key })).body.data;
      for (const { hour, available } of slots as hours.Slot[]) {
        const { status } = await desk.book({ date, start_hour: hour, end_hour: hour + 1 });
        assert.equal(status === 200, available, `${date} ${hour}`);
      }
    }
  });

  test('bad fields are VALIDATION_ERROR and named', async () => {
    const desk = await openDesk(world);
    const cases: [fields: Record<string, unknown>, field: string][] = [
      [{ space_id: 'x' }, 'space_id'],
      [{ space_id: `urn:uuid:${desk.spaceId}` }, 'space_id'],
      [{ date: '2027-02-30' }, 'date'],
      [{ date: '0000-05-01' }, 'date'],
      // Its end has no timestamp that a record could tell: it lies in the year 10000, in UTC.
      [{ date: '9999-12-31', start_hour: 22, end_hour: 23 }, 'date'],
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
      [{ idempotency_key: '' }, 'idempotency_key'],
      [{ idempotency_key: 'x'.repeat(256) }, 'idempotency_key'],
      [{ idempotency_key: 'ключ' }, 'idempotency_key'],
    ];
    for (const [fields, field] of cases) {
      const error = refused(await desk.book(fields), 422, 'VALIDATION_ERROR');
      assert.deepEqual(
        error.details.map((detail: { field: string }) => detail.field),
        [field],
      );
    }
  });
});
