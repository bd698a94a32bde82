import type { QueryClient } from '@tanstack/react-query';
import type { Booking } from '@hourkeep/client';
import { book, cancel, move, type Hours } from '../changes.ts';
import { detailNames } from '../fields.ts';
import { hourRange, longDate } from '../format.ts';
import { newKey } from '../new-key.ts';
import { strings } from '../strings.ts';
import { messageOf } from '../ui/refusal.tsx';
import { toast } from '../ui/toast.tsx';

// What was done is told with its hours, and can be undone.

export function tell(message: string, undone: string, undo: () => Promise<unknown>): void {
  toast.set({
    message,
    undo: () =>
      void undo().then(
        () => toast.set({ message: undone }),
        (failure: unknown) => toast.set({ message: strings.notUndone(messageOf(failure)) }),
      ),
  });
}

export function tellBooked(queries: QueryClient, booking: Booking): void {
  const message = bookedWords(booking);
  if (booking.walk_in) toast.set({ message });
  else tell(message, cancelledWords(booking), () => cancel(queries, booking, UNDONE));
}

export function tellMoved(queries: QueryClient, old: Booking, moved: Booking): void {
  const back = { ...hoursOf(old), spaceId: old.space_id };
  tell(movedWords(moved), movedWords(old), () => move(queries, moved, back, newKey()));
}

/** One that was paid for stays cancelled: its money is on the way back. */
export function tellCancelled(queries: QueryClient, booking: Booking): void {
  const message = cancelledWords(booking);
  if (booking.payment_status === 'confirmed') {
    toast.set({ message });
    return;
  }
  const { space_id, guest_name, guest_email, guest_phone, settlement_mode } = booking;
  const details = Object.fromEntries(detailNames.map((name) => [name, booking[name]]));
  const same = { space_id, guest_name, guest_email, settlement_mode, ...details };
  const key = newKey();
  tell(message, bookedWords(booking), () =>
    book(queries, {
      ...same,
      ...hoursOf(booking),
      ...(guest_phone !== null && { guest_phone }),
      idempotency_key: key,
    }),
  );
}

/** Read by other programs too: the same in every language. */
const UNDONE = 'Undone';

const hoursOf = ({ date, start_hour, end_hour }: Booking): Omit<Hours, 'spaceId'> => ({
  date,
  start_hour,
  end_hour,
});
const whenOf = (booking: Booking): string => `${longDate(booking.date)}, ${hourRange(booking)}`;
const bookedWords = (booking: Booking): string =>
  strings.hours.booked(booking.guest_name, hourRange(booking));
const movedWords = (booking: Booking): string => strings.move.moved(booking.guest_name, whenOf(booking));
const cancelledWords = (booking: Booking): string =>
  strings.booking.cancelled(booking.guest_name, whenOf(booking));
