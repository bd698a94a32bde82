import { useEffect, useRef, useState } from 'react';
import type { Space } from '@hourkeep/client';
import { addDays, isDate, sameDayOf } from '../dates.ts';
import { useSpaces } from '../queries.ts';
import { go, hrefOf, usePlace } from '../router.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { DateField } from '../ui/date-field.tsx';
import { SelectField } from '../ui/field.tsx';
import { isNarrow, useNow, useTitle } from '../ui/hooks.ts';
import { part } from '../ui/part.tsx';
import { Refusal } from '../ui/refusal.tsx';
import { wallClock } from '../zone.ts';
import { HoursView } from './hours-view.tsx';
import { SpaceOptions } from './space-options.tsx';

const MonthView = part(null, () => import('./month-view.tsx'));

const ALL = 'all';
const VIEWS = ['day', 'week', 'month'] as const;
type View = (typeof VIEWS)[number];

export function CalendarScreen() {
  useTitle(strings.screens.calendar);
  const spaces = useSpaces();
  return (
    <>
      <h1 className="bare">{strings.screens.calendar}</h1>
      <Refusal error={spaces.error} onRetry={() => void spaces.refetch()} />
      {spaces.data?.length === 0 && <p className="empty">{strings.noSpaces}</p>}
      {spaces.data !== undefined && spaces.data.length > 0 && <Calendar spaces={spaces.data} />}
      {spaces.isPending && <div className="skeleton tall" />}
    </>
  );
}

function Calendar({ spaces }: { spaces: Space[] }) {
  const now = useNow();
  const { space, shown, view, date, move } = useWhere(spaces, now);
  const opening = useRef(false);
  useEffect(() => {
    opening.current = false;
  });
  const step = (by: 1 | -1): void => move({ date: stepped(date, view, by) });
  return (
    <>
      <div className="toolbar dated calendar-tools">
        <div className="tools">
          <SelectField
            label={strings.calendar.space}
            value={space?.id ?? ALL}
            onChange={(id) => move({ space: id })}
          >
            {view !== 'month' && spaces.length > 1 && (
              <option value={ALL}>{strings.calendar.allSpaces}</option>
            )}
            <SpaceOptions spaces={spaces} />
          </SelectField>
          <DateField
            label={strings.calendar.goToDate}
            value={date}
            onChange={(to) => to !== undefined && move({ date: to })}
          />
        </div>
        <div className="tools">
          <fieldset className="segmented" role="radiogroup" aria-label={strings.calendar.view}>
            {VIEWS.map((each) => (
              <label key={each}>
                <input
                  type="radio"
                  name="view"
                  checked={view === each}
                  onChange={() => move({ view: each })}
                />
                <span>{strings.calendar.views[each]}</span>
              </label>
            ))}
          </fieldset>
          <div className="pager">
            <Step label={strings.calendar.previous} sign="‹" onPress={() => step(-1)} />
            <Button onClick={() => move({ date: wallClock(shown[0]!.timezone, now).date })}>
              {view === 'week' ? strings.calendar.thisWeek : strings.calendar.today}
            </Button>
            <Step label={strings.calendar.next} sign="›" onPress={() => step(1)} />
          </div>
        </div>
      </div>
      {view === 'month' || (view === 'week' && space === undefined) ? (
        <MonthView
          spaces={view === 'month' ? [shown[0]!] : shown}
          view={view}
          date={date}
          now={now}
          onDate={(to) => move({ date: to })}
          onOpen={({ id }, day) => {
            opening.current = true;
            move({ view: 'day', date: day, space: id });
          }}
        />
      ) : (
        <HoursView
          shown={shown}
          view={view}
          date={date}
          now={now}
          focusAtFirst={opening.current}
          onDate={(to) => move({ date: to })}
        />
      )}
    </>
  );
}

/** On a phone its sign alone is seen. */
function Step({ label, sign, onPress }: { label: string; sign: string; onPress: () => void }) {
  return (
    <button type="button" className="button step" onClick={onPress}>
      <span className="step-sign" aria-hidden="true">
        {sign}
      </span>
      <span className="step-label">{label}</span>
    </button>
  );
}

function stepped(date: string, view: View, by: 1 | -1): string {
  return view === 'month' ? sameDayOf(date, by) : addDays(date, by * (view === 'week' ? 7 : 1));
}

/** What is shown stands in the address: it can be kept, shared and reloaded, and Back leads to what was shown before. */
function useWhere(spaces: Space[], now: number) {
  const { query } = usePlace();
  const [defaultView] = useState<View>(() => (isNarrow() ? 'day' : 'week'));
  const view = VIEWS.find((each) => each === query.get('view')) ?? defaultView;
  const first = spaces.find(({ is_active }) => is_active) ?? spaces[0]!;
  const chosen = spaces.find(({ id }) => id === query.get('space'));
  // By day all spaces stand side by side where there is room for them, unless one was chosen.
  const wantsAll =
    query.get('space') === ALL || (query.get('space') === null && view === 'day' && !isNarrow());
  const all = view !== 'month' && chosen === undefined && wantsAll && spaces.length > 1;
  const space = all ? undefined : (chosen ?? first);
  const active = spaces.filter(({ is_active }) => is_active);
  const shown = space === undefined ? [...active, ...spaces.filter(({ is_active }) => !is_active)] : [space];
  const asked = query.get('date') ?? '';
  const date = isDate(asked) ? asked : wallClock(shown[0]!.timezone, now).date;
  const move = (to: { space?: string; view?: View; date?: string }): void => {
    if (to.date === date && to.view === undefined && to.space === undefined) return;
    go(hrefOf('calendar', { ...Object.fromEntries(query), ...to }));
  };
  return { space, shown, view, date, move };
}
