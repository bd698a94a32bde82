import { book, move, withFields } from './bookings.ts';
import { command, DAY, HOUR, iso, MINUTE, type Account, type Drawing } from './drawing.ts';
import { lookAtAll } from './look.ts';
import { clockAt } from './outside.ts';

/** The time zones in which a month ends first and last. */
const [FIRST, LAST] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];

/** Bookings for a month that is closed already: they become possible when a space changes to a time zone in which it is not over. */
export function bookLate(g: Drawing, account: Account): undefined {
  const random = g.random;
  const now = new Date(g.now);
  const monthEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const space = g.space(account);
  const place = { space_id: space, date: iso(monthEnd - DAY).slice(0, 10) };
  g.queue.push(
    ...account.spaces.map((each) => () => command(`space update ${each} --timezone ${FIRST}`)),
    () => clockAt(g, monthEnd - 14 * HOUR + random.between(1, 90) * MINUTE),
    () => command(`space update ${space} --timezone ${LAST}`),
    () => withFields(book(g, account), place),
    () => withFields(book(g, account), place),
    () => withFields(move(g, account), place),
    () => command(`payment confirm ${g.booking(account)}`),
    () => clockAt(g, monthEnd + 12 * HOUR),
    () => command(`payment confirm ${g.booking(account)}`),
    () => lookAtAll(g),
  );
}
