import { useEffect, useMemo, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Booking, Space } from '@hourkeep/client';
import { addDays, isDate, weekOf } from '../dates.ts';
import { dayAndMonth, longDate, monthAndYear, shortDate, weekday } from '../format.ts';
import { allBookings, dayKey, useBookingsOf, useDays, useSpaces } from '../queries.ts';
import { go, hrefOf, usePlace } from '../router.ts';
import { strings } from '../strings.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { isNarrow, useNow, useSeen, useTitle } from '../ui/hooks.ts';
import { Refusal } from '../ui/refusal.tsx';
import { wallClock } from '../zone.ts';
import { BookingDialog } from './booking-dialog.tsx';
import { cellsOf, covers, type Cell, type Range, type ShownColumn } from './cells.ts';
import { Grid } from './grid.tsx';
import { HoursDialog } from './hours-dialog.tsx';
import { Legend } from './legend.tsx';
import { useSelecting } from './selecting.ts';

const ALL = 'all';
type View = 'day' | 'week';

export function CalendarScreen() {
  useTitle(strings.screens.calendar);
  const spaces = useSpaces();
  return (
    <>
      <h1>{strings.screens.calendar}</h1>
      <Refusal error={spaces.error} onRetry={() => void spaces.refetch()} />
      {spaces.data?.length === 0 && <p className="empty">{strings.noSpaces}</p>}
      {spaces.data !== undefined && spaces.data.length > 0 && <Calendar spaces={spaces.data} />}
      {spaces.isPending && <div className="skeleton tall" />}
    </>
  );
}

function Calendar({ spaces }: { spaces: Space[] }) {
  const now = useNow();
  const { space, shown, view, date, move } = useWhere(spaces, now);
  const scroller = useRef<HTMLDivElement>(null);
  const dates = view === 'week' ? weekOf(date) : [date];
  const bare = shown.flatMap((each) => dates.map((day) => bareColumn(each, day, view)));
  const seen = useSeen(
    scroller,
    bare.map(({ key }) => key),
  );
  const days = useDays(bare.map((column) => (seen.has(column.key) ? column : undefined)));
  const range = { spaceId: space?.id, from: dates[0]!, to: dates.at(-1)! };
  const bookings = useBookingsOf(range);
  const columns = bare.map((column, index): ShownColumn => ({
    ...column,
    cells: cellsOf(column, days[index]?.data, bookings.data ?? [], now),
  }));
  const [opened, setOpened] = useState<Opened>();
  const selecting = useSelecting({
    columns,
    initial: useMemo(() => firstSpot(shown[0]!, dates, now), []),
    open: (column, chosen) => setOpened({ column, range: chosen }),
    page: (by) => move({ date: addDays(date, by * dates.length) }),
  });
  const { clear } = selecting;
  const close = (): void => {
    setOpened(undefined);
    clear();
  };
  useScrollToHours(scroller, selecting.focus.hour);
  const failed = days.find((day) => day?.error)?.error ?? bookings.error;
  const step = view === 'week' ? 7 : 1;

  return (
    <>
      <div className="toolbar">
        <SelectField
          label={strings.calendar.space}
          value={space?.id ?? ALL}
          onChange={(id) => move({ space: id })}
        >
          {view === 'day' && spaces.length > 1 && <option value={ALL}>{strings.calendar.allSpaces}</option>}
          <SpaceOptions spaces={spaces} />
        </SelectField>
        <fieldset className="segmented" role="radiogroup" aria-label={strings.calendar.view}>
          {(['day', 'week'] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="view" checked={view === each} onChange={() => move({ view: each })} />
              <span>{strings.calendar.views[each]}</span>
            </label>
          ))}
        </fieldset>
        <div className="pager">
          <button type="button" className="button" onClick={() => move({ date: addDays(date, -step) })}>
            {strings.calendar.previous}
          </button>
          <button
            type="button"
            className="button"
            onClick={() => move({ date: wallClock(shown[0]!.timezone, now).date })}
          >
            {view === 'week' ? strings.calendar.thisWeek : strings.calendar.today}
          </button>
          <button type="button" className="button" onClick={() => move({ date: addDays(date, step) })}>
            {strings.calendar.next}
          </button>
        </div>
      </div>
      {selecting.tapped === undefined ? (
        <p className="period" aria-live="polite">
          <strong>
            {view === 'week' ? `${shortDate(dates[0]!)} – ${shortDate(dates[6]!)}` : longDate(date)}
          </strong>
          <span className="muted">
            {view === 'week' && `${monthAndYear(date.slice(0, 7))} · `}
            {strings.calendar.zone([...new Set(shown.map(({ timezone }) => timezone))])}
          </span>
        </p>
      ) : (
        <div className="period tap-bar">
          <strong aria-live="polite">{strings.calendar.tapped(selecting.tapped.hour)}</strong>
          <button type="button" className="button primary" onClick={selecting.openTapped}>
            {strings.calendar.thisHour}
          </button>
          <button type="button" className="button" onClick={clear}>
            {strings.cancel}
          </button>
        </div>
      )}
      {failed !== undefined && <Refusal error={failed} />}
      <div className="grid-scroller" ref={scroller}>
        <Grid
          tableRef={selecting.table}
          columns={columns}
          focus={selecting.focus}
          selection={selecting.selection}
          handlers={selecting.handlers}
          now={now}
          busy={columns.some(({ cells }) => cells[0]!.state === 'loading')}
        />
      </div>
      <Legend />
      <div className="visually-hidden" aria-live="polite">
        {selecting.selection !== undefined && strings.calendar.selected(selecting.selection)}
      </div>
      {opened !== undefined && <OpenedDialog {...opened} spaces={spaces} onClose={close} />}
    </>
  );
}

