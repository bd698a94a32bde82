import type {
  Availability,
  BlockedDays,
  BlockedHours,
  Booking,
  BookingPage,
  BookingQuery,
  CancelBooking,
  CreateBlocks,
  CreateBlocksOnDays,
  CreateBooking,
  CreateWebhook,
  DayAvailability,
  DeleteBlocks,
  DeleteBlocksOnDays,
  DeletedWebhook,
  Earnings,
  SettlementReport,
  Space,
  UnblockedDays,
  UnblockedHours,
  UpdateListing,
  UpdateWebhook,
  Webhook,
} from './document.ts';
import { HourkeepError } from './error.ts';
import { createSend, type CallOptions, type HourkeepOptions, type Send } from './transport.ts';

/** A space, and after `rotate_ical_token` the new address of its feed. */
export type UpdatedSpace = Space & { ical_feed_url?: string };

/** What a move changes. */
export type BookingChanges = Partial<Omit<CreateBooking, 'replaces'>>;

/**
 * The Host Integration API with one API key: what that key sees is one host's production or sandbox. Methods are bound:
 * they can be handed around.
 */
export class Hourkeep {
  readonly spaces: ReturnType<typeof spacesOf>;
  readonly availability: ReturnType<typeof availabilityOf>;
  readonly bookings: ReturnType<typeof bookingsOf>;
  readonly blocks: ReturnType<typeof blocksOf>;
  readonly settlement: ReturnType<typeof settlementOf>;
  readonly earnings: ReturnType<typeof earningsOf>;
  readonly webhooks: ReturnType<typeof webhooksOf>;

  constructor(options: HourkeepOptions) {
    const send = createSend(options);
    this.spaces = spacesOf(send);
    this.availability = availabilityOf(send);
    this.bookings = bookingsOf(send);
    this.blocks = blocksOf(send);
    this.settlement = settlementOf(send);
    this.earnings = earningsOf(send);
    this.webhooks = webhooksOf(send);
  }
}

const spacesOf = (send: Send) => ({
  /** Every space of the host. */
  async list(options?: CallOptions): Promise<Space[]> {
    const path = '/api-listings/api/v1/spaces';
    return (await send<{ spaces: Space[] }>({ ...READ, path }, options)).spaces;
  },

  async get(id: string, options?: CallOptions): Promise<Space> {
    const path = `/api-listings/api/v1/spaces/${segment(id)}`;
    return (await send<{ space: Space }>({ ...READ, path }, options)).space;
  },

  /**
   * Changes what is given, at least one field. With `rotate_ical_token: true` the answer has the new `ical_feed_url`, this once.
   * After a lost connection with a calendar connected or disconnected, `get` tells whether it was done.
   */
  async update(id: string, fields: UpdateListing, options?: CallOptions): Promise<UpdatedSpace> {
    const path = `/api-listing-update/api/v1/spaces/${segment(id)}`;
    const { rotate_ical_token: rotate, connect_calendar: connect, disconnect_calendar: disconnect } = fields;
    // A second rotation would end the address that the first one made; a calendar that is gone cannot be disconnected.
    const repeatable = rotate === undefined && connect === undefined && disconnect === undefined;
    const call = { method: 'PATCH', path, body: fields, repeatable } as const;
    const { space, ...once } = await send<{ space: Space; ical_feed_url?: string }>(call, options);
    return { ...space, ...once };
  },
});

const availabilityOf = (send: Send) => ({
  /**
   * The 24 hours of one date (YYYY-MM-DD) on the space's wall clock. What is available here can be booked. With
   * `{ days }` the answer has as many dates in its field `days`.
   */
  async get(
    spaceId: string,
    date: string,
    { days, ...options }: CallOptions & { days?: number | undefined } = {},
  ): Promise<Availability> {
    return readAvailability(send, spaceId, { date, days }, options);
  },

  /** So many days (1 to 31) from a date on, in one request. */
  async days(spaceId: string, date: string, days: number, options?: CallOptions): Promise<DayAvailability[]> {
    return (await readAvailability(send, spaceId, { date, days }, options)).days!;
  },
});

