import { HourkeepError, type Space } from '@hourkeep/client';
import { clock, money, plainClock } from '../format.ts';
import { strings } from '../strings.ts';
import { SelectField } from '../ui/field.tsx';
import type { Range } from './cells.ts';

// What the forms about hours have in common.

/** Which of the hours that were sent a 409 calls taken. */
export function takenHours(error: unknown): readonly number[] {
  if (!(error instanceof HourkeepError)) return [];
  const isTaken = error.code === 'BOOKING_CONFLICT' || error.code === 'BLOCK_SLOT_OCCUPIED';
  return isTaken ? (error.details?.hours ?? []) : [];
}

/** On a touch screen a focused field would cover half of the sheet with the keyboard. */
export const isQuickToType = (): boolean => matchMedia('(hover: hover)').matches;

/** First and last hour can be changed; the length stays when the beginning changes. */
export function HourFields({
  labels: [from, to] = [strings.hours.starts, strings.hours.ends],
  range,
  setRange,
  closed,
}: {
  labels?: readonly [from: string, to: string];
  range: Range;
  setRange: (range: Range) => void;
  closed?: ((hour: number) => boolean) | undefined;
}) {
  const starts = (hour: number): void => {
    const length = range.end_hour - range.start_hour;
    setRange({ start_hour: hour, end_hour: Math.min(24, hour + length) });
  };
  const ends = (hour: number): void =>
    setRange({ start_hour: Math.min(range.start_hour, hour - 1), end_hour: hour });
  return (
    <div className="pair">
      <HourSelect label={from} value={range.start_hour} onChange={starts} from={0} closed={closed} />
      <HourSelect label={to} value={range.end_hour} onChange={ends} from={1} closed={closed} />
    </div>
  );
}

export function HourSelect({
  label,
  value,
  onChange,
  from,
  closed,
}: {
  label: string;
  value: number;
  onChange: (hour: number) => void;
  from: number;
  closed?: ((hour: number) => boolean) | undefined;
}) {
  return (
    <SelectField label={label} value={plainClock(value)} onChange={(hour) => onChange(Number.parseInt(hour))}>
      <HourOptions from={from} closed={closed} />
    </SelectField>
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

/** What the hours cost, beside the button that books them. */
export function Price({ of, range }: { of: Space; range: Range }) {
  return (
    <span className="price">
      {money((range.end_hour - range.start_hour) * of.price_per_hour, of.currency)}
    </span>
  );
}
