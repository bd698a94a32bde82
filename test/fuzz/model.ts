/** A space as the model needs it. */
export interface ModelSpace {
  id: string;
  token: string;
  timezone: string;
  openHour: number;
  closeHour: number;
  noticeHours: number;
  /** Major units. */
  price: number;
  isActive: boolean;
}

export interface ModelBooking {
  id: string;
  space: ModelSpace;
  date: string;
  startHour: number;
  endHour: number;
  status: 'confirmed' | 'cancelled' | 'completed';
  key: string | undefined;
  price: number;
}

type Holder = ModelBooking | 'block';

/**
 * Who holds which hour, told a second time and as plainly as can be: maps and loops, nothing shared with the
 * service but the meaning. What the service answers must agree with this.
 */
export class Model {
  readonly bookings: ModelBooking[] = [];
  readonly #holders = new Map<string, Holder>();
  readonly #external = new Set<string>();

  /** Hours of the range that somebody has, other than the booking that is moved. */
  taken(space: ModelSpace, date: string, startHour: number, endHour: number, moved?: ModelBooking): number[] {
    const isMoved = (slot: string): boolean =>
      moved !== undefined && this.#holders.get(slot) === moved && !this.#external.has(slot);
    return hoursFrom(startHour, endHour).filter(
      (hour) => this.reason(space, date, hour) !== null && !isMoved(slotOf(space, date, hour)),
    );
  }

  reason(space: ModelSpace, date: string, hour: number): string | null {
    const slot = slotOf(space, date, hour);
    const holder = this.#holders.get(slot);
    if (holder !== undefined && holder !== 'block') return 'booked';
    if (this.#external.has(slot)) return 'external_block';
    return holder === 'block' ? 'host_block' : null;
  }

  book(booking: ModelBooking): void {
    this.bookings.push(booking);
    for (const hour of hoursFrom(booking.startHour, booking.endHour)) {
      this.#holders.set(slotOf(booking.space, booking.date, hour), booking);
    }
  }

  cancel(booking: ModelBooking): void {
    booking.status = 'cancelled';
    for (const hour of hoursFrom(booking.startHour, booking.endHour)) {
      this.#holders.delete(slotOf(booking.space, booking.date, hour));
    }
  }

  block(space: ModelSpace, date: string, startHour: number, endHour: number): void {
    for (const hour of hoursFrom(startHour, endHour)) this.#holders.set(slotOf(space, date, hour), 'block');
  }

  /** Answers which hours that frees. */
  unblock(space: ModelSpace, date: string, startHour: number, endHour: number): number[] {
    const freed = hoursFrom(startHour, endHour).filter(
      (hour) => this.#holders.get(slotOf(space, date, hour)) === 'block',
    );
    for (const hour of freed) this.#holders.delete(slotOf(space, date, hour));
    return freed;
  }

  import(space: ModelSpace, date: string, hour: number): void {
    this.#external.add(slotOf(space, date, hour));
  }

  /** Every hour that a booking or a block holds, for the calendar feed. */
  heldSlots(space: ModelSpace): { date: string; hour: number }[] {
    return [...this.#holders.keys()]
      .map((slot) => slot.split(' ') as [id: string, date: string, hour: string])
      .filter(([id]) => id === space.id)
      .map(([, date, hour]) => ({ date, hour: Number(hour) }));
  }

  /** Those that match, in the order of the API. */
  list(filter: { space?: ModelSpace | undefined; status?: string | undefined }): ModelBooking[] {
    return this.bookings
      .filter(
        ({ space, status }) => (filter.space ?? space) === space && (filter.status ?? status) === status,
      )
      .sort(
        (a, b) =>
          a.date.localeCompare(b.date) ||
          a.startHour - b.startHour ||
          (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
      );
  }

  complete(now: number): void {
    for (const booking of this.bookings) {
      const ends = startsAt(booking.space.timezone, booking.date, booking.endHour);
      if (booking.status === 'confirmed' && ends <= now) booking.status = 'completed';
    }
  }

  /** Bookings, hours, gross and commission (a tenth, half up, booking by booking) in minor units. */
  sums(status: 'confirmed' | 'completed'): {
    bookings: number;
    hours: number;
    gross: number;
    commission: number;
  } {
    const sums = { bookings: 0, hours: 0, gross: 0, commission: 0 };
    for (const booking of this.bookings.filter((each) => each.status === status)) {
      const hours = booking.endHour - booking.startHour;
      const gross = Math.round(booking.price * 100) * hours;
      sums.bookings += 1;
      sums.hours += hours;
      sums.gross += gross;
      sums.commission += Math.floor((gross + 5) / 10);
    }
    return sums;
  }
}

/** Why nobody may book an hour though it is free. */
export function isClosed(space: ModelSpace, date: string, hour: number, now: number): boolean {
  if (!space.isActive || hour < space.openHour || hour >= space.closeHour) return true;
  return isSkipped(space.timezone, date, hour) || startsAt(space.timezone, date, hour) <= now;
}

export function hoursFrom(startHour: number, endHour: number): number[] {
  return Array.from({ length: endHour - startHour }, (_, i) => startHour + i);
}

/** The moment an hour begins; hour 24 is the next day's first. */
export function startsAt(timezone: string, date: string, hour: number): number {
  return atHour(date, hour).toZonedDateTime(timezone).epochMilliseconds;
}

export function isSkipped(timezone: string, date: string, hour: number): boolean {
  return atHour(date, hour).toZonedDateTime(timezone).hour !== hour;
}

function atHour(date: string, hour: number): Temporal.PlainDateTime {
  return Temporal.PlainDate.from(date).toPlainDateTime().add({ hours: hour });
}

function slotOf(space: ModelSpace, date: string, hour: number): string {
  return `${space.id} ${date} ${hour}`;
}
