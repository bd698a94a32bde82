import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askOurselves, digest, keptAnswers } from './judge.ts';

test('rules come true, and series block hours, as python-dateutil once said', () => {
  const answers = keptAnswers();
  const wrong = answers.filter(({ question, answer }) => {
    const ours = askOurselves(question);
    return 'refused' in ours || JSON.stringify(digest(ours)) !== JSON.stringify(answer);
  });
  assert.ok(answers.length >= 81, `${answers.length} answers`);
  assert.deepEqual(wrong, []);
});
