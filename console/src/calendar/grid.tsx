import { memo, type Ref } from 'react';
import { clock, hourRange, longDate, plainClock } from '../format.ts';
import { strings } from '../strings.ts';
import { wallClock } from '../zone.ts';
import { blockAround, covers, isJoined, type Cell, type Range, type ShownColumn } from './cells.ts';
import type { GridHandlers, Spot } from './selecting.ts';

/** Hours down, days or spaces across. Every hour is a cell of its own, so that each can be reached and read. */
export function Grid({
  columns,
  rendered,
  focus,
  selection,
  handlers,
  now,
  busy,
  tableRef,
}: {
  columns: readonly ShownColumn[];
  /** Which of them are drawn, in order; a gap stands for the others. */
  rendered: readonly number[];
  focus: Spot;
  selection: (Range & { column: number }) | undefined;
  handlers: GridHandlers;
  now: number;
  busy: boolean;
  tableRef: Ref<HTMLTableElement>;
}) {
  const parts = withGaps(rendered, columns.length);
  const clocks = new Map(rendered.map((index) => [index, wallClock(columns[index]!.space.timezone, now)]));
  return (
    <table
      ref={tableRef}
      role="grid"
      aria-label={strings.calendar.grid}
      aria-multiselectable="true"
      aria-busy={busy}
      aria-colcount={columns.length + 1}
      className="grid"
      {...handlers}
    >
      <thead>
        <tr>
          <td className="corner" />
          {parts.map((part) =>
            part.gap !== undefined ? (
              <Gap key={part.key} columns={part.gap} />
            ) : (
              <ColumnHead
                key={columns[part.index]!.key}
                column={columns[part.index]!}
                index={part.index}
                now={now}
              />
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: 24 }, (_, hour) => (
          <tr key={hour}>
            <th scope="row">
              <bdi dir="ltr">{clock(hour)}</bdi>
            </th>
            {parts.map((part) => {
              if (part.gap !== undefined) return <Gap key={part.key} columns={part.gap} />;
              const { index } = part;
              const column = columns[index]!;
              const cell = column.cells[hour]!;
              const wall = clocks.get(index);
              const isNow = wall?.date === column.date && wall.hour === hour;
              return (
                <HourCell
                  key={column.key}
                  index={index}
                  date={column.date}
                  cell={cell}
                  run={runOf(column.cells, hour)}
                  focusable={focus.column === index && focus.hour === hour}
                  selected={selection?.column === index && covers(selection, hour)}
                  minute={isNow ? wall.minute : undefined}
                />
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ColumnHead({ column, index, now }: { column: ShownColumn; index: number; now: number }) {
  const { title, subtitle, zone, isDay, date, space } = column;
  const isToday = isDay && date === wallClock(space.timezone, now).date;
  return (
    <th
      scope="col"
      aria-colindex={index + 2}
      className={isToday ? 'today' : undefined}
      title={isDay ? undefined : title}
    >
      <span className="column-title">
        <bdi>{title}</bdi>
      </span>
      <span className="column-subtitle">
        <bdi>{subtitle}</bdi>
      </span>
      {zone !== undefined && (
        <span className="column-zone">
          <bdi>{zone}</bdi>
        </span>
      )}
    </th>
  );
}

/** As wide as the columns that are not drawn. */
function Gap({ columns }: { columns: number }) {
  return <td aria-hidden="true" className="gap" style={{ '--gap': columns } as React.CSSProperties} />;
}

type Part = { index: number; gap?: undefined } | { key: string; gap: number };

function withGaps(rendered: readonly number[], count: number): Part[] {
  const parts: Part[] = [];
  let next = 0;
  for (const index of [...rendered, count]) {
    if (index > next) parts.push({ key: `gap ${next}`, gap: index - next });
    if (index < count) parts.push({ index });
    next = index + 1;
  }
  return parts;
}

interface CellProps {
  index: number;
  date: string;
  cell: Cell;
  /** How many hours it begins; 0 where it goes on what the hour above has begun. */
  run: number;
  focusable: boolean;
  selected: boolean;
  minute: number | undefined;
}

const HourCell = memo(
  function HourCell({ index, date, cell, run, focusable, selected, minute }: CellProps) {
    const description = descriptionOf(cell);
    const text = run === 0 ? '' : textOf(cell);
    return (
      <td
        role="gridcell"
        tabIndex={focusable ? 0 : -1}
        aria-colindex={index + 2}
        aria-description={description === '' ? undefined : description}
        aria-selected={selected}
        data-column={index}
        data-hour={cell.hour}
        data-state={cell.state}
        data-note={cell.note}
        data-joined={run === 0 || undefined}
      >
        <span className="visually-hidden">{`${longDate(date)}, ${plainClock(cell.hour)}, ${strings.calendar.states[cell.state]}`}</span>
        {/* Screen readers have it as the description, after the name. */}
        {text !== '' && (
          <span className="run" aria-hidden="true" style={{ '--run': run } as React.CSSProperties}>
            <span className="cell-text" dir="auto">
              {text}
            </span>
          </span>
        )}
        {minute !== undefined && (
          <span
            className="now-line"
            style={{ '--minute': minute } as React.CSSProperties}
            aria-hidden="true"
          />
        )}
      </td>
    );
  },
  (a, b) =>
    a.index === b.index &&
    a.date === b.date &&
    a.run === b.run &&
    a.focusable === b.focusable &&
    a.selected === b.selected &&
    a.minute === b.minute &&
    a.cell.state === b.cell.state &&
    a.cell.note === b.cell.note &&
    a.cell.booking === b.cell.booking &&
    a.cell.block?.reason === b.cell.block?.reason,
);

const runOf = (cells: readonly Cell[], hour: number): number =>
  isJoined(cells[hour - 1], cells[hour]) ? 0 : blockAround(cells, hour).end_hour - hour;

function textOf({ state, booking, block, note }: Cell): string {
  const { cell } = strings.calendar;
  if (note === 'skipped') return cell.skipped;
  if (state === 'booked') return booking?.guest_name ?? cell.booked;
  if (state === 'blocked') return block?.reason || cell.blocked;
  if (state === 'external calendar') return cell.external;
  return note === 'repeated' ? cell.repeated : '';
}

/** What is seen in the cell and not in its name, for those who do not see it. */
function descriptionOf({ booking, block, note }: Cell): string {
  const parts = [
    booking && `${booking.guest_name}, ${hourRange(booking)}`,
    block?.reason,
    note && strings.calendar.notes[note],
  ];
  return parts.filter(Boolean).join('. ');
}
