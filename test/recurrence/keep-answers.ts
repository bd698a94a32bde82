import { writeFileSync } from 'node:fs';
import { askDateutil, digest, TABLE, type Kept } from './judge.ts';
import { randomQuestions } from './questions.ts';

// node test/recurrence/keep-answers.ts [seed] [count]: writes down what python-dateutil says, for machines
// without it; of rules that come true.

const [seed = '20270301', count = '550'] = process.argv.slice(2);
const questions = randomQuestions(Number(seed), Number(count));
const answers = askDateutil(questions);
if (answers === undefined) throw new Error('python3 and its module dateutil are needed');
const kept = questions.flatMap((question, index): Kept[] => {
  const answer = answers[index]!;
  return 'refused' in answer || answer.length === 0 ? [] : [{ question, answer: digest(answer) }];
});
writeFileSync(TABLE, kept.map((row) => `${JSON.stringify(row)}\n`).join(''));
