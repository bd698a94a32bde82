import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { BlockedDays } from '@hourkeep/client';
import { block, blockDays, unblock, unblockDays, type Hours } from '../changes.ts';
import { addDays, daysBetween, weekdayOf, weekOf, type Weekday } from '../dates.ts';
import { hourRange, mediumDate, weekdayName } from '../format.ts';
import { strings } from '../strings.ts';
import { DateField } from '../ui/date-field.tsx';
import { TextField } from '../ui/field.tsx';
import { runsOf } from './cells.ts';
import { FormEnd, useHoursAction, useTexts } from './form.tsx';
import { tell } from './undo.ts';

const t = strings.hours;
/** As the API has it: a leap year, and the same date of the next. */
const MOST_DAYS = 367;

type Day = BlockedDays['days'][number];

/** Blocks the hours of one day, or of many days at once. */
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
  const { texts, field } = useTexts();
  const reason = texts.reason ?? '';
  const [until, setUntil] = useState<string | undefined>(hours.date);
  const [unwanted, setUnwanted] = useState<readonly Weekday[]>([]);
  const [none, setNone] = useState(false);
  const [blocked, setBlocked] = useState<readonly Day[]>();

  const span = until === undefined ? 0 : daysBetween(hours.date, until) + 1;
  const days = Array.from({ length: Math.min(Math.max(0, span), MOST_DAYS) }, (_, day) =>
    addDays(hours.date, day),
  ).filter((date) => !unwanted.includes(weekdayOf(date))).length;
  const wrong =
    until !== undefined && span < 1 ? t.untilBefore : span > MOST_DAYS ? t.untilTooFar : undefined;

  const action = useHoursAction(async () => {
    if (until === undefined || wrong !== undefined) return;
    setNone(days === 0);
    if (days === 0) return;
    if (span === 1) {
      await block(queries, hours, reason);
      tell(t.blocked(hourRange(hours)), t.unblocked(hourRange(hours)), () => unblock(queries, hours));
      onClose();
      return;
    }
    const weekdays = week.map(weekdayOf).filter((day) => !unwanted.includes(day));
    const done = await blockDays(queries, hours, { end_date: until, weekdays }, reason);
    const count = done.filter(({ blocked_hours }) => blocked_hours.length > 0).length;
    if (count > 0)
      tell(t.blockedDays(hourRange(hours), count), t.unblockedDays(hourRange(hours), count), () =>
        unblockDays(queries, hours, weekdays, done),
      );
    if (done.every(({ occupied_hours }) => occupied_hours.length === 0)) onClose();
    else setBlocked(done);
  }, onTaken);

  if (blocked !== undefined) return <Blocked days={blocked} onClose={onClose} />;
  return (
    <form noValidate onSubmit={(event) => (event.preventDefault(), action.run())}>
      <TextField {...field('reason', action.error)} hint={t.reasonHint} />
      <DateField label={t.untilDate} value={until} onChange={setUntil} hint={t.untilHint} error={wrong} />
      <fieldset className="checks weekdays">
        <legend>{t.weekdays}</legend>
        {week.map((date) => {
          const day = weekdayOf(date);
          const wanted = !unwanted.includes(day);
          return (
            <label key={day} className="check">
              <input
                type="checkbox"
                checked={wanted}
                onChange={() =>
                  setUnwanted(wanted ? [...unwanted, day] : unwanted.filter((each) => each !== day))
                }
              />
              {weekdayName(date)}
            </label>
          );
        })}
      </fieldset>
      {none && (
        <p role="alert" className="note">
          {t.noDay}
        </p>
      )}
      <FormEnd scope="blocks:write" action={action} button={t.blockHours}>
        {span > 1 && <span className="muted small">{t.onDays(days)}</span>}
      </FormEnd>
    </form>
  );
}

/** Which hours were not free, and what was blocked beside them. */
function Blocked({ days, onClose }: { days: readonly Day[]; onClose: () => void }) {
  const partly = days.filter(({ occupied_hours }) => occupied_hours.length > 0);
  const none = partly.filter(({ blocked_hours }) => blocked_hours.length === 0);
  const said = (hours: readonly number[]): string => runsOf(hours).map(hourRange).join(', ');
  return (
    <form onSubmit={(event) => (event.preventDefault(), onClose())}>
      <div className="alert" role="alert">
        <p>{t.takenDays(days.length - none.length, partly.length)}</p>
        <ul className="stack tight refused-days">
          {partly.map(({ date, occupied_hours, blocked_hours }) => (
            <li key={date}>
              <strong>
                <bdi>{mediumDate(date)}</bdi>
              </strong>{' '}
              {t.takenAt(said(occupied_hours))}
              {blocked_hours.length > 0 && `; ${t.blockedAt(said(blocked_hours))}`}
            </li>
          ))}
        </ul>
      </div>
      <div className="actions">
        {/* The button that had the focus is gone. */}
        <button type="submit" className="button primary" autoFocus>
          {t.done}
        </button>
      </div>
    </form>
  );
}
