import type { Availability, Booking, Space } from '@hourkeep/client';
import { weekdayOf, type CivilDate } from '../dates.ts';
import { clockChange, wallClock } from '../zone.ts';

/** As the names of the calendar's cells have it. */
type CellState = 'available' | 'booked' | 'blocked' | 'external calendar' | 'closed' | 'loading';

export interface Cell {
  readonly hour: number;
  readonly state: CellState;
  readonly booking?: Booking | undefined;
  readonly block?: Availability['blocks'][number] | undefined;
  /** Why an hour is closed, that it is running now, or that it comes twice. */
  readonly note?: 'past' | 'now' | 'skipped' | 'repeated' | undefined;
}

export interface Column {
  readonly space: Space;
  readonly date: CivilDate;
}

/** Undefined on a day on which the space is closed. */
export const openingOf = ({ weekly_hours, operating_hours }: Space, date: CivilDate): Range | undefined =>
  weekly_hours === null ? operating_hours : (weekly_hours[weekdayOf(date)] ?? undefined);

/** Whether guests may be in at this hour; a walk-in takes the one that is running. */
export function isOpen(space: Space, date: CivilDate, hour: number): boolean {
  const opening = openingOf(space, date);
  return space.is_active && opening !== undefined && covers(opening, hour);
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const LOADING: readonly Cell[] = HOURS.map((hour) => ({ hour, state: 'loading' }));

/** The 24 hours of a column, as far as the API has told them. */
export function cellsOf(
  { space, date }: Column,
  day: Availability | undefined,
  bookings: readonly Booking[],
  now: number,
): readonly Cell[] {
  if (day === undefined) return LOADING;
  const ofDay = bookings.filter(
    (booking) => booking.space_id === space.id && booking.date === date && booking.status !== 'cancelled',
  );
  const change = clockChange(day.timezone, date);
  const clock = wallClock(day.timezone, now);
  return HOURS.map((hour) => {
    const told = stateOf(day, hour);
    const isNow = date === clock.date && hour === clock.hour;
    const over = date < clock.date || (date === clock.date && hour <= clock.hour);
    const skipped = change.skipped.has(hour);
    const isFree = told === 'available' || told === 'closed';
    const takesWalkIns = isFree && isNow && !skipped && isOpen(space, date, hour);
    // It was free when the API was asked, and has begun since.
    const state = takesWalkIns ? 'available' : isFree && over ? 'closed' : told;
    return {
      hour,
      state,
      booking: state === 'booked' ? ofDay.find((booking) => covers(booking, hour)) : undefined,
      block: state === 'blocked' ? day.blocks.find((block) => covers(block, hour)) : undefined,
      note: skipped
        ? 'skipped'
        : takesWalkIns
          ? 'now'
          : change.repeated.has(hour)
            ? 'repeated'
            : state === 'closed' && over
              ? 'past'
              : undefined,
    };
  });
}

/** The hour that is running takes walk-ins alone. */
export const isFreeToBook = ({ state, note }: Cell): boolean => state === 'available' && note !== 'now';

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
  if (kind === 'single') return cells[anchor]?.booking ?? { start_hour: anchor, end_hour: anchor + 1 };
  const step = target < anchor ? -1 : 1;
  let end = anchor;
  while (end !== target && kindOf(cells[end + step]) === kind) end += step;
  return { start_hour: Math.min(anchor, end), end_hour: Math.max(anchor, end) + 1 };
}

/** The hours around one that a person sees as one thing with it. */
export function blockAround(cells: readonly Cell[], hour: number): Range {
  let [start_hour, end_hour] = [hour, hour + 1];
  while (isJoined(cells[start_hour - 1], cells[start_hour])) start_hour -= 1;
  while (isJoined(cells[end_hour - 1], cells[end_hour])) end_hour += 1;
  return { start_hour, end_hour };
}

function kindOf(cell: Cell | undefined): 'free' | 'blocked' | 'single' | 'none' {
  if (cell === undefined) return 'none';
  if (cell.state === 'available' || cell.state === 'closed') return 'free';
  return cell.state === 'blocked' ? 'blocked' : 'single';
}

/** A column with its cells, as the grid draws it. */
export interface ShownColumn extends Column {
  readonly key: string;
  readonly title: string;
  readonly subtitle: string;
  /** Where not all columns have the same. */
  readonly zone: string | undefined;
  /** Stands for a day, not for a space. */
  readonly isDay: boolean;
  readonly cells: readonly Cell[];
}

/** Goes on what the hour above has begun. */
export function isJoined(above: Cell | undefined, cell: Cell | undefined): boolean {
  if (cell === undefined || above?.state !== cell.state) return false;
  if (cell.state === 'booked') return above.booking !== undefined && above.booking === cell.booking;
  if (cell.state === 'blocked') return above.block?.reason === cell.block?.reason;
  return cell.state === 'external calendar';
}
