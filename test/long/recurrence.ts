import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askDateutil, askOurselves, digest, keptAnswers } from '../recurrence/judge.ts';
import { randomQuestions } from '../recurrence/questions.ts';

// Random rules, expanded here and by python-dateutil (Debian: apt-get install python3-dateutil). SEED=n asks the
// same again. Where there is no dateutil, a table of what it once said stands in for it.

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const RULES = 400;
/** It is given a second for each, and does not get through some rules of seconds. */
const MUST_BE_ANSWERED = 300;

test('random rules come true when python-dateutil says they do', (t) => {
  const questions = randomQuestions(seed, RULES);
  const theirs = askDateutil(questions);
  if (theirs === undefined) {
    t.diagnostic('no python3 with dateutil: held against the table of its answers');
    return holdAgainstTable();
  }
  const rows = new Map<string, { rules: number; agree: number; never: number; unanswered: number }>();
  const wrong: unknown[] = [];
  for (const [index, question] of questions.entries()) {
    const freq = /FREQ=(\w+)/.exec(question.rule)![1]!;
    const row = rows.getOrInsertComputed(freq, () => ({ rules: 0, agree: 0, never: 0, unanswered: 0 }));
    row.rules++;
    const their = theirs[index]!;
    if ('refused' in their) {
      row.unanswered++;
      continue;
    }
    const our = askOurselves(question);
    if (JSON.stringify(our) !== JSON.stringify(their)) {
      wrong.push({ question, our: 'refused' in our ? our : digest(our), their: digest(their) });
      continue;
    }
    row.agree++;
    if (their.length === 0) row.never++;
  }
  t.diagnostic(
    `seed ${seed}: rules, those that agree, of these never true in the window, unanswered by dateutil`,
  );
  for (const [freq, { rules, agree, never, unanswered }] of rows) {
    t.diagnostic(
      `${freq.padEnd(8)} ${rules} rules, ${agree} agree (${never} never), ${unanswered} unanswered`,
    );
  }
  const agree = [...rows.values()].reduce((sum, row) => sum + row.agree, 0);
  t.diagnostic(`all      ${RULES} rules, ${agree} agree, ${wrong.length} differ`);
  assert.deepEqual(wrong, []);
  assert.ok(agree >= MUST_BE_ANSWERED, `only ${agree} were answered`);
});

function holdAgainstTable(): void {
  for (const { question, answer } of keptAnswers()) {
    const ours = askOurselves(question);
    assert.deepEqual('refused' in ours ? ours : digest(ours), answer, JSON.stringify(question));
  }
}
