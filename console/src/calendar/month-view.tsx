import { useLayoutEffect, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import type { Space } from '@hourkeep/client';
import { addDays, daysBetween, lastOfMonth, sameDayOf, weekOf } from '../dates.ts';
import { longDate, monthAndYear, weekday, weekdayName } from '../format.ts';
import { useBookingsOf, useDays } from '../queries.ts';
import { strings } from '../strings.ts';
import { Refusal } from '../ui/refusal.tsx';
import { wallClock } from '../zone.ts';
import { cellsOf, type Cell } from './cells.ts';
import { Legend } from './legend.tsx';
import { isRightToLeft, MIRRORED } from './selecting.ts';

const t = strings.calendar;
const KEYS: Readonly<Record<string, number | undefined>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
};

/** One space's month: how much of each day is free, and how many come. */
export default function MonthView({
  space,
  date,
  now,
  onDate,
  onOpen,
}: {
  space: Space;
  date: string;
  now: number;
  onDate: (date: string) => void;
  onOpen: (date: string) => void;
}) {
  const table = useRef<HTMLTableElement>(null);
  const month = date.slice(0, 7);
  const [first, last] = [`${month}-01`, lastOfMonth(month)];
  const dates = Array.from({ length: daysBetween(first, last) + 1 }, (_, day) => addDays(first, day));
  const weeks = weeksOf(first, last);
  const days = useDays(dates.map((day) => ({ spaceId: space.id, date: day })));
  const bookings = useBookingsOf({ spaceId: space.id, from: first, to: last });
  const today = wallClock(space.timezone, now).date;
  const failed = days.find((day) => day?.error)?.error ?? bookings.error;
  // Arrows move the focus alone; another month is a step, and so is a date that the person asks for.
  const [moved, setMoved] = useState({ of: date, to: date });
  const focus = moved.of === date ? moved.to : date;
  const moveFocus = useRef(false);
  // In the very commit that moved it: a later effect might run before it, and find the old place.
  useLayoutEffect(() => {
    if (!moveFocus.current) return;
    moveFocus.current = false;
    table.current?.querySelector<HTMLElement>('td[tabindex="0"]')?.focus();
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const key = isRightToLeft(event.currentTarget) ? (MIRRORED[event.key] ?? event.key) : event.key;
    const week = weekOf(focus);
    const jumps = {
      Home: week[0]!,
      End: week[6]!,
      PageUp: sameDayOf(focus, -1),
      PageDown: sameDayOf(focus, 1),
    };
    const step = KEYS[key];
    const to = step === undefined ? jumps[key as keyof typeof jumps] : addDays(focus, step);
    if (key === 'Enter' || key === ' ') onOpen(focus);
    else if (to !== undefined) {
      moveFocus.current = true;
      const stays = to.startsWith(month);
      setMoved({ of: stays ? date : to, to });
      if (!stays) onDate(to);
    } else return;
    event.preventDefault();
  };
  const onClick = ({ target }: MouseEvent): void => {
    const day = target instanceof Element ? target.closest<HTMLElement>('td[data-date]') : null;
    if (day !== null) onOpen(day.dataset['date']!);
  };
  return (
    <>
      <p className="period" aria-live="polite">
        <strong>{monthAndYear(month)}</strong>
        <span className="muted">{t.zone([space.timezone])}</span>
      </p>
      {failed !== undefined && <Refusal error={failed} />}
      <div className="month-frame">
        <table
          ref={table}
          role="grid"
          aria-label={t.grid}
          aria-busy={days.some((day) => day?.data === undefined)}
          className="month"
          onKeyDown={onKeyDown}
          onClick={onClick}
        >
          <thead>
            <tr>
              {weeks[0]!.map((day) => (
                <th key={day} scope="col" abbr={weekdayName(day)}>
                  {weekday(day)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeks.map((week) => (
              <tr key={week[0]}>
                {week.map((day) => {
                  if (!day.startsWith(month)) return <td key={day} aria-hidden="true" className="beyond" />;
                  const known = days[daysBetween(first, day)]?.data;
                  const column = { key: day, spaceId: space.id, date: day, timezone: space.timezone };
                  const ofDay = bookings.data?.filter(
                    (each) => each.date === day && each.status !== 'cancelled',
                  );
                  return (
                    <Day
                      key={day}
                      date={day}
                      cells={known && cellsOf(column, known, ofDay ?? [], now)}
                      bookings={ofDay?.length}
                      isToday={day === today}
                      isPast={day < today}
                      focusable={day === focus}
                    />
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Legend keys={t.monthKeys} />
    </>
  );
}

function Day({
  date,
  cells,
  bookings,
  isToday,
  isPast,
  focusable,
}: {
  date: string;
  cells: readonly Cell[] | undefined;
  bookings: number | undefined;
  isToday: boolean;
  isPast: boolean;
  focusable: boolean;
}) {
  const known = cells !== undefined && bookings !== undefined;
  const free = cells?.filter(({ state }) => state === 'available').length ?? 0;
  return (
    <td
      role="gridcell"
      tabIndex={focusable ? 0 : -1}
      data-date={date}
      data-past={isPast || undefined}
      aria-current={isToday ? 'date' : undefined}
    >
      <span className="visually-hidden">
        {known ? t.monthDay(longDate(date), free, bookings) : t.loadingDay(longDate(date))}
      </span>
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
