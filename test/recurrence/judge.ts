import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Budget } from '../../src/calendars/parse/budget.ts';
import { occurrences } from '../../src/calendars/parse/recurrence.ts';
import { readRule } from '../../src/calendars/parse/rule.ts';
import { ianaZone } from '../../src/calendars/parse/zone.ts';
import type { Question } from './questions.ts';

/** Instants such as `20270318T140000Z`; or why there are none. */
export type Answer = readonly string[] | { readonly refused: string };

/** Debian's module is Debian's Python's; another Python may stand in front of it. */
const PYTHONS = ['python3', '/usr/bin/python3'];
const SCRIPT = new URL('./ask_dateutil.py', import.meta.url).pathname;

/** What python-dateutil says; undefined where it is not there. */
export function askDateutil(questions: readonly Question[]): Answer[] | undefined {
  const python = PYTHONS.find(
    (name) => spawnSync(name, ['-c', 'import dateutil, zoneinfo; zoneinfo.ZoneInfo("UTC")']).status === 0,
  );
  if (python === undefined) return undefined;
  const input = questions.map((question) => JSON.stringify(question)).join('\n');
  const { stdout, status, stderr } = spawnSync(python, [SCRIPT], { input, maxBuffer: 1e9 });
  if (status !== 0) throw new Error(`dateutil failed: ${stderr.toString()}`);
  return jsonLines<Answer>(stdout.toString());
}

/** Whether an answer is right is asked here, not how long it takes on a busy machine. */
class WithoutTimeLimit extends Budget {
  override checkTime(): void {}
}

/** What we say. */
export function askOurselves({ rule, start, from, to, zone: name }: Question): Answer {
  const zone = ianaZone(name);
  const wall = Date.parse(`${start}Z`);
  const range = { from: Date.parse(`${from}Z`), to: Date.parse(`${to}Z`) };
  try {
    const budget = new WithoutTimeLimit();
    return [...occurrences(readRule(rule), { wall, isDate: false, zone }, range, budget)].map(
      (at) => `${new Date(zone.toInstant(at)).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`,
    );
  } catch (error) {
    return { refused: String(error) };
  }
}

/** An answer in a few words, so that a table of them can be kept: how many, the first, the last, and a hash. */
export type Digest = readonly [count: number, first: string, last: string, hash: string];

export function digest(instants: readonly string[]): Digest {
  const hash = createHash('sha256').update(instants.join()).digest('hex').slice(0, 16);
  return [instants.length, instants[0] ?? '', instants.at(-1) ?? '', hash];
}

export interface Kept {
  readonly question: Question;
  readonly answer: Digest;
}

/** A line for each, as JSON. */
export const TABLE = new URL('./answers.jsonl', import.meta.url);

/** What python-dateutil 2.8.2 said; `node test/recurrence/keep-answers.ts` asks it again. */
export function keptAnswers(): Kept[] {
  return jsonLines<Kept>(readFileSync(TABLE, 'utf8'));
}

function jsonLines<T>(text: string): T[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
