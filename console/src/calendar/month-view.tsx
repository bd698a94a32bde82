import { useLayoutEffect, useRef, useState } from 'react';
import type { FocusEvent, KeyboardEvent, MouseEvent } from 'react';
import type { Space } from '@hourkeep/client';
import { addDays, lastOfMonth, sameDayOf, weekOf } from '../dates.ts';
import { longDate, monthAndYear, weekday, weekdayName } from '../format.ts';
import { useBookingsOf, useDays, type BookingRange } from '../queries.ts';
import { strings } from '../strings.ts';
import { useSeen } from '../ui/hooks.ts';
import { Refusal } from '../ui/refusal.tsx';
import { wallClock } from '../zone.ts';
import { cellsOf, isFreeToBook, type Cell } from './cells.ts';
import { WeekRange } from './hours-view.tsx';
import { Legend } from './legend.tsx';
import { isRightToLeft, MIRRORED } from './selecting.ts';

const t = strings.calendar;
/** Bookings of so many spaces are asked for together; of more, those of each space in sight. */
const FEW_SPACES = 10;
/** Before anything was measured. */
const ROWS_AT_FIRST = 8;

interface Place {
  readonly space: Space;
  readonly date: string;
}

/** Days as cells: the weeks of one space's month, or one week with a row for each space. */
export default function MonthView({
  spaces,
  view,
  date,
  now,
  onDate,
  onOpen,
}: {
  spaces: readonly Space[];
  view: 'week' | 'month';
  date: string;
  now: number;
  onDate: (date: string) => void;
  onOpen: (space: Space, date: string) => void;
}) {
  const table = useRef<HTMLTableElement>(null);
  const isMonth = view === 'month';
  const month = date.slice(0, 7);
  const week = weekOf(date);
  const [first, last] = isMonth ? [`${month}-01`, lastOfMonth(month)] : [week[0]!, week[6]!];
  const isShown = (day: string): boolean => first <= day && day <= last;
  const rows = isMonth
    ? weeksOf(first, last).map((dates) => ({ space: spaces[0]!, dates }))
    : spaces.map((space) => ({ space, dates: week }));

  // Arrows move the focus alone; another month or week is a step, and so is a date that the person asks for.
  const [moved, setMoved] = useState({ of: date, to: date, spaceId: spaces[0]!.id });
  const at = Math.max(
    0,
    spaces.findIndex(({ id }) => id === moved.spaceId),
  );
  const focus: Place = { space: spaces[at]!, date: moved.of === date ? moved.to : date };
  const moveFocus = useRef(false);
  // In the very commit that moved it: a later effect might run before it, and find the old place.
  useLayoutEffect(() => {
    if (!moveFocus.current) return;
    moveFocus.current = false;
    table.current?.querySelector<HTMLElement>('td[tabindex="0"]')?.focus();
  });

  const seen = useSeen(table, isMonth ? [] : spaces.map(({ id }) => id));
  const isDrawn = ({ id }: Space, index: number): boolean =>
    isMonth || seen.has(id) || id === focus.space.id || (seen.size === 0 && index < ROWS_AT_FIRST);
  const drawn = rows.filter(({ space }, index) => isDrawn(space, index));
  const wanted = drawn.flatMap(({ space, dates }) =>
    dates.filter(isShown).map((day) => ({ spaceId: space.id, date: day })),
  );
  const days = useDays(wanted);
  const rangeOf = (space: Space): BookingRange =>
    !isMonth && spaces.length <= FEW_SPACES
      ? { from: first, to: last }
      : { spaceId: space.id, from: first, to: last };
  const { error } = useBookingsOf(rangeOf(drawn[0]!.space));
  const failed = days.find((day) => day?.error)?.error ?? error;
  const cellsAt = (place: Place): readonly Cell[] | undefined => {
    const index = wanted.findIndex((each) => each.spaceId === place.space.id && each.date === place.date);
    const day = days[index]?.data;
    return day && cellsOf(place, day, [], now);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const key = isRightToLeft(event.currentTarget) ? (MIRRORED[event.key] ?? event.key) : event.key;
    const to = isMonth ? jumpsOfMonth(focus.date)[key] : jumpsOfWeek(focus.date)[key];
    const row = isMonth ? undefined : { ArrowUp: at - 1, ArrowDown: at + 1 }[key];
    if (key === 'Enter' || key === ' ') onOpen(focus.space, focus.date);
    else if (row !== undefined) {
      moveFocus.current = true;
      setMoved({ of: date, to: focus.date, spaceId: (spaces[row] ?? focus.space).id });
    } else if (to !== undefined) {
      moveFocus.current = true;
      setMoved({ of: isShown(to) ? date : to, to, spaceId: focus.space.id });
      if (!isShown(to)) onDate(to);
    } else return;
    event.preventDefault();
  };
  const placeOf = (target: EventTarget): Place | undefined => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('td[data-date]') : null;
    const row = cell && rows[cell.closest('tr')!.rowIndex - 1];
    return row ? { space: row.space, date: cell.dataset['date']! } : undefined;
  };
  const onClick = ({ target }: MouseEvent): void => {
    const place = placeOf(target);
    if (place !== undefined) onOpen(place.space, place.date);
  };
  /** Also when something else than these keys brought the focus here. */
  const onFocus = ({ target }: FocusEvent): void => {
    const place = placeOf(target);
    if (place !== undefined) setMoved({ of: date, to: place.date, spaceId: place.space.id });
  };
  const zones = new Set(spaces.map(({ timezone }) => timezone));
  return (
    <>
      <p className="period" aria-live="polite">
        <strong>{isMonth ? monthAndYear(month) : <WeekRange dates={week} />}</strong>
        <span className="muted">
          {!isMonth && `${monthAndYear(month)} · `}
          {t.zone([...zones])}
        </span>
      </p>
      {failed !== undefined && <Refusal error={failed} />}
      <div className="month-frame">
        <table
          ref={table}
          role="grid"
          aria-label={t.grid}
          aria-busy={days.some((day) => day?.data === undefined)}
          aria-rowcount={rows.length + 1}
          className={isMonth ? 'month' : 'month spaces-week'}
          onKeyDown={onKeyDown}
          onClick={onClick}
          onFocus={onFocus}
        >
          <thead>
            <tr>
              {!isMonth && <td />}
              {rows[0]!.dates.map((day) => (
                <th key={day} scope="col" abbr={weekdayName(day)}>
                  {weekday(day)}
                  {!isMonth && ` ${Number(day.slice(8))}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ space, dates }, index) => (
              <tr
                key={isMonth ? dates[0] : space.id}
                aria-rowindex={index + 2}
                data-seen={isMonth ? undefined : space.id}
              >
                {!isMonth && (
                  <th scope="row" title={space.title}>
                    <bdi>{space.title}</bdi>
                  </th>
                )}
                {isDrawn(space, index) ? (
                  <Days
                    dates={dates}
                    range={rangeOf(space)}
                    cellsOn={(day) => cellsAt({ space, date: day })}
                    isShown={isShown}
                    space={space}
                    isNamed={!isMonth}
                    today={wallClock(space.timezone, now).date}
                    focused={isMonth || space.id === focus.space.id ? focus.date : undefined}
                  />
                ) : (
                  <td colSpan={7} aria-hidden="true" />
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Legend keys={t.monthKeys} />
    </>
  );
}

function Days({
  space,
  dates,
  range,
  isShown,
  cellsOn,
  isNamed,
  today,
  focused,
}: {
  space: Space;
  dates: readonly string[];
  range: BookingRange;
  isShown: (date: string) => boolean;
  cellsOn: (date: string) => readonly Cell[] | undefined;
  /** A cell's name begins with the space's. */
  isNamed: boolean;
  today: string;
  focused: string | undefined;
}) {
  const bookings = useBookingsOf(range).data?.filter(
    ({ space_id, status }) => space_id === space.id && status !== 'cancelled',
  );
  return dates.map((date) =>
    isShown(date) ? (
      <Day
        key={date}
        name={isNamed ? `${space.title}, ${longDate(date)}` : longDate(date)}
        date={date}
        cells={cellsOn(date)}
        bookings={bookings?.filter((booking) => booking.date === date).length}
        today={today}
        focusable={date === focused}
      />
    ) : (
      <td key={date} aria-hidden="true" className="beyond" />
    ),
  );
}

function Day({
  name,
  date,
  cells,
  bookings,
  today,
  focusable,
}: {
  name: string;
  date: string;
  cells: readonly Cell[] | undefined;
  bookings: number | undefined;
  today: string;
  focusable: boolean;
}) {
  const known = cells !== undefined && bookings !== undefined;
  const free = cells?.filter(isFreeToBook).length ?? 0;
  const isPast = date < today;
  return (
    <td
      role="gridcell"
      tabIndex={focusable ? 0 : -1}
      data-date={date}
      data-past={isPast || undefined}
      aria-current={date === today ? 'date' : undefined}
    >
      <span className="visually-hidden">{known ? t.monthDay(name, free, bookings) : t.loadingDay(name)}</span>
      <span className="day" aria-hidden="true">
        <span className="day-number">{Number(date.slice(8))}</span>
        <span className="strip">
          {runsOf(cells ?? []).map(({ hour, state, length }) => (
            <i key={hour} data-state={state} style={{ '--hours': length } as React.CSSProperties} />
          ))}
        </span>
        {known && (
          <span className="day-words">
            {/* A day that is over has no free hour, which says nothing. */}
            {(free > 0 || !isPast) && <bdi className="day-free">{t.free(free)}</bdi>}
            {bookings > 0 && (
              <span className="day-bookings" data-count={bookings}>
                <bdi>{t.bookings(bookings)}</bdi>
              </span>
            )}
          </span>
        )}
      </span>
    </td>
  );
}

/** Hours of one state after another, as one piece of the strip. */
function runsOf(cells: readonly Cell[]): { hour: number; state: string; length: number }[] {
  const runs: { hour: number; state: string; length: number }[] = [];
  for (const { hour, state } of cells) {
    const run = runs.at(-1);
    if (run?.state === state) run.length += 1;
    else runs.push({ hour, state, length: 1 });
  }
  return runs;
}

function weeksOf(first: string, last: string): string[][] {
  const weeks = [weekOf(first)];
  while (weeks.at(-1)!.at(-1)! < last) weeks.push(weekOf(addDays(weeks.at(-1)!.at(-1)!, 1)));
  return weeks;
}

type Jumps = Readonly<Record<string, string | undefined>>;

const jumpsOfWeek = (date: string): Jumps => ({
  ArrowLeft: addDays(date, -1),
  ArrowRight: addDays(date, 1),
  Home: weekOf(date)[0],
  End: weekOf(date)[6],
  PageUp: addDays(date, -7),
  PageDown: addDays(date, 7),
});

const jumpsOfMonth = (date: string): Jumps => ({
  ...jumpsOfWeek(date),
  ArrowUp: addDays(date, -7),
  ArrowDown: addDays(date, 7),
  PageUp: sameDayOf(date, -1),
  PageDown: sameDayOf(date, 1),
});