async function readAvailability(
  send: Send,
  spaceId: string,
  query: { date: string; days?: number | undefined },
  options?: CallOptions,
): Promise<Availability> {
  const path = `/api-availability/api/v1/spaces/${segment(spaceId)}/availability`;
  return send({ ...READ, path, query }, options);
}

const bookingsOf = (send: Send) => ({
  /** One page, ordered by date, start hour and id. */
  async list(query: BookingQuery = {}, options?: CallOptions): Promise<BookingPage> {
    return listBookings(send, query, options);
  },

  /** Every booking that matches, page after page: `for await (const booking of hk.bookings.iterate()) …` */
  async *iterate(query: BookingQuery = {}, options?: CallOptions): AsyncGenerator<Booking, void, undefined> {
    // The largest pages: fewest requests of those that the key has in a minute.
    let next: BookingQuery = { limit: 200, ...query };
    for (;;) {
      const { bookings, pagination } = await listBookings(send, next, options);
      yield* bookings;
      if (pagination.next_cursor === null) return;
      next = { ...next, offset: undefined, cursor: pagination.next_cursor };
    }
  },

  /**
   * Books every hour from `start_hour` up to `end_hour`, or none. Without an `idempotency_key` it makes one, so that
   * a lost connection can be tried again without booking twice.
   */
  async create(input: CreateBooking, options?: CallOptions): Promise<Booking> {
    return createBooking(send, input, options);
  },

  async get(id: string, options?: CallOptions): Promise<Booking> {
    return getBooking(send, id, options);
  },

  /**
   * Moves a booking to another hour, day, length or space: the old one is cancelled and the new one made in one step, and an hour
   * that both have is never free. What `changes` lacks is the old booking's. Answers with the new one.
   */
  async move(id: string, changes: BookingChanges, options?: CallOptions): Promise<Booking> {
    const old = await getBooking(send, id, options);
    const { space_id, date, start_hour, end_hour, guest_email, guest_name, settlement_mode } = old;
    // A create demands these or has defaults for them. What else a booking has is the service's to keep.
    const kept = { space_id, date, start_hour, end_hour, guest_email, guest_name, settlement_mode };
    const guest_phone = old.guest_phone ?? undefined;
    return createBooking(send, { ...kept, guest_phone, ...changes, replaces: old.id }, options);
  },

  /**
   * Hands every page of what has changed since then to `save`, and answers with the `since` of the next time. Keep it where you keep
   * the bookings. Without one it begins with everything. No change is missed; one may come twice.
   */
  async changes(
    since: string | undefined,
    save: (bookings: Booking[]) => unknown,
    options?: CallOptions,
  ): Promise<string> {
    const query = { limit: 200, updated_since: since ?? '1970-01-01T00:00:00Z' };
    for (let cursor: string | undefined; ;) {
      const { bookings, pagination } = await listBookings(send, { ...query, cursor }, options);
      if (bookings.length > 0) await save(bookings);
      if (pagination.next_cursor === null) return pagination.synced_to!;
      cursor = pagination.next_cursor;
    }
  },

  /** Its hours are free again at once. After a lost connection, `get` tells whether it was cancelled. */
  async cancel(id: string, input: CancelBooking, options?: CallOptions): Promise<Booking> {
    const path = `/api-cancel-booking/api/v1/bookings/${segment(id)}/cancel`;
    return (await send<{ booking: Booking }>({ method: 'POST', path, body: input }, options)).booking;
  },
});

interface Blocks {
  /** The same hours on every day from `date` to `end_date`, or on some `weekdays`. One hour that is held rejects all, unless `skip_occupied`. */
  create(spaceId: string, range: CreateBlocksOnDays, options?: CallOptions): Promise<BlockedDays>;
  /** Keeps every hour from `start_hour` up to `end_hour` for the host, or none. */
  create(spaceId: string, range: CreateBlocks, options?: CallOptions): Promise<BlockedHours>;
  /** The same hours on every day from `date` to `end_date`, or on some `weekdays`. */
  delete(spaceId: string, range: DeleteBlocksOnDays, options?: CallOptions): Promise<UnblockedDays>;
  /** Frees those hours of the range that the host had blocked. */
  delete(spaceId: string, range: DeleteBlocks, options?: CallOptions): Promise<UnblockedHours>;
}

