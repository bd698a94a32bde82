import type { Booking } from '@hourkeep/client';
import { trouble } from './api.ts';
import { withSession } from './calls.ts';
import { rememberBooking } from './changes.ts';
import { rightNow } from './clock.ts';
import { hourRange, mediumDate } from './format.ts';
import { forgetNews, isKnown, isNews, news, ownChangesDone, unseen } from './news.ts';
import { dayKey } from './queries.ts';
import { offline, type Session } from './session.ts';
import { strings } from './strings.ts';
import { notify } from './ui/notify.tsx';

const EVERY_MS = 20_000;
/** The first request asks for the last hour: what has changed before the page was opened is no news. */
const BEFORE_MS = 3_600_000;
const LARGEST_PAGE = 200;

/** While the page is visible, changes by others show by themselves. */
export function watchChanges(session: Session): () => void {
  if (!session.account.scopes.includes('bookings:read')) return () => undefined;
  let since: string | undefined;
  /** Nothing from before is told. */
  let start: string | undefined;
  let next = 0;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const look = (): void => {
    clearTimeout(timer);
    if (document.visibilityState !== 'visible') return;
    const wait = next - Date.now();
    timer = setTimeout(look, wait > 0 ? wait : EVERY_MS);
    // A request that cannot succeed is not sent; the next look is in time.
    if (wait > 0 || offline.get() || trouble.get() !== undefined) return;
    next = Date.now() + EVERY_MS;
    // Quietly: a person did not ask for it, and the next one asks for the same.
    void ask().catch(() => undefined);
  };

  const ask = async (): Promise<void> => {
    const updated_since = since ?? new Date(rightNow() - BEFORE_MS).toISOString();
    const page = await withSession((hk) => hk.bookings.list({ updated_since, limit: LARGEST_PAGE }));
    await ownChangesDone();
    if (isOver) return;
    since = page.pagination.synced_to;
    if (start !== undefined) tell(session, page.bookings, start, page.pagination.has_more);
    else for (const booking of page.bookings) isNews(booking);
    start ??= since;
  };

  const focus = (): void => unseen.set(0);
  window.addEventListener('focus', focus);
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    isOver = true;
    clearTimeout(timer);
    window.removeEventListener('focus', focus);
    document.removeEventListener('visibilitychange', look);
    forgetNews();
  };
}

function tell({ queries }: Session, changed: readonly Booking[], start: string, more: boolean): void {
  const told: string[] = [];
  for (const booking of changed) {
    const wasKnown = isKnown(booking);
    if (!isNews(booking)) continue;
    rememberBooking(queries, booking);
    void queries.invalidateQueries({ queryKey: dayKey(booking.space_id, booking.date) });
    const message = wasKnown ? undefined : inWords(booking, start);
    if (message !== undefined) told.push(message);
  }
  // Too many to be read one by one.
  if (more) void queries.invalidateQueries();
  if (told.length === 0) return;
  const message = told.length === 1 ? told[0]! : strings.live.many(told.length, told.at(-1)!);
  news.set({ message });
  if (document.hasFocus()) return;
  unseen.set(unseen.get() + told.length);
  notify(message);
}

/** Undefined for what nobody needs to know at once, such as a booking that is over. */
function inWords(booking: Booking, start: string): string | undefined {
  const { status, guest_name: guest, created_at, cancelled_at, replaces, replaced_by } = booking;
  const when = `${mediumDate(booking.date)}, ${hourRange(booking)}`;
  const t = strings.live;
  if (status === 'confirmed' && created_at >= start)
    return replaces === null ? t.booked(guest, when) : t.moved(guest, when);
  // The booking that it was moved to tells of the move.
  const isCancelled = cancelled_at !== null && cancelled_at >= start && replaced_by === null;
  return isCancelled ? t.cancelled(guest, when) : undefined;
}
