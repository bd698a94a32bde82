import { useId } from 'react';
import type { Space } from '@hourkeep/client';
import { HourOptions } from '../calendar/form.tsx';
import { anyWeek, weekdayOf } from '../dates.ts';
import { isAllDay, plainClock, readCount, weekdayName } from '../format.ts';
import { strings } from '../strings.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import type { Fields } from '../ui/form.tsx';

const t = strings.spaces;

type Hours = Space['operating_hours'];
type Week = NonNullable<Space['weekly_hours']>;

/** Both ways to open are kept, so that changing one's mind loses nothing. */
export interface Opening {
  readonly isWeekly: boolean;
  readonly daily: Hours;
  /** Undefined before anybody touched it: then it has the hours of every day. */
  readonly week: Week | undefined;
}

export function openingOf({ operating_hours: daily, weekly_hours: week }: Space): Opening {
  return { isWeekly: week !== null, daily, week: week ?? undefined };
}

export function openingChanges({ isWeekly, daily, week = sameWeek(daily) }: Opening, space: Space) {
  const weekly = isWeekly ? week : null;
  return {
    ...(differs(weekly, space.weekly_hours) && { weekly_hours: weekly }),
    ...(!isWeekly && differs(daily, space.operating_hours) && { operating_hours: daily }),
  };
}

const differs = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);

const sameWeek = (hours: Hours): Week =>
  Object.fromEntries(anyWeek().map((date) => [weekdayOf(date), hours])) as unknown as Week;

/** The same hours every day, or those of each weekday. */
export function OpeningFields({
  opening,
  onChange,
  errorOf,
}: {
  opening: Opening;
  onChange: (opening: Opening) => void;
  errorOf: (field: string) => string | undefined;
}) {
  const id = useId();
  const { isWeekly, daily, week = sameWeek(daily) } = opening;
  const ofWeek = isWeekly ? errorOf('weekly_hours') : undefined;
  const given = { 'aria-invalid': true, 'aria-describedby': `${id}-error` } as const;
  return (
    <fieldset className="stack tight" aria-describedby={ofWeek && `${id}-error`}>
      <legend>{strings.fields.operating_hours}</legend>
      {[false, true].map((weekly) => (
        <label key={String(weekly)} className="check">
          <input
            type="radio"
            name={id}
            checked={isWeekly === weekly}
            onChange={() => onChange({ ...opening, isWeekly: weekly })}
          />
          {weekly ? t.byWeekday : t.everyDay}
        </label>
      ))}
      {isWeekly ? (
        anyWeek().map((date) => {
          const [day, name] = [weekdayOf(date), weekdayName(date)];
          const hours = week[day];
          const set = (to: Hours | null): void => onChange({ ...opening, week: { ...week, [day]: to } });
          const wrong = ofWeek !== undefined && hours !== null && hours.end_hour <= hours.start_hour;
          return (
            <div key={day} className="open-day">
              <label className="check">
                <input
                  type="checkbox"
                  checked={hours !== null}
                  onChange={() => set(hours === null ? daily : null)}
                />
                {name}
              </label>
              {hours === null ? (
                <span className="muted">{t.closed}</span>
              ) : (
                (['start_hour', 'end_hour'] as const).map((end) => (
                  <select
                    key={end}
                    aria-label={`${name}, ${end === 'start_hour' ? t.opens : t.closes}`}
                    value={plainClock(hours[end])}
                    onChange={({ target }) => set({ ...hours, [end]: Number.parseInt(target.value) })}
                    {...(wrong && given)}
                  >
                    <HourOptions from={end === 'start_hour' ? 0 : 1} />
                  </select>
                ))
              )}
            </div>
          );
        })
      ) : (
        <div className="pair">
          <SelectField
            label={t.opens}
            value={plainClock(daily.start_hour)}
            onChange={(v) => onChange({ ...opening, daily: { ...daily, start_hour: Number.parseInt(v) } })}
          >
            <HourOptions from={0} />
          </SelectField>
          <SelectField
            label={t.closes}
            value={plainClock(daily.end_hour)}
            onChange={(v) => onChange({ ...opening, daily: { ...daily, end_hour: Number.parseInt(v) } })}
            error={errorOf('operating_hours')}
          >
            <HourOptions from={1} />
          </SelectField>
        </div>
      )}
      {ofWeek !== undefined && (
        <small id={`${id}-error`} className="field-error">
          {ofWeek}
        </small>
      )}
      <p className="hint small">
        {!isWeekly && isAllDay(daily) && `${t.openAllDay}. `}
        {t.hoursHint}
      </p>
    </fieldset>
  );
}

/** By the names that the API's errors have. */
export const RULE_INPUTS = {
  'booking_rules.min_hours': 'count',
  'booking_rules.max_hours': 'count',
  'booking_rules.lead_hours': 'count',
  'booking_rules.horizon_days': 'count',
} as const;
type Rule = keyof typeof RULE_INPUTS;
const RULES = Object.keys(RULE_INPUTS) as Rule[];
/** As they are typed. */
type RuleTexts = Readonly<Record<Rule, string>>;

const ownName = (rule: Rule) => rule.slice('booking_rules.'.length) as keyof Space['booking_rules'];

export const ruleTexts = ({ booking_rules: rules }: Space): RuleTexts =>
  Object.fromEntries(RULES.map((rule) => [rule, String(rules[ownName(rule)] ?? '')])) as RuleTexts;

/** An empty text ends its rule. */
export function ruleChanges(texts: RuleTexts, space: Space) {
  const before = ruleTexts(space);
  const changed = RULES.filter((rule) => texts[rule].trim() !== before[rule]);
  if (changed.length === 0) return {};
  return {
    booking_rules: Object.fromEntries(changed.map((rule) => [ownName(rule), readCount(texts[rule]) ?? null])),
  };
}

export function RuleFields({ field, errorOf }: Pick<Fields<RuleTexts>, 'field' | 'errorOf'>) {
  const id = useId();
  return (
    <fieldset className="stack tight rules" aria-describedby={id}>
      <legend>{strings.fields.booking_rules}</legend>
      {RULES.map((rule) => (
        <TextField
          key={rule}
          {...field(rule)}
          inputMode="numeric"
          autoComplete="off"
          // All rules together are rejected for one reason alone: the maximum is below the minimum.
          error={errorOf(rule) ?? (rule === 'booking_rules.max_hours' ? errorOf('booking_rules') : undefined)}
        />
      ))}
      <p className="hint small" id={id}>
        {t.rulesHint}
      </p>
    </fieldset>
  );
}
