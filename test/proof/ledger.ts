/** Some hours of one day of a space. */
export function slotName(spaceId: string, date: string, hours: readonly number[]): string {
  return `${spaceId} ${date} ${hours.join(',')}`;
}

export interface Stored {
  bookings: readonly { id: string; status: string; guest_email: string }[];
  hours: readonly { space_id: string; date: string; hour: number; block_id: string | null }[];
  events: readonly { id: string; type: string; data: string }[];
}

/** What the database keeps wrong: every sentence is a violation. */
export interface Discrepancies {
  lost: string[];
  events: string[];
  unasked: string[];
}

/**
 * What the service has acknowledged. Whoever gets no clear answer asks again until there is one, so that in the
 * end everything has either been acknowledged or refused, and the database must hold exactly that.
 */
export class Ledger {
  readonly #guests: string;
  readonly #bookings = new Map<string, 'confirmed' | 'cancelled'>();
  readonly #blocks = new Map<string, 'held' | 'free'>();
  readonly #events = new Map<string, number>();

  /** `guests`: how the addresses of our own guests begin. */
  constructor(guests: string) {
    this.#guests = guests;
  }

  get made(): ReadonlySet<string> {
    return new Set(this.#bookings.keys());
  }

  booked(id: string, slot: string): void {
    if (this.#bookings.has(id)) return;
    this.#bookings.set(id, 'confirmed');
    this.#expect(`booking.created ${id}`);
    this.#expect(`availability.changed booking_created ${slot}`);
  }

  cancelled(id: string, slot: string): void {
    this.#bookings.set(id, 'cancelled');
    this.#expect(`booking.cancelled ${id}`);
    this.#expect(`availability.changed booking_cancelled ${slot}`);
  }

  blocked(slot: string): void {
    this.#blocks.set(slot, 'held');
    this.#expect(`availability.changed block_created ${slot}`);
  }

  unblocked(slot: string): void {
    this.#blocks.set(slot, 'free');
    this.#expect(`availability.changed block_deleted ${slot}`);
  }

  compare(stored: Stored): Discrepancies {
    return {
      lost: [...this.#lostBookings(stored), ...this.#lostBlocks(stored)],
      events: this.#wrongEvents(stored),
      unasked: stored.bookings
        .filter(({ id, guest_email }) => guest_email.startsWith(this.#guests) && !this.#bookings.has(id))
        .map(({ id }) => `booking ${id} is there though nobody was told so`),
    };
  }

  #expect(event: string): void {
    this.#events.set(event, (this.#events.get(event) ?? 0) + 1);
  }

  #lostBookings({ bookings }: Stored): string[] {
    const stored = new Map(bookings.map(({ id, status }) => [id, status]));
    return [...this.#bookings]
      .filter(([id, status]) => stored.get(id) !== status)
      .map(
        ([id, status]) => `booking ${id} was told to be ${status} and is ${stored.get(id) ?? 'not there'}`,
      );
  }

  #lostBlocks({ hours }: Stored): string[] {
    const held = new Set(
      hours
        .filter(({ block_id }) => block_id !== null)
        .map(({ space_id, date, hour }) => slotName(space_id, date, [hour])),
    );
    return [...this.#blocks]
      .filter(([slot, state]) => held.has(slot) !== (state === 'held'))
      .map(([slot, state]) => `${slot} was told to be ${state} and is not`);
  }

  #wrongEvents({ events }: Stored): string[] {
    const told = new Map<string, number>();
    for (const event of events) {
      const name = eventName(event);
      told.set(name, (told.get(name) ?? 0) + 1);
    }
    return [...this.#events]
      .filter(([name, count]) => told.get(name) !== count)
      .map(([name, count]) => `${name} should be there ${count} times and is ${told.get(name) ?? 0} times`);
  }
}

function eventName({ type, data }: { type: string; data: string }): string {
  const told = JSON.parse(data) as {
    booking?: { id: string };
    cause?: string;
    space_id?: string;
    date?: string;
    hours?: number[];
  };
  if (told.booking !== undefined) return `${type} ${told.booking.id}`;
  return `${type} ${told.cause} ${slotName(told.space_id ?? '', told.date ?? '', told.hours ?? [])}`;
}
