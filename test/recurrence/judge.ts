import { spawnSync } from 'node:child_process';
import { Budget } from '../../src/calendars/parse/limits.ts';
import { occurrences } from '../../src/calendars/parse/recurrence.ts';
import { readRule } from '../../src/calendars/parse/rule.ts';
import { hoursIn } from '../../src/hours/hours.ts';
import { ianaZone } from '../../src/time/wall-clock.ts';
import { parseCalendar } from '../../src/calendars/parse/parse.ts';
import type { Question } from './questions.ts';
import { calendarText, type SeriesQuestion } from './series.ts';

/** Instants such as `20270318T140000Z`, or hours such as `2027-03-18 10`; or why there are none. */
export type Answer = readonly string[] | { readonly refused: string };

/** Debian's module is Debian's Python's; another Python may stand in front of it. */
const PYTHONS = ['python3', '/usr/bin/python3'];
const SCRIPT = new URL('./ask_dateutil.py', import.meta.url).pathname;

/** What python-dateutil says; undefined where it is not there. */
export function askDateutil(questions: readonly (Question | SeriesQuestion)[]): Answer[] | undefined {
  const python = PYTHONS.find(
    (name) => spawnSync(name, ['-c', 'import dateutil, zoneinfo; zoneinfo.ZoneInfo("UTC")']).status === 0,
  );
  if (python === undefined) return undefined;
  const input = questions.map((question) => JSON.stringify(question)).join('\n');
  const { stdout, status, stderr } = spawnSync(python, [SCRIPT], { input, maxBuffer: 1e9 });
  if (status !== 0) throw new Error(`dateutil failed: ${stderr.toString()}`);
  const lines = stdout.toString().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Answer);
}

/** What we say. */
export function askOurselves(question: Question | SeriesQuestion): Answer {
  return 'standIns' in question ? busyHours(question) : instants(question);
}

/** Today, for a window that begins a day before. */
const NOW = Date.UTC(2027, 2, 1, 12);

function busyHours(question: SeriesQuestion): Answer {
  const { space, from, to } = question;
  const { days, problems } = parseCalendar(calendarText(question), {
    spaceId: '',
    timezone: space,
    now: NOW,
  });
  if (problems.length > 0) return { refused: problems.map(({ line }) => line).join() };
  return [...days]
    .filter(([date]) => date >= from && date <= to)
    .flatMap(([date, mask]) => hoursIn(mask).map((hour) => `${date} ${String(hour).padStart(2, '0')}`));
}

function instants({ rule, start, from, to, zone: name }: Question): Answer {
  const zone = ianaZone(name);
  const wall = Date.parse(`${start}Z`);
  const range = { from: Date.parse(`${from}Z`), to: Date.parse(`${to}Z`) };
  try {
    // Whether an answer is right is asked here, not how long it takes on a busy machine.
    const budget = new Budget(Infinity);
    return [...occurrences(readRule(rule), { wall, isDate: false, zone }, range, budget)].map(
      (at) => `${new Date(zone.toInstant(at)).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`,
    );
  } catch (error) {
    return { refused: String(error) };
  }
}
