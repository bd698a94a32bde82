import type { World, Answer } from './world.ts';

export const CREATE = '/api-create-booking/api/v1/bookings';

export interface Desk {
  hostId: string;
  spaceId: string;
  key: string;
  /** Asks for a booking; whatever is not said is a free hour of 2027-06-01 for a new guest. */
  book(fields?: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer>;
  cancel(bookingId: string, reason?: unknown): Promise<Answer>;
  events(): Promise<{ type: string; data: unknown }[]>;
  heldHours(): Promise<{ date: string; hour: number; booking_id: string | null }[]>;
}

/** A host with a space and a key, ready to take bookings. */
export async function openDesk(
  world: World,
  host: Parameters<World['addHost']>[0] = {},
  space: Parameters<World['addSpace']>[1] = {},
): Promise<Desk> {
  const hostId = await world.addHost(host);
  const spaceId = await world.addSpace(hostId, space);
  const { key } = await world.addKey(
    hostId,
    space.environment === undefined ? {} : { environment: space.environment },
  );
  return {
    hostId,
    spaceId,
    key,
    book: (fields = {}, headers = {}) =>
      world.call('POST', CREATE, {
        key,
        headers,
        body: {
          space_id: spaceId,
          date: '2027-06-01',
          start_hour: 10,
          end_hour: 12,
          guest_email: `guest-${++guests}@example.com`,
          guest_name: 'Ada Miller',
          ...fields,
        },
      }),
    cancel: (id, reason = 'changed plans') =>
      world.call('POST', `/api-cancel-booking/api/v1/bookings/${id}/cancel`, { key, body: { reason } }),
    events: async () => {
      const rows = await world.rows(
        'select type, data from events where host_id = $1 order by created_at, id',
        [hostId],
      );
      return rows.map((row) => ({ type: row.type, data: JSON.parse(row.data) }));
    },
    heldHours: () =>
      world
        .rows('select date, hour, booking_id from hours where space_id = $1 order by date, hour', [spaceId])
        .then((rows) => rows.map((row) => ({ ...row }))),
  };
}

let guests = 0;