const blocksOf = (send: Send): Blocks => ({
  async create(spaceId: string, range: CreateBlocks, options?: CallOptions) {
    return send<BlockedDays & BlockedHours>(
      { method: 'POST', path: blocksPath(spaceId), body: range },
      options,
    );
  },

  async delete(spaceId: string, range: DeleteBlocks, options?: CallOptions) {
    return send<UnblockedDays & UnblockedHours>(
      { method: 'DELETE', path: blocksPath(spaceId), body: range, repeatable: true },
      options,
    );
  },
});

const settlementOf = (send: Send) => ({
  /** Who owes whom what for the bookings of one month (YYYY-MM) that were made through the API. */
  async report(month: string, options?: CallOptions): Promise<SettlementReport> {
    const path = '/api-settlement-report/api/v1/settlement/report';
    return send({ ...READ, path, query: { month } }, options);
  },
});

const earningsOf = (send: Send) => ({
  async get(options?: CallOptions): Promise<Earnings> {
    return send({ ...READ, path: '/api-earnings/api/v1/earnings' }, options);
  },
});

const webhooksOf = (send: Send) => ({
  /** Every subscription, each with its ten newest deliveries. */
  async list(options?: CallOptions): Promise<Webhook[]> {
    return (await send<{ webhooks: Webhook[] }>({ ...READ, path: WEBHOOKS }, options)).webhooks;
  },

  /** The answer has the `secret` that verifies deliveries, this once: keep it. */
  async create(input: CreateWebhook, options?: CallOptions): Promise<Webhook & { secret: string }> {
    const call = { method: 'POST', path: WEBHOOKS, body: input } as const;
    return (await send<{ webhook: Webhook & { secret: string } }>(call, options)).webhook;
  },

  /** Changes what is given. With `rotate_secret: true` the answer has the new `secret`, this once. */
  async update(id: string, fields: UpdateWebhook, options?: CallOptions): Promise<Webhook> {
    // A second rotation would end the secret that receivers still know.
    const repeatable = fields.rotate_secret === undefined;
    const call = { method: 'PATCH', path: `${WEBHOOKS}/${segment(id)}`, body: fields, repeatable } as const;
    return (await send<{ webhook: Webhook }>(call, options)).webhook;
  },

  async delete(id: string, options?: CallOptions): Promise<DeletedWebhook> {
    const whenGone = { id, deleted: true };
    const call = {
      method: 'DELETE',
      path: `${WEBHOOKS}/${segment(id)}`,
      repeatable: true,
      whenGone,
    } as const;
    return send(call, options);
  },
});

const READ = { method: 'GET', repeatable: true } as const;
const WEBHOOKS = '/api-webhooks/api/v1/webhooks';

function listBookings(send: Send, query: BookingQuery, options?: CallOptions): Promise<BookingPage> {
  return send({ ...READ, path: '/api-bookings/api/v1/bookings', query }, options);
}

async function getBooking(send: Send, id: string, options?: CallOptions): Promise<Booking> {
  const path = `/api-booking-detail/api/v1/bookings/${segment(id)}`;
  return (await send<{ booking: Booking }>({ ...READ, path }, options)).booking;
}

async function createBooking(send: Send, input: CreateBooking, options?: CallOptions): Promise<Booking> {
  const path = '/api-create-booking/api/v1/bookings';
  const body = { ...input, idempotency_key: input.idempotency_key ?? newKey() };
  const call = { method: 'POST', path, body, repeatable: true } as const;
  return (await send<{ booking: Booking }>(call, options)).booking;
}

function blocksPath(spaceId: string): string {
  return `/api-blocks/api/v1/spaces/${segment(spaceId)}/blocks`;
}

/** An id in a path. Without one, or with dots that a URL resolves, the path would be another one. */
function segment(id: string): string {
  // Programs without types can lack one.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new HourkeepError('INVALID_ARGUMENT', `an id is required, not ${JSON.stringify(id)}`);
  return encodeURIComponent(id);
}

/** Not `randomUUID`, which browsers have on https pages alone. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