/** What is shown stands in the address: it can be kept, shared and reloaded. */
function useWhere(spaces: Space[], now: number) {
  const { query } = usePlace();
  const [defaultView] = useState<View>(() => (isNarrow() ? 'day' : 'week'));
  const asked = query.get('view');
  const view: View = asked === 'day' || asked === 'week' ? asked : defaultView;
  const first = spaces.find(({ is_active }) => is_active) ?? spaces[0]!;
  const chosen = spaces.find(({ id }) => id === query.get('space'));
  // By day all spaces stand side by side where there is room for them, unless one was chosen.
  const wantsAll = query.get('space') === ALL || (query.get('space') === null && !isNarrow());
  const all = view === 'day' && chosen === undefined && wantsAll && spaces.length > 1;
  const space = all ? undefined : (chosen ?? first);
  const active = spaces.filter(({ is_active }) => is_active);
  const shown = space === undefined ? [...active, ...spaces.filter(({ is_active }) => !is_active)] : [space];
  const date = query.get('date') ?? '';
  const move = (to: { space?: string; view?: View; date?: string }): void => {
    const next = { ...Object.fromEntries(query), ...to };
    go(hrefOf('calendar', next), { replace: true });
  };
  return { space, shown, view, date: isDate(date) ? date : wallClock(shown[0]!.timezone, now).date, move };
}

export function SpaceOptions({ spaces }: { spaces: readonly Space[] }) {
  const active = spaces.filter(({ is_active }) => is_active);
  const inactive = spaces.filter(({ is_active }) => !is_active);
  const options = (some: readonly Space[]) =>
    some.map(({ id, title }) => (
      <option key={id} value={id}>
        {title}
      </option>
    ));
  return (
    <>
      {options(active)}
      {inactive.length > 0 && <optgroup label={strings.inactive}>{options(inactive)}</optgroup>}
    </>
  );
}

function bareColumn(space: Space, date: string, view: View): Omit<ShownColumn, 'cells'> {
  return {
    key: `${space.id}/${date}`,
    spaceId: space.id,
    date,
    timezone: space.timezone,
    isDay: view === 'week',
    title: view === 'week' ? weekday(date) : space.title,
    subtitle: view === 'week' ? dayAndMonth(date) : space.is_active ? space.area : strings.inactive,
  };
}

function firstSpot(space: Space, dates: string[], now: number): { column: number; hour: number } {
  const clock = wallClock(space.timezone, now);
  const today = dates.indexOf(clock.date);
  const { start_hour } = space.operating_hours;
  return { column: Math.max(0, today), hour: Math.max(start_hour || 8, today >= 0 ? clock.hour : 0) };
}

/** The night is of less interest: an hour or two above where the keyboard begins. */
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
}

function OpenedDialog({ column, range, spaces, onClose }: Opened & { spaces: Space[]; onClose: () => void }) {
  const space = spaces.find(({ id }) => id === column.spaceId)!;
  const [cell] = useState<Cell>(column.cells[range.start_hour]!);
  if (cell.state === 'booked') return <HeldBy cell={cell} column={column} space={space} onClose={onClose} />;
  return (
    <HoursDialog space={space} date={column.date} range={range} cells={column.cells} onClose={onClose} />
  );
}

/** The booking of an hour; looked up where the calendar does not know it yet. */
function HeldBy({
  cell,
  column,
  space,
  onClose,
}: {
  cell: Cell;
  column: ShownColumn;
  space: Space;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const [found, setFound] = useState<Booking | undefined>(cell.booking);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (found !== undefined) return undefined;
    const controller = new AbortController();
    const { spaceId, date } = column;
    allBookings({ space_id: spaceId, from: date, to: date }, controller.signal)
      .then((all) => {
        const held = all.find((booking) => booking.status !== 'cancelled' && covers(booking, cell.hour));
        setFound(held);
        // Gone meanwhile: then the hour is not booked any more either.
        if (held === undefined) onClose();
        return queries.invalidateQueries({
          queryKey: held === undefined ? dayKey(spaceId, date) : ['bookings', 'range'],
        });
      })
      .catch((reason: unknown) => !controller.signal.aborted && setError(reason));
    return () => controller.abort();
  }, [found, column, cell, queries]);
  if (error !== undefined) {
    return (
      <Dialog title={strings.booking.title} onClose={onClose}>
        <Refusal error={error} />
      </Dialog>
    );
  }
  return found === undefined ? null : (
    <BookingDialog booking={found} spaceTitle={space.title} onClose={onClose} />
  );
}
