import type { Space } from '@hourkeep/client';
import { anyWeek, type CivilDate } from '../dates.ts';
import { hourRange, isAllDay, weekday } from '../format.ts';
import { strings } from '../strings.ts';
import { openingOf, type Range } from './cells.ts';

/** When a space is open, and what its bookings must keep to. */
export function SpaceRules({ space }: { space: Space }) {
  const t = strings.spaceRules;
  const { min_hours, max_hours, lead_hours, horizon_days } = space.booking_rules;
  const rules = [
    min_hours !== null && t.atLeast(min_hours),
    max_hours !== null && t.atMost(max_hours),
    lead_hours !== null && t.notice(lead_hours),
    horizon_days !== null && t.ahead(horizon_days),
  ].filter((rule) => rule !== false);
  return (
    <p className="muted small space-rules">
      <span>{`${strings.fields.operating_hours}: ${openingWords(space)}.`}</span>{' '}
      {rules.length > 0 && <span>{`${strings.fields.booking_rules}: ${rules.join(', ')}.`}</span>}
    </p>
  );
}

/** Mon–Fri 9 AM – 10 PM, Sat 10 AM – 2 PM, Sun closed */
export function openingWords(space: Space): string {
  if (space.weekly_hours === null) return `${strings.spaceRules.daily} ${hoursWords(space.operating_hours)}`;
  const runs: { first: CivilDate; last: CivilDate; words: string }[] = [];
  for (const date of anyWeek()) {
    const words = hoursWords(openingOf(space, date));
    const run = runs.at(-1);
    if (run?.words === words) run.last = date;
    else runs.push({ first: date, last: date, words });
  }
  return runs
    .map(({ first, last, words }) => {
      const days = first === last ? weekday(first) : `${weekday(first)}–${weekday(last)}`;
      return `${days} ${words}`;
    })
    .join(', ');
}

function hoursWords(hours: Range | undefined): string {
  if (hours === undefined) return strings.calendar.states.closed;
  return isAllDay(hours) ? strings.spaceRules.allDay : hourRange(hours);
}
