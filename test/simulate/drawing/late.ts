import type { Operation } from '../operation.ts';
import { book, move } from './bookings.ts';
import { command, DAY, HOUR, iso, MINUTE, type Account, type Drawing } from './drawing.ts';
import { lookAtAll } from './look.ts';

/** Where each date begins first, and where it ends last. */
const [FIRST, LAST] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];

/** Bookings for a month that is closed already: a space comes to a time zone in which the month is not over. */
export function bookLate(g: Drawing, account: Account): undefined {
  const random = g.random;
  const now = new Date(g.now);
  const monthEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const space = g.space(account);
  const place = { space_id: space, date: iso(monthEnd - DAY).slice(0, 10) };
  const jumpTo = (at: number) => (): Operation => {
    g.now = Math.max(g.now + 10_000, at);
    return { kind: 'clock' };
  };
  const late = (operation: ReturnType<typeof book>): Operation => ({
    ...operation,
    body: JSON.stringify({ ...(JSON.parse(operation.body!) as object), ...place }),
  });
  g.queue.push(
    ...account.spaces.map((each) => () => command(`space update ${each} --timezone ${FIRST}`)),
    jumpTo(monthEnd - 14 * HOUR + random.between(1, 90) * MINUTE),
    () => command(`space update ${space} --timezone ${LAST}`),
    () => late(book(g, account)),
    () => late(book(g, account)),
    () => late(move(g, account)),
    () => command(`payment confirm ${g.booking(account)}`),
    jumpTo(monthEnd + 12 * HOUR),
    () => command(`payment confirm ${g.booking(account)}`),
    () => lookAtAll(g),
  );
}
