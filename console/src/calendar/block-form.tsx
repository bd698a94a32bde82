import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { BlockedDays } from '@hourkeep/client';
import { block, blockDays, unblock, unblockDays, type Hours } from '../changes.ts';
import { addDays, daysBetween, weekdayOf, weekOf, type Weekday } from '../dates.ts';
import { hourRange, mediumDate, weekdayName } from '../format.ts';
import { strings } from '../strings.ts';
import { DateField } from '../ui/date-field.tsx';
import { TextField } from '../ui/field.tsx';
import { Checks, Form, useFields } from '../ui/form.tsx';
import { runsOf } from './cells.ts';
import { HourChips, takenHours } from './form.tsx';
import { tell } from './undo.ts';

const t = strings.hours;
/** As the API has it: a leap year, and the same date of the next. */
const MOST_DAYS = 367;

interface Choice {
  reason: string;
  until: string | undefined;
  weekdays: readonly Weekday[];
}

type Day = BlockedDays['days'][number];

/** Blocks the hours of one day, or of many days at once. */
export function BlockForm({ hours, onClose }: { hours: Hours; onClose: () => void }) {
  const queries = useQueryClient();
  const week = weekOf(hours.date).map(weekdayOf);
  const [blocked, setBlocked] = useState<readonly Day[]>();
  const form = useFields<Choice>({
    values: { reason: '', until: hours.date, weekdays: week },
    check: ({ until, weekdays }) => {
      const { days, wrong } = reachOf(hours.date, until, weekdays);
      return {
        until: wrong,
        weekdays: until !== undefined && days === 0 && wrong === undefined ? t.noDay : undefined,
      };
    },
    send: async ({ reason, until, weekdays }) => {
      if (until === undefined) return;
      const { span } = reachOf(hours.date, until, weekdays);
      if (span === 1) {
        await block(queries, hours, reason);
        tell(t.blocked(hourRange(hours)), t.unblocked(hourRange(hours)), () => unblock(queries, hours));
        onClose();
        return;
      }
      const chosen = week.filter((day) => weekdays.includes(day));
      const done = await blockDays(queries, hours, { end_date: until, weekdays: chosen }, reason);
      const count = done.filter(({ blocked_hours }) => blocked_hours.length > 0).length;
      if (count > 0)
        tell(t.blockedDays(hourRange(hours), count), t.unblockedDays(hourRange(hours), count), () =>
          unblockDays(queries, hours, chosen, done),
        );
      if (done.every(({ occupied_hours }) => occupied_hours.length === 0)) onClose();
      else setBlocked(done);
    },
  });
  const { until, weekdays } = form.values;
  const { span, days, wrong } = reachOf(hours.date, until, weekdays);
  if (blocked !== undefined) return <Blocked days={blocked} onClose={onClose} />;
  return (
    <Form
      of={form}
      scope="blocks:write"
      button={t.blockHours}
      beside={span > 1 && <span className="muted small">{t.onDays(days)}</span>}
    >
      <HourChips range={hours} taken={takenHours(form.error)} />
      <TextField {...form.field('reason')} hint={t.reasonHint} autoComplete="off" />
      <DateField {...form.field('until')} label={t.untilDate} hint={t.untilHint} error={wrong} />
      <Checks
        legend={t.weekdays}
        className="weekdays"
        all={week}
        chosen={weekdays}
        onChange={(chosen) => form.set({ weekdays: chosen })}
        wordsOf={(day) => weekdayName(weekOf(hours.date)[week.indexOf(day)]!)}
      />
    </Form>
  );
}

/** How many days there are until then, how many of them are chosen, and what is wrong with the last one. */
function reachOf(first: string, until: string | undefined, weekdays: readonly Weekday[]) {
  const span = until === undefined ? 0 : daysBetween(first, until) + 1;
  const all = Array.from({ length: Math.min(Math.max(0, span), MOST_DAYS) }, (_, day) => addDays(first, day));
  const days = all.filter((date) => weekdays.includes(weekdayOf(date))).length;
  const wrong =
    until !== undefined && span < 1 ? t.untilBefore : span > MOST_DAYS ? t.untilTooFar : undefined;
  return { span, days, wrong };
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
