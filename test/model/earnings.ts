// What a host has earned (contract §7, endpoint 9): bookings of all sources.
import type { Answer, Call } from './requests.ts';
import { inMajor, sums } from './settlement.ts';
import { addMonths, monthOf, today } from './time.ts';

export function earnings({ account, now }: Call): Answer {
  const { host, bookings, spaces } = account;
  const present = monthOf(today(now, host.timezone));
  const completed = bookings.filter(({ status }) => status === 'completed');
  const ofMonth = (month: string) => sums(completed.filter(({ date }) => monthOf(date) === month));
  const data = {
    currency: host.currency,
    lifetime: sums(completed),
    this_month: ofMonth(present),
    last_month: ofMonth(addMonths(present, -1)),
    upcoming: sums(bookings.filter(({ status }) => status === 'confirmed')),
    by_month: Array.from({ length: 12 }, (_, i) => addMonths(present, i - 11)).map((month) => ({
      month,
      ...ofMonth(month),
    })),
    by_space: spaces.map((space) => ({
      space_id: space.id,
      title: space.shown.title,
      ...sums(completed.filter((booking) => booking.space === space)),
    })),
  };
  return { data: inMajor(data, host.currency) };
}
