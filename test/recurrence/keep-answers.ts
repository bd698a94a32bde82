import { writeFileSync } from 'node:fs';
import { askDateutil, digest, TABLE, type Kept } from './judge.ts';
import { randomQuestions } from './questions.ts';
import { randomSeries } from './series.ts';

// node test/recurrence/keep-answers.ts [seed] [count]: writes down what python-dateutil says, for machines
// without it; of rules that come true, and of series with such rules.

const [seed = '20270301', count = '100'] = process.argv.slice(2);
const rules = randomQuestions(Number(seed), Number(count));
const series = randomSeries(Number(seed), rules, ask);
const kept = [...keep(rules), ...keep(series)];
writeFileSync(TABLE, kept.map((row) => `${JSON.stringify(row)}\n`).join(''));

function keep(questions: readonly Kept['question'][]): Kept[] {
  const answers = ask(questions);
  return questions.flatMap((question, index): Kept[] => {
    const answer = answers[index]!;
    return 'refused' in answer || answer.length === 0 ? [] : [{ question, answer: digest(answer) }];
  });
}

function ask(questions: readonly Kept['question'][]) {
  const answers = askDateutil(questions);
  if (answers === undefined) throw new Error('python3 and its module dateutil are needed');
  return answers;
}
