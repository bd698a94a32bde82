import { useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { HourkeepError } from '@hourkeep/client';
import { block, unblock, type Hours } from '../changes.ts';
import { addDays, daysBetween, weekOf } from '../dates.ts';
import { clock, hourRange, mediumDate, weekdayName } from '../format.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { DateField } from '../ui/date-field.tsx';
import { fieldError, TextField } from '../ui/field.tsx';
import { messageOf, MissingScope, Refusal, useLacks } from '../ui/refusal.tsx';
import { toast } from '../ui/toast.tsx';
import { takenHours } from './taken-hours.tsx';

const t = strings.hours;
/** Each day is a request of its own. */
const MOST_DAYS = 366;

interface Refused {
  readonly date: string;
  readonly why: string;
}

/** Blocks the hours of one day, or of many days one after another. */
export function BlockForm({
  hours,
  onTaken,
  onClose,
}: {
  hours: Hours;
  onTaken: (hours: readonly number[]) => void;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const week = weekOf(hours.date);
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState<string | undefined>(hours.date);
  const [unwanted, setUnwanted] = useState<readonly string[]>([]);
  const [none, setNone] = useState(false);
  const [tried, setTried] = useState(0);
  const [refused, setRefused] = useState<readonly Refused[]>();
  const lacksScope = useLacks('blocks:write');
  // Closing the dialog stops it after the day that is under way.
  const stopped = useRef(false);
  useEffect(() => () => void (stopped.current = true), []);

  const span = until === undefined ? 0 : daysBetween(hours.date, until) + 1;
  const dates = Array.from({ length: Math.min(Math.max(0, span), MOST_DAYS) }, (_, day) =>
    addDays(hours.date, day),
  ).filter((date) => !unwanted.includes(weekdayName(date)));
  const wrong =
    until !== undefined && span < 1 ? t.untilBefore : span > MOST_DAYS ? t.untilTooFar : undefined;

  /** What this dialog has blocked already is not asked for again. */
  const done = useRef(new Map<string, Hours>());
  const { run, busy, error } = useAction(async () => {
    if (until === undefined || wrong !== undefined) return;
    setNone(dates.length === 0);
    if (dates.length === 0) return;
    stopped.current = false;
    setRefused(undefined);
    onTaken([]);
    const failed: Refused[] = [];
    const already = done.current.size;
    for (const [index, date] of dates.entries()) {
      const day = { ...hours, date };
      const key = `${date} ${hourRange(day)}`;
      setTried(index);
      if (stopped.current) break;
      if (done.current.has(key)) continue;
      try {
        await block(queries, day, reason);
        done.current.set(key, day);
      } catch (refusal) {
        if (dates.length === 1) onTaken(takenHours(refusal));
        if (dates.length === 1 || !isOfTheDay(refusal)) throw refusal;
        failed.push({ date, why: whyNot(refusal) });
        setRefused([...failed]);
      }
    }
    if (done.current.size > already) tellOf([...done.current.values()]);
    setRefused(failed);
    if (failed.length === 0) onClose();
  });

  const tellOf = (blocked: readonly Hours[]): void => {
    const range = hourRange(hours);
    const undo = (): void => {
      const free = async (): Promise<void> => {
        for (const day of blocked) await unblock(queries, day);
      };
      free().then(
        () =>
          toast.set({
            message: blocked.length === 1 ? t.unblocked(range) : t.unblockedDays(range, blocked.length),
          }),
        (failure: unknown) => toast.set({ message: messageOf(failure) }),
      );
    };
    toast.set({
      message: blocked.length === 1 ? t.blocked(range) : t.blockedDays(range, blocked.length),
      undo,
    });
  };

  return (
    <form noValidate onSubmit={(event) => (event.preventDefault(), run())}>
      <TextField
        label={t.reason}
        value={reason}
        onChange={setReason}
        autoComplete="off"
        hint={t.reasonHint}
        error={fieldError(error, 'reason')}
      />
      <DateField label={t.untilDate} value={until} onChange={setUntil} hint={t.untilHint} error={wrong} />
      <fieldset className="weekdays">
        <legend>{t.weekdays}</legend>
        {week.map((date) => {
          const name = weekdayName(date);
          const wanted = !unwanted.includes(name);
          return (
            <label key={name} className="check">
              <input
                type="checkbox"
                checked={wanted}
                onChange={() =>
                  setUnwanted(wanted ? [...unwanted, name] : unwanted.filter((each) => each !== name))
                }
              />
              {name}
            </label>
          );
        })}
      </fieldset>
      {none && (
        <p role="alert" className="note">
          {t.noDay}
        </p>
      )}
      <Refusal error={error} />
      {refused !== undefined && refused.length > 0 && (
        <div className="alert" role={busy ? undefined : 'alert'}>
          <p>{t.refusedDays(done.current.size, refused.length)}</p>
          <ul className="refused-days">
            {refused.map(({ date, why }) => (
              <li key={date}>
                <strong>
                  <bdi>{mediumDate(date)}</bdi>
                </strong>{' '}
                {why}
              </li>
            ))}
          </ul>
        </div>
      )}
      <MissingScope scope="blocks:write" />
      {busy && dates.length > 1 && (
        <div className="progress">
          <progress max={dates.length} value={tried} aria-label={t.progress} />
          <span className="small">{t.progressOf(tried, dates.length)}</span>
        </div>
      )}
      <div className="actions">
        {busy && dates.length > 1 ? (
          <button type="button" className="button" onClick={() => (stopped.current = true)}>
            {t.stop}
          </button>
        ) : (
          span > 1 && <span className="muted small">{t.onDays(dates.length)}</span>
        )}
        <button type="submit" className="button primary" aria-busy={busy} disabled={lacksScope}>
          {t.blockHours}
        </button>
      </div>
    </form>
  );
}

/** A refusal that says nothing of the days after it. */
function isOfTheDay(error: unknown): boolean {
  return error instanceof HourkeepError && error.code === 'BLOCK_SLOT_OCCUPIED';
}

function whyNot(error: unknown): string {
  const hours = takenHours(error);
  return hours.length === 0 ? messageOf(error) : t.takenAt(hours.map(clock).join(', '));
}
