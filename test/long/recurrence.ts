import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { askDateutil, askOurselves } from '../recurrence/judge.ts';
import { randomQuestions, type Question } from '../recurrence/questions.ts';
import { randomSeries, type SeriesQuestion } from '../recurrence/series.ts';

// Random rules, and series of events with such rules, expanded here and by python-dateutil (Debian: apt-get install
// python3-dateutil). SEED=n asks the same again.

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const RULES = 400;
/** It is given a second for each, and does not get through some rules of seconds. */
const MUST_AGREE = 300;
/** So many of the rules are of days and come true in the window. */
const SERIES_MUST_AGREE = 100;

if (askDateutil([]) === undefined) {
  process.stderr.write('NOT TESTED: python3 with its module dateutil is missing\n');
  process.exit(process.env['CI'] === 'true' ? 1 : 0);
}

const rules = randomQuestions(seed, RULES);

test('random rules come true when python-dateutil says they do', (t) =>
  hold(t, rules, ({ rule }) => /FREQ=(\w+)/.exec(rule)![1]!, MUST_AGREE));

test('random series with exceptions and stand-ins in any zone block the hours that follow from python-dateutil', (t) => {
  const series = randomSeries(seed, rules, (questions) => askDateutil(questions)!);
  hold(t, series, ({ series: { start } }) => `by ${start.form}`, SERIES_MUST_AGREE);
});

/** Each kind of question is a line of the report. */
function hold<Q extends Question | SeriesQuestion>(
  t: TestContext,
  questions: readonly Q[],
  kindOf: (question: Q) => string,
  mustAgree: number,
): void {
  const theirs = askDateutil(questions)!;
  const rows = new Map<string, { asked: number; agree: number; never: number; unanswered: number }>();
  const wrong: unknown[] = [];
  for (const [index, question] of questions.entries()) {
    const none = { asked: 0, agree: 0, never: 0, unanswered: 0 };
    const row = rows.getOrInsert(kindOf(question), none);
    row.asked++;
    const their = theirs[index]!;
    if ('refused' in their) {
      row.unanswered++;
      continue;
    }
    const our = askOurselves(question);
    if (JSON.stringify(our) !== JSON.stringify(their)) {
      wrong.push({ question, our, their });
      continue;
    }
    row.agree++;
    if (their.length === 0) row.never++;
  }
  t.diagnostic(`seed ${seed}: asked, those that agree, of these never true in the window, unanswered`);
  for (const [kind, { asked, agree, never, unanswered }] of rows) {
    t.diagnostic(
      `${kind.padEnd(11)} ${asked} asked, ${agree} agree (${never} never), ${unanswered} unanswered`,
    );
  }
  const agree = [...rows.values()].reduce((sum, row) => sum + row.agree, 0);
  t.diagnostic(`all         ${questions.length} asked, ${agree} agree, ${wrong.length} differ`);
  assert.deepEqual(wrong, []);
  assert.ok(agree >= mustAgree, `only ${agree} were answered`);
}
