import { newId } from '../../src/ids/uuid.ts';
import { COLUMNS, type BookingRow } from '../../src/bookings/fields.ts';
import * as sql from '../../src/bookings/sql.ts';
import type { World } from './world.ts';

type Given = Partial<BookingRow> & Pick<BookingRow, 'host_id' | 'space_id' | 'date'>;

const NOTHING = Object.fromEntries(COLUMNS.map((column) => [column, null]));

/** A booking as the test wants it, past every rule and without hours or events; one hour at noon unless told. */
export async function putBooking(world: World, given: Given): Promise<string> {
  const at = Date.parse(`${given.date}T12:00:00Z`);
  const row = {
    ...NOTHING,
    id: newId(),
    environment: 'production',
    status: 'confirmed',
    source: 'api',
    start_hour: 12,
    end_hour: 13,
    timezone: 'America/New_York',
    starts_at: at,
    ends_at: at + 3_600_000,
    guest_name: 'Ada Miller',
    guest_email: 'ada@example.com',
    guest_key: 'ada@example.com',
    price_per_hour: 5000,
    total_price: 5000,
    currency: 'USD',
    commission_millionths: 100_000,
    settlement_mode: 'host_settled',
    payment_status: 'host_collected',
    walk_in: 0,
    is_late: 0,
    cancelled_at: given.status === 'cancelled' ? at : null,
    created_at: at,
    updated_at: at,
    ...given,
  } as BookingRow;
  await world.ctx.db.transaction((tx) => tx.run(sql.insertBooking, sql.bookingValues(row)));
  return row.id;
}
