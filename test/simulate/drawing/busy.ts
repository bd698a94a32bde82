import { book, move, withFields } from './bookings.ts';
import { command, MINUTE, shift, type Account, type Drawing } from './drawing.ts';
import { clockAt } from './outside.ts';

/** A booking that stays where it is when it is moved, on a day that an external calendar has called busy since it was made. */
export function moveOnBusyDay(g: Drawing, account: Account): undefined {
  const space = g.space(account);
  const range = { space_id: space, ...g.range() };
  const url = g.calendarUrl();
  g.queue.push(
    () => withFields(book(g, account), range),
    () => ({ kind: 'calendar', url, serves: [{ start: range.date, end: shift(range.date, 1) }] }),
    () => command(`calendar add --space ${space} --url ${url}`),
    () => clockAt(g, g.now + MINUTE),
    () => withFields(move(g, account), { ...range, replaces: account.bookings.at(-1) }),
  );
}
