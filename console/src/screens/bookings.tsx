import { useState } from 'react';
import type { Booking, BookingPage, BookingQuery, Space } from '@hourkeep/client';
import { BookingDialog } from '../calendar/booking-dialog.tsx';
import { SpaceOptions } from '../calendar/screen.tsx';
import { BOOKING_COLUMNS, download, toCsv } from '../csv.ts';
import { isDate } from '../dates.ts';
import { count, hourRange, mediumDate, money, plainHours } from '../format.ts';
import { allBookings, queryAfter, useBookingPage, useSpaces } from '../queries.ts';
import { go, hrefOf, usePlace } from '../router.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { DateField } from '../ui/date-field.tsx';
import { SelectField } from '../ui/field.tsx';
import { useTitle } from '../ui/hooks.ts';
import { Refusal } from '../ui/refusal.tsx';
import { wallClock } from '../zone.ts';

const t = strings.bookings;
const STATUSES = ['confirmed', 'completed', 'cancelled'] as const;

export function BookingsScreen() {
  useTitle(strings.screens.bookings);
  const spaces = useSpaces().data ?? [];
  const { filter, texts, change } = useFilter(spaces);
  // Where each page began: a list goes forward by itself, and back the way it came.
  const [pages, setPages] = useState<BookingQuery[]>([]);
  const query = pages.at(-1) ?? filter;
  const { data, error, isPlaceholderData, refetch } = useBookingPage(query);
  const [openedId, setOpenedId] = useState<string>();
  const opened = data?.bookings.find(({ id }) => id === openedId);
  const titleOf = (id: string): string => spaces.find((space) => space.id === id)?.title ?? '';
  const next = data && !isPlaceholderData ? queryAfter(query, data) : undefined;
  const filterBy = (changes: Record<string, string>): void => {
    setPages([]);
    change(changes);
  };
  return (
    <>
      <h1>{strings.screens.bookings}</h1>
      <div className="toolbar">
        <SelectField label={t.status} value={texts.status} onChange={(status) => filterBy({ status })}>
          <option value="">{t.allStatuses}</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {strings.booking.statuses[status]}
            </option>
          ))}
        </SelectField>
        <SelectField label={t.space} value={texts.space} onChange={(space) => filterBy({ space })}>
          <option value="">{strings.calendar.allSpaces}</option>
          <SpaceOptions spaces={spaces} />
        </SelectField>
        <DateField label={t.from} value={texts.from} onChange={(from) => filterBy({ from })} />
        <DateField label={t.to} value={texts.to} onChange={(to) => filterBy({ to })} />
        <Export filter={filter} titleOf={titleOf} />
      </div>
      <Refusal error={error} onRetry={() => void refetch()} />
      {data === undefined && !error && <div className="skeleton tall" />}
      {data !== undefined && <BookingTable bookings={data.bookings} titleOf={titleOf} onOpen={setOpenedId} />}
      {data?.bookings.length === 0 && <p className="empty">{t.none}</p>}
      {data !== undefined && (
        <div className="pager" aria-busy={isPlaceholderData}>
          <button
            type="button"
            className="button"
            disabled={pages.length === 0}
            onClick={() => setPages(pages.slice(0, -1))}
          >
            {t.previousPage}
          </button>
          <span className="muted" aria-live="polite">
            {t.page(pages.length + 1, totalOf(data.pagination))}
          </span>
          <button
            type="button"
            className="button"
            disabled={next === undefined}
            onClick={() => next && setPages([...pages, next])}
          >
            {t.nextPage}
          </button>
        </div>
      )}
      {opened !== undefined && (
        <BookingDialog
          booking={opened}
          spaceTitle={titleOf(opened.space_id)}
          onClose={() => setOpenedId(undefined)}
        />
      )}
    </>
  );
}

/** From today on, unless the address says otherwise. A date that is only half typed does not filter yet. */
function useFilter(spaces: readonly Space[]) {
  const { query } = usePlace();
  const [today] = useState(() => wallClock(spaces[0]?.timezone ?? 'UTC').date);
  const texts = {
    status: query.get('status') ?? '',
    space: query.get('space') ?? '',
    from: query.get('from') ?? today,
    to: query.get('to') ?? '',
  };
  const status = STATUSES.find((known) => known === texts.status);
  const filter: BookingQuery = {
    ...(status && { status }),
    ...(texts.space !== '' && { space_id: texts.space }),
    ...(isDate(texts.from) && { from: texts.from }),
    ...(isDate(texts.to) && { to: texts.to }),
  };
  const change = (changes: Record<string, string>): void =>
    go(hrefOf('bookings', { ...Object.fromEntries(query), ...changes }), { replace: true });
  return { filter, texts, change };
}

function BookingTable({
  bookings,
  titleOf,
  onOpen,
}: {
  bookings: readonly Booking[];
  titleOf: (id: string) => string;
  onOpen: (id: string) => void;
}) {
  return (
    <div className="table-frame card">
      <table aria-label={strings.screens.bookings} className="stacking">
        <thead>
          <tr>
            {[t.when, t.guest, t.space, t.status, t.price, t.payment].map((name) => (
              <th key={name} scope="col" className={name === t.price ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bookings.map((booking) => (
            <tr key={booking.id}>
              <td className="nowrap">
                {mediumDate(booking.date)} <span className="hours">{hourRange(booking)}</span>
              </td>
              <th scope="row">
                <button type="button" className="link" onClick={() => onOpen(booking.id)}>
                  <bdi className="clamp">{booking.guest_name}</bdi>
                </button>
              </th>
              <td>
                <bdi>{titleOf(booking.space_id)}</bdi>
              </td>
              <td>
                <span className="badge" data-status={booking.status}>
                  {strings.booking.statuses[booking.status]}
                </span>
              </td>
              <td className="number">{money(booking.total_price, booking.currency)}</td>
              <td>{strings.booking.payments(booking.settlement_mode, booking.payment_status)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Export({ filter, titleOf }: { filter: BookingQuery; titleOf: (id: string) => string }) {
  const [so, setSo] = useState(0);
  const { run, busy, error } = useAction(async () => {
    setSo(0);
    const bookings = await allBookings(filter, undefined, setSo);
    const rows = bookings.map((b) => [
      b.date,
      plainHours(b),
      b.hours,
      titleOf(b.space_id),
      b.guest_name,
      b.guest_email,
      b.guest_phone,
      b.status,
      b.total_price,
      b.currency,
      b.settlement_mode,
      b.payment_status,
      b.source,
      b.id,
    ]);
    download('bookings.csv', toCsv([BOOKING_COLUMNS, ...rows]));
  });
  return (
    <div className="export">
      <button type="button" className="button" aria-busy={busy} onClick={run}>
        {strings.exportCsv}
      </button>
      <span className="muted small" aria-live="polite">
        {busy && so > 0 && t.exported(so)}
      </span>
      <Refusal error={error} />
    </div>
  );
}

function totalOf({ total, total_is_exact }: BookingPage['pagination']): string {
  return total_is_exact ? count(total) : t.moreThan(count(total));
}
