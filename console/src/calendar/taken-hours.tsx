import { HourkeepError } from '@hourkeep/client';
import { clock, plainClock } from '../format.ts';
import { strings } from '../strings.ts';
import type { Range } from './cells.ts';

/** The hours that a 409 names. */
export function takenHours(error: unknown): number[] {
  if (!(error instanceof HourkeepError)) return [];
  const isTaken = error.code === 'BOOKING_CONFLICT' || error.code === 'BLOCK_SLOT_OCCUPIED';
  return isTaken ? (error.details?.hours ?? []) : [];
}

/** The chosen hours, each marked as free or taken. */
export function HourChips({ range, taken }: { range: Range; taken: readonly number[] }) {
  const hours = Array.from(
    { length: Math.max(0, range.end_hour - range.start_hour) },
    (_, index) => range.start_hour + index,
  );
  if (!hours.some((hour) => taken.includes(hour))) return null;
  return (
    <ul className="chips" aria-label={strings.hours.chosen}>
      {hours.map((hour) => (
        <li key={hour} data-taken={taken.includes(hour) || undefined}>
          <bdi dir="ltr">{clock(hour)}</bdi> {taken.includes(hour) ? strings.hours.taken : strings.hours.free}
        </li>
      ))}
    </ul>
  );
}

export function HourOptions({
  from,
  closed = () => false,
}: {
  from: number;
  closed?: ((hour: number) => boolean) | undefined;
}) {
  return Array.from({ length: 24 }, (_, index) => (
    <option key={index} value={plainClock(index + from)} disabled={closed(index)}>
      {clock(index + from)}
    </option>
  ));
}
