import assert from 'node:assert/strict';
import { create } from '../../src/bookings/create.ts';
import { toRequest, type BookingRequest } from '../../src/bookings/fields.ts';
import type { Booking } from '../../src/bookings/schemas.ts';
import type { BlockReason } from '../../src/hours/hours.ts';
import { refused } from './answer.ts';
import type { World } from './world.ts';
import { operator } from './operator.ts';

export const CREATE = '/api-create-booking/api/v1/bookings';

/** A request for hours of 2027-06-01, by a guest who has not booked before. */
export function bookingBody(spaceId: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    space_id: spaceId,
    date: '2027-06-01',
    start_hour: 10,
    end_hour: 12,
    guest_email: `guest-${++guests}@example.com`,
    guest_name: 'Ada Miller',
    ...fields,
  };
}

let guests = 0;

export type Desk = Awaited<ReturnType<typeof openDesk>>;

/** A host with a space and a key, ready to take bookings. */
export async function openDesk(
  world: World,
  host: Parameters<World['addHost']>[0] = {},
  space: Parameters<World['addSpace']>[1] = {},
) {
  const hostId = await world.addHost(host);
  const spaceId = await world.addSpace(hostId, space);
  const environment = space.environment ?? 'production';
  const { key } = await world.addKey(hostId, { environment });
  await world.wantEvents(hostId, environment);
  /** Asks for a booking; whatever is not said is as `bookingBody` has it. */
  const book = (fields?: Record<string, unknown>, headers: Record<string, string> = {}) =>
    world.call('POST', CREATE, { key, headers, body: bookingBody(spaceId, fields) });
  return {
    hostId,
    spaceId,
    key,
    book,
    /** The booking that is made of this. */
    made: async (fields?: Record<string, unknown>, headers?: Record<string, string>): Promise<Booking> => {
      const answer = await book(fields, headers);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.booking;
    },
    /** The fields for which it is rejected. */
    problems: async (fields: Record<string, unknown>) =>
      refused(await book(fields), 422, 'VALIDATION_ERROR').details,
    /** Enters a booking of the operator's own site, as the command line does: 10 to 12 on 2027-06-01 unless told. */
    enter: async (fields: Partial<BookingRequest> = {}): Promise<Booking> => {
      const request = toRequest({
        space_id: spaceId,
        date: '2027-06-01',
        start_hour: 10,
        end_hour: 12,
        guest_email: 'walk-in@example.com',
        guest_name: 'Ada Miller',
        ...fields,
      });
      return (await create(world.ctx, { hostId, environment, actor: operator }, request, 'platform')).booking;
    },
    cancel: (bookingId: string, reason: unknown = 'changed plans') =>
      world.call('POST', `/api-cancel-booking/api/v1/bookings/${bookingId}/cancel`, {
        key,
        body: { reason },
      }),
    /** Asks for a block; whatever is not said is as `bookingBody` has it. */
    block: (fields?: Record<string, unknown>) => {
      const { date, start_hour, end_hour } = bookingBody(spaceId, fields);
      const body = { date, start_hour, end_hour, ...fields };
      return world.call('POST', `/api-blocks/api/v1/spaces/${spaceId}/blocks`, { key, body });
    },
    /** A booking as the API shows it now. */
    read: async (bookingId: string): Promise<Booking> => {
      const answer = await world.call('GET', `/api-booking-detail/api/v1/bookings/${bookingId}`, { key });
      return answer.body.data.booking;
    },
    /** Why hours of this date are not free, by hour. */
    reasons: async (date: string): Promise<Record<number, BlockReason>> => {
      const path = `/api-availability/api/v1/spaces/${spaceId}/availability?date=${date}`;
      const { slots } = (await world.call('GET', path, { key })).body.data;
      return Object.fromEntries(
        slots.flatMap((slot) => (slot.block_reason === null ? [] : [[slot.hour, slot.block_reason]])),
      );
    },
    events: () => world.events(hostId),
    heldHours: async () => {
      const rows = await world.rows<{ date: string; hour: number; booking_id: string | null }>(
        'select date, hour, booking_id from hours where space_id = $1 order by date, hour',
        [spaceId],
      );
      return rows.map((row) => ({ ...row }));
    },
  };
}
