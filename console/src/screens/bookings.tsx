import { useEffect, useRef, useState } from 'react';
import type { Booking, BookingPage, BookingQuery, Space } from '@hourkeep/client';
import { BookingDialog } from '../calendar/booking-dialog.tsx';
import { SpaceOptions } from '../calendar/space-options.tsx';
import { bookingRows, toCsv } from '../csv.ts';
import { isDate, sameDayOf } from '../dates.ts';
import { download } from '../download.ts';
import { count, mediumDate, numericDate } from '../format.ts';
import { allBookings, queryAfter, useBookingPage, useSpaces, useTitles } from '../queries.ts';
import { go, hrefOf, usePlace } from '../router.ts';
import { offline } from '../session.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { DateField } from '../ui/date-field.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { useTitle } from '../ui/hooks.ts';
import { Pager } from '../ui/pager.tsx';
import { BookingPrice } from '../ui/price.tsx';
import { Refusal } from '../ui/refusal.tsx';
import { HourRange } from '../ui/time.tsx';
import { wallClock } from '../zone.ts';

const t = strings.bookings;
/** As the API has it. */
const SHORTEST_SEARCH = 2;
const LONGEST_SEARCH = 100;
const PAUSE_MS = 300;
/** Without a first day the API looks for a guest from a year back. */
const FIRST_DAY = '0001-01-01';
const STATUSES = ['confirmed', 'completed', 'cancelled'] as const;

export function BookingsScreen() {
  useTitle(strings.screens.bookings);
  const spaces = useSpaces().data ?? [];
  const isOffline = useStore(offline);
  const { filter, texts, since, newestFirst, change: filterBy } = useFilter(spaces);
  // Where each page began: a list goes forward by itself, and back the way it came. Another filter begins anew.
  const of = JSON.stringify([filter, newestFirst]);
  const [walked, setWalked] = useState<{ of: string; pages: BookingQuery[] }>({ of, pages: [] });
  const pages = walked.of === of ? walked.pages : [];
  const setPages = (to: BookingQuery[]): void => setWalked({ of, pages: to });
  const query = pages.at(-1) ?? filter;
  const { data, error, isPlaceholderData, refetch } = useBookingPage(query, newestFirst);
  const [openedId, setOpenedId] = useState<string>();
  const opened = data?.bookings.find(({ id }) => id === openedId);
  const titleOf = useTitles();
  const next = data && !isPlaceholderData ? queryAfter(query, data) : undefined;
  return (
    <>
      <h1>{strings.screens.bookings}</h1>
      <FindGuest value={texts.guest} since={since} onChange={(guest) => filterBy({ guest, order: '' })} />
      <div className="toolbar dated">
        <div className="tools">
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
          <DateField
            label={t.from}
            value={texts.from}
            optional
            onChange={(from) => from !== undefined && filterBy({ from })}
          />
          <DateField
            label={t.to}
            value={texts.to}
            optional
            onChange={(to) => to !== undefined && filterBy({ to })}
          />
        </div>
        <Export filter={filter} titleOf={titleOf} />
      </div>
      {isOffline && <p className="muted">{strings.offline.someBookings}</p>}
      <Refusal error={error} onRetry={() => void refetch()} />
      {data === undefined && !error && <div className="skeleton tall" />}
      {data !== undefined && <BookingTable bookings={data.bookings} titleOf={titleOf} onOpen={setOpenedId} />}
      {newestFirst && <p className="note">{t.newestFirst}</p>}
      {data?.bookings.length === 0 && (
        <p className="empty">{isOffline ? strings.offline.noBooking : t.none}</p>
      )}
      {data !== undefined && data.bookings.length > 0 && (
        <Pager
          previous={pages.length > 0 ? () => setPages(pages.slice(0, -1)) : undefined}
          next={data.pagination.has_more ? () => next && setPages([...pages, next]) : undefined}
          busy={isPlaceholderData}
        >
          {t.page(pages.length + 1, totalOf(data.pagination))}
        </Pager>
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

/** From today on, unless the address says otherwise; a guest is looked for from a year back on. */
function useFilter(spaces: readonly Space[]) {
  const { query } = usePlace();
  const [today] = useState(() => wallClock(spaces[0]?.timezone ?? 'UTC').date);
  const date = (name: string, otherwise: string): string => {
    const text = query.get(name) ?? otherwise;
    return isDate(text) ? text : '';
  };
  const texts = {
    guest: query.get('guest') ?? '',
    status: query.get('status') ?? '',
    space: query.get('space') ?? '',
    from: date('from', today),
    to: date('to', ''),
  };
  const status = STATUSES.find((known) => known === texts.status);
  const guest = texts.guest.trim().slice(0, LONGEST_SEARCH);
  const looks = guest.length >= SHORTEST_SEARCH;
  /** From when on a guest is looked for, as long as the person has not said it. */
  const since = looks && query.get('from') === null ? sameDayOf(today, -12) : undefined;
  const newestFirst = looks && query.get('order') === 'newest';
  const from = (since ?? texts.from) || (newestFirst ? FIRST_DAY : '');
  const filter: BookingQuery = {
    ...(looks && { guest }),
    ...(status && { status }),
    ...(texts.space !== '' && { space_id: texts.space }),
    ...(from !== '' && { from }),
    ...(texts.to !== '' && { to: texts.to }),
  };
  const change = (changes: Record<string, string>): void =>
    go(hrefOf('bookings', { ...Object.fromEntries(query), ...changes }), { replace: true });
  return { filter, texts, since, newestFirst, change };
}

/** Looks when the person pauses. */
function FindGuest({
  value,
  since,
  onChange,
}: {
  value: string;
  since: string | undefined;
  onChange: (guest: string) => void;
}) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => latest.current(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <TextField
      type="search"
      className="find"
      label={t.findGuest}
      value={text}
      onChange={setText}
      onKeyDown={({ key }) => key === 'Enter' && onChange(text)}
      autoComplete="off"
      maxLength={LONGEST_SEARCH}
      hint={since === undefined ? t.findHint : t.findSince(numericDate(since))}
    />
  );
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
      <table aria-label={strings.screens.bookings} className="stacking bookings-table">
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
                <bdi>{mediumDate(booking.date)}</bdi>{' '}
                <span className="hours">
                  <HourRange {...booking} />
                </span>
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
              <td className="number">
                <BookingPrice {...booking} />
              </td>
              <td>
                {strings.booking.payments(booking.settlement_mode, booking.payment_status, booking.status)}
              </td>
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
    download('bookings.csv', toCsv(bookingRows(bookings, titleOf)));
  });
  return (
    <div className="export">
      <Button busy={busy} onClick={run}>
        {strings.exportCsv}
      </Button>
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
