import { useEffect, useMemo, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Booking, Space } from '@hourkeep/client';
import { addDays, weekOf } from '../dates.ts';
import { hourRange, longDate, mediumDate, monthAndYear, shortDate, weekday } from '../format.ts';
import { allBookings, dayKey, useBookingsOf, useDays, useTitles } from '../queries.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { part } from '../ui/part.tsx';
import { Refusal } from '../ui/refusal.tsx';
import { wallClock } from '../zone.ts';
import { BookingDialog } from './booking-dialog.tsx';
import { cellsOf, covers, openingOf, type Cell, type Range, type ShownColumn } from './cells.ts';
import { useColumnWindow } from './column-window.ts';
import { Grid } from './grid.tsx';
import { Legend } from './legend.tsx';
import { useSelecting } from './selecting.ts';
import { SpaceRules } from './space-rules.tsx';

const loadHoursDialog = () => import('./hours-dialog.tsx');
const HoursDialog = part(null, loadHoursDialog);

/** Days of one space, or one day of every space, hour by hour. */
export function HoursView({
  shown,
  view,
  date,
  now,
  focusAtFirst,
  onDate,
}: {
  /** Those that have columns. */
  shown: readonly Space[];
  view: 'day' | 'week';
  date: string;
  now: number;
  focusAtFirst: boolean;
  onDate: (date: string) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const dates = view === 'week' ? weekOf(date) : [date];
  const zones = new Set(shown.map(({ timezone }) => timezone));
  const bare = shown.flatMap((each) => dates.map((day) => bareColumn(each, day, view, zones.size > 1)));
  const [opened, setOpened] = useState<Opened>();
  const [focused, setFocused] = useState(0);
  const { rendered, isSeen, isWide } = useColumnWindow(scroller, bare.length, focused);
  // A week of one space is one request, seen or not.
  const days = useDays(
    bare.map(({ space: { id }, date: day }, index) =>
      view === 'week' || isSeen(index) ? { spaceId: id, date: day } : undefined,
    ),
  );
  const spaceId = shown.length === 1 ? shown[0]!.id : undefined;
  const bookings = useBookingsOf({ spaceId, from: dates[0]!, to: dates.at(-1)! });
  const drawn = new Set(rendered);
  const columns = bare.map((column, index): ShownColumn => ({
    ...column,
    cells: cellsOf(column, drawn.has(index) ? days[index]?.data : undefined, bookings.data ?? [], now),
  }));
  const selecting = useSelecting({
    columns,
    focusAtFirst,
    initial: useMemo(() => firstSpot(shown[0]!, dates, now), []),
    open: (column, range) => setOpened({ column, range }),
    drop: (booking, column, range) => setOpened({ column, range, booking }),
    page: (by) => onDate(addDays(date, by * dates.length)),
  });
  const { clear, focus } = selecting;
  if (focus.column !== focused) setFocused(focus.column);
  const close = (): void => {
    setOpened(undefined);
    clear();
  };
  useScrollToHours(scroller, focus.hour);
  // In time for the first press; what goes wrong here is told when it is needed.
  useEffect(() => void loadHoursDialog().catch(() => undefined), []);
  const isPartial = columns.some(({ cells }) => cells[0]!.state === 'loading');
  const failed = days.find((day) => day?.error)?.error ?? bookings.error;
  return (
    <>
      <p className="period" aria-live="polite">
        <strong>{view === 'week' ? <WeekRange dates={dates} /> : longDate(date)}</strong>
        <span className="muted">
          {view === 'week' && `${monthAndYear(date.slice(0, 7))} · `}
          {strings.calendar.zone([...zones])}
        </span>
      </p>
      {selecting.tapped !== undefined && (
        <div className="tap-bar">
          <strong aria-live="polite">{strings.calendar.tapped(selecting.tapped.hour)}</strong>
          <Button kind="primary" onClick={selecting.openTapped}>
            {strings.calendar.thisHour}
          </Button>
          <Button onClick={clear}>{strings.cancel}</Button>
        </div>
      )}
      {failed !== undefined && <Refusal error={failed} />}
      <div
        className="grid-scroller"
        data-view={view}
        data-wide={isWide || undefined}
        data-partial={isPartial || undefined}
        style={{ '--columns': columns.length } as React.CSSProperties}
        ref={scroller}
      >
        <Grid
          tableRef={selecting.table}
          columns={columns}
          rendered={rendered}
          focus={focus}
          selection={selecting.selection}
          handlers={selecting.handlers}
          now={now}
          busy={columns.some(({ cells }, index) => isSeen(index) && cells[0]!.state === 'loading')}
        />
      </div>
      {isPartial && <PrintedBookings bookings={bookings.data ?? []} spaces={shown} />}
      <Legend keys={strings.calendar.keys} />
      {shown.length === 1 && <SpaceRules space={shown[0]!} />}
      <div className="visually-hidden" aria-live="polite">
        {selecting.selection !== undefined && strings.calendar.selected(selecting.selection)}
      </div>
      {opened !== undefined && <OpenedDialog {...opened} onClose={close} />}
    </>
  );
}

export function WeekRange({ dates }: { dates: readonly string[] }) {
  return (
    <>
      <bdi>{shortDate(dates[0]!)}</bdi> – <bdi>{shortDate(dates[6]!)}</bdi>
    </>
  );
}

/** On paper, where not every column is drawn. */
function PrintedBookings({ bookings, spaces }: { bookings: readonly Booking[]; spaces: readonly Space[] }) {
  return (
    <table className="only-printed">
      <tbody>
        {bookings
          .filter(({ status }) => status !== 'cancelled')
          .map((booking) => (
            <tr key={booking.id}>
              <td>{mediumDate(booking.date)}</td>
              <td>{hourRange(booking)}</td>
              <td>{booking.guest_name}</td>
              <td>{spaces.find(({ id }) => id === booking.space_id)?.title}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function bareColumn(
  space: Space,
  date: string,
  view: 'day' | 'week',
  zones: boolean,
): Omit<ShownColumn, 'cells'> {
  return {
    key: `${space.id}/${date}`,
    space,
    date,
    isDay: view === 'week',
    zone: zones ? space.timezone : undefined,
    title: view === 'week' ? weekday(date) : space.title,
    subtitle:
      view === 'week' ? String(Number(date.slice(8))) : space.is_active ? space.area : strings.inactive,
  };
}

function firstSpot(space: Space, dates: string[], now: number): { column: number; hour: number } {
  const clock = wallClock(space.timezone, now);
  const today = dates.indexOf(clock.date);
  const date = dates[Math.max(0, today)]!;
  const opens = (openingOf(space, date) ?? space.operating_hours).start_hour || 8;
  return { column: Math.max(0, today), hour: Math.max(opens, today >= 0 ? clock.hour : 0) };
}

/** The night is of less interest: an hour or two above where the keyboard begins. On a phone the page opens at its top. */
function useScrollToHours(scroller: React.RefObject<HTMLDivElement | null>, first: number): void {
  const [hour] = useState(Math.max(0, first - 2));
  useEffect(() => {
    const row = scroller.current?.querySelector<HTMLElement>(`tbody tr:nth-child(${hour + 1})`);
    const head = scroller.current?.querySelector('thead');
    if (row && head && scroller.current) scroller.current.scrollTop = row.offsetTop - head.clientHeight;
  }, [scroller, hour]);
}

interface Opened {
  column: ShownColumn;
  range: Range;
  /** It was dragged to these hours. */
  booking?: Booking | undefined;
}

function OpenedDialog({ column, range, booking, onClose }: Opened & { onClose: () => void }) {
  const { space, date, cells } = column;
  const [cell] = useState<Cell>(cells[range.start_hour]!);
  if (booking !== undefined || cell.state === 'booked')
    return <HeldBy cell={cell} column={column} range={range} booking={booking} onClose={onClose} />;
  return <HoursDialog space={space} date={date} range={range} cells={cells} onClose={onClose} />;
}

/** The booking of an hour; looked up where the calendar does not know it yet. */
function HeldBy({
  cell,
  column: { space, date },
  range,
  booking: dragged,
  onClose,
}: Opened & { cell: Cell; onClose: () => void }) {
  const queries = useQueryClient();
  const titleOf = useTitles();
  const [found, setFound] = useState<Booking | undefined>(dragged ?? cell.booking);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (found !== undefined) return undefined;
    const controller = new AbortController();
    allBookings({ space_id: space.id, from: date, to: date }, controller.signal)
      .then((all) => {
        const held = all.find((booking) => booking.status !== 'cancelled' && covers(booking, cell.hour));
        setFound(held);
        // Gone meanwhile: then the hour is not booked any more either.
        if (held === undefined) onClose();
        return queries.invalidateQueries({
          queryKey: held === undefined ? dayKey(space.id, date) : ['bookings', 'range'],
        });
      })
      .catch((reason: unknown) => !controller.signal.aborted && setError(reason));
    return () => controller.abort();
  }, [found, space, date, cell, queries]);
  if (error !== undefined) {
    return (
      <Dialog title={strings.booking.title} onClose={onClose}>
        <Refusal error={error} />
      </Dialog>
    );
  }
  return found === undefined ? null : (
    <BookingDialog
      booking={found}
      spaceTitle={titleOf(found.space_id)}
      moveTo={dragged && { spaceId: space.id, date, ...range }}
      onClose={onClose}
    />
  );
}
