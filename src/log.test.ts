import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';

// Lines wait a moment for others before they are written. However the process ends, those that wait are not lost.

const LOG = new URL('./log.ts', import.meta.url).href;

describe('lines of the log', () => {
  const endings = [
    ['has nothing more to do', '', 0],
    ['is told to exit', 'process.exit(3);', 3],
    ['fails', "throw new Error('a defect');", 1],
  ] as const;
  for (const [name, ending, status] of endings) {
    test(`are written in their order when the process ${name}`, () => {
      const child = runNode(`
        const { createLogger, writeLines } = await import('${LOG}');
        const log = createLogger('info');
        log.info('first');
        writeLines(log, ['{"message":"second"}', '{"message":"third"}']);
        log.warn('fourth');
        ${ending}`);
      assert.equal(child.status, status, child.stderr);
      const messages = linesOf(child).map(({ message }) => message);
      assert.deepEqual(messages, ['first', 'second', 'third', 'fourth']);
    });
  }

  test('have an object in "error", of an Error or of what is called so, and no more of it', () => {
    const child = runNode(`
      const { createLogger, logTrouble } = await import('${LOG}');
      const log = createLogger('info');
      const refused = Object.assign(new TypeError('no'), { code: '42P01', detail: 'a row' });
      log.warn({ error: refused });
      log.warn({ error: { type: 'timeout', message: 'no answer' } });
      logTrouble(log, refused, { task: 'x' }, 'task failed');`);
    assert.equal(child.status, 0, child.stderr);
    const [first, second, third] = linesOf(child);
    const error = { type: 'TypeError', message: 'no', code: '42P01' };
    assert.deepEqual(first.error, error);
    assert.deepEqual(second.error, { type: 'timeout', message: 'no answer' });
    assert.deepEqual(third.error, error);
    assert.match(third.stack, /^TypeError: no\n +at /);
  });

  test('that nobody reads do not change how the process ends', () => {
    const child = runNode(`
      const { createLogger } = await import('${LOG}');
      const { closeSync } = await import('node:fs');
      createLogger('info').info('first');
      closeSync(1);
      process.exit(3);`);
    assert.equal(child.status, 3, child.stderr);
    assert.equal(child.stderr, '');
  });
});

function runNode(script: string) {
  return spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
}

const linesOf = ({ stdout }: ReturnType<typeof runNode>) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
