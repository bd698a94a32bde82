import type { Availability, Booking } from '@hourkeep/client';
import type { CivilDate } from '../dates.ts';
import { clockChange, wallClock } from '../zone.ts';

/** As the names of the calendar's cells have it. */
type CellState = 'available' | 'booked' | 'blocked' | 'external calendar' | 'closed' | 'loading';

export interface Cell {
  readonly hour: number;
  readonly state: CellState;
  readonly booking?: Booking | undefined;
  readonly block?: Availability['blocks'][number] | undefined;
  /** Why an hour is closed, or that it comes twice. */
  readonly note?: 'past' | 'skipped' | 'repeated' | undefined;
}

export interface Column {
  readonly key: string;
  readonly spaceId: string;
  readonly date: CivilDate;
  readonly timezone: string;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const LOADING: readonly Cell[] = HOURS.map((hour) => ({ hour, state: 'loading' }));

/** The 24 hours of a column, as far as the API has told them. */
export function cellsOf(
  column: Column,
  day: Availability | undefined,
  bookings: readonly Booking[],
  now: number,
): readonly Cell[] {
  if (day === undefined) return LOADING;
  const ofDay = bookings.filter(
    ({ space_id, date, status }) =>
      space_id === column.spaceId && date === column.date && status !== 'cancelled',
  );
  const change = clockChange(day.timezone, column.date);
  const clock = wallClock(day.timezone, now);
  return HOURS.map((hour) => {
    const over = column.date < clock.date || (column.date === clock.date && hour <= clock.hour);
    const told = stateOf(day, hour);
    // It was free when the API was asked, and has begun since.
    const state = told === 'available' && over ? 'closed' : told;
    const skipped = change.skipped.has(hour);
    return {
      hour,
      state,
      booking: state === 'booked' ? ofDay.find((booking) => covers(booking, hour)) : undefined,
      block: state === 'blocked' ? day.blocks.find((block) => covers(block, hour)) : undefined,
      note: skipped
        ? 'skipped'
        : change.repeated.has(hour)
          ? 'repeated'
          : state === 'closed' && over
            ? 'past'
            : undefined,
    };
  });
}

const STATES = { booked: 'booked', host_block: 'blocked', external_block: 'external calendar' } as const;

function stateOf(day: Availability, hour: number): CellState {
  const slot = day.slots[hour];
  if (slot?.block_reason) return STATES[slot.block_reason];
  return slot?.available === true ? 'available' : 'closed';
}

export const covers = (range: { start_hour: number; end_hour: number }, hour: number): boolean =>
  hour >= range.start_hour && hour < range.end_hour;

export interface Range {
  start_hour: number;
  end_hour: number;
}

/** 9, 10 and 14 are 9 to 11 and 14 to 15. */
export function runsOf(hours: readonly number[]): Range[] {
  const runs: Range[] = [];
  for (const hour of hours) {
    const last = runs.at(-1);
    if (last?.end_hour === hour) last.end_hour = hour + 1;
    else runs.push({ start_hour: hour, end_hour: hour + 1 });
  }
  return runs;
}

/** From one hour towards another, as far as all of them can be handled together. */
export function rangeBetween(cells: readonly Cell[], anchor: number, target: number): Range {
  const kind = kindOf(cells[anchor]);
  if (kind === 'single') return { start_hour: anchor, end_hour: anchor + 1 };
  const step = target < anchor ? -1 : 1;
  let end = anchor;
  while (end !== target && kindOf(cells[end + step]) === kind) end += step;
  return { start_hour: Math.min(anchor, end), end_hour: Math.max(anchor, end) + 1 };
}

/** The hours around one that were blocked for the same reason: a person sees them as one thing. */
export function blockAround(cells: readonly Cell[], hour: number): Range {
  const same = (other: number): boolean =>
    cells[other]?.state === 'blocked' && cells[other].block?.reason === cells[hour]?.block?.reason;
  let [start, end] = [hour, hour];
  while (same(start - 1)) start -= 1;
  while (same(end + 1)) end += 1;
  return { start_hour: start, end_hour: end + 1 };
}

/** Hours of the same kind are handled together: free ones, blocked ones, those of one booking. */
function kindOf(cell: Cell | undefined): string {
  if (cell === undefined) return 'none';
  if (cell.state === 'available' || cell.state === 'closed') return 'free';
  return cell.state === 'blocked' ? 'blocked' : (cell.booking?.id ?? 'single');
}

/** A column with its cells, as the grid draws it. */
export interface ShownColumn extends Column {
  readonly title: string;
  readonly subtitle: string;
  /** Where not all columns have the same. */
  readonly zone: string | undefined;
  /** Stands for a day, not for a space. */
  readonly isDay: boolean;
  readonly cells: readonly Cell[];
}
