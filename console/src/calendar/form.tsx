import { useRef, useState, type ReactNode } from 'react';
import { HourkeepError } from '@hourkeep/client';
import { clock, plainClock } from '../format.ts';
import { newKey } from '../new-key.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { fieldError, SelectField } from '../ui/field.tsx';
import { MissingScope, Refusal, useLacks, type Labels } from '../ui/refusal.tsx';
import type { Range } from './cells.ts';

// What the forms about hours have in common.

/** Sends hours with an idempotency key, and tells which of them a 409 calls taken. */
export function useHoursAction(
  work: (key: string) => Promise<void>,
  onTaken: (hours: readonly number[]) => void,
) {
  const key = useRef(newKey());
  return useAction(async () => {
    onTaken([]);
    try {
      await work(key.current);
    } catch (refusal) {
      // A refusal stores nothing. Without an answer it may have been done: then the same key must be sent again.
      if (refusal instanceof HourkeepError && refusal.status >= 400 && refusal.status < 500)
        key.current = newKey();
      onTaken(takenHours(refusal));
      throw refusal;
    }
  });
}

function takenHours(error: unknown): number[] {
  if (!(error instanceof HourkeepError)) return [];
  const isTaken = error.code === 'BOOKING_CONFLICT' || error.code === 'BLOCK_SLOT_OCCUPIED';
  return isTaken ? (error.details?.hours ?? []) : [];
}

type FieldName = keyof typeof strings.fields;

/** Texts that a person types, by the API's names. */
export function useTexts() {
  const [texts, setTexts] = useState<Partial<Record<FieldName, string>>>({});
  const field = (name: FieldName, error: unknown) => ({
    label: strings.fields[name],
    value: texts[name] ?? '',
    onChange: (text: string) => setTexts((before) => ({ ...before, [name]: text })),
    autoComplete: 'off',
    error: fieldError(error, name),
  });
  return { texts, field };
}

/** On a touch screen a focused field would cover half of the sheet with the keyboard. */
export const isQuickToType = (): boolean => matchMedia('(hover: hover)').matches;

/** Where a form ends: what was refused, and its button. */
export function FormEnd({
  scope,
  button,
  action: { busy, error },
  labels,
  kind = 'primary',
  children,
}: {
  scope: string;
  button: string;
  action: { busy: boolean; error: unknown };
  labels?: Labels;
  kind?: 'primary' | 'danger';
  children?: ReactNode;
}) {
  const lacksScope = useLacks(scope);
  return (
    <>
      <Refusal error={error} labels={labels} />
      <MissingScope scope={scope} />
      <div className="actions">
        {children}
        <button type="submit" className={`button ${kind}`} aria-busy={busy} disabled={lacksScope}>
          {button}
        </button>
      </div>
    </>
  );
}

/** First and last hour can be changed; the length stays when the beginning changes. Taken hours are marked. */
export function HourFields({
  labels: [from, to] = [strings.hours.starts, strings.hours.ends],
  range,
  setRange,
  taken,
  closed,
}: {
  labels?: readonly [from: string, to: string];
  range: Range;
  setRange: (range: Range) => void;
  taken: readonly number[];
  closed?: ((hour: number) => boolean) | undefined;
}) {
  const starts = (hour: number): void => {
    const length = range.end_hour - range.start_hour;
    setRange({ start_hour: hour, end_hour: Math.min(24, hour + length) });
  };
  const ends = (hour: number): void =>
    setRange({ start_hour: Math.min(range.start_hour, hour - 1), end_hour: hour });
  return (
    <div className="hour-picker">
      <div className="pair">
        <HourSelect label={from} value={range.start_hour} onChange={starts} from={0} closed={closed} />
        <HourSelect label={to} value={range.end_hour} onChange={ends} from={1} closed={closed} />
      </div>
      <HourChips range={range} taken={taken} />
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
