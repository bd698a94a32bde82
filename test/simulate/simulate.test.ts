import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { shrink } from './shrink.ts';

// In processes of their own: a simulation replaces clock, randomness and network of its whole process.

describe('a simulation', () => {
  test('agrees with the model of the contract, and gives the same digest for the same seed alone', async () => {
    const lastLines: string[] = [];
    for (const words of [['7'], ['7'], ['8'], ['7', '--faults'], ['7', '--faults']]) {
      const line = (await node(RUN, '--operations', '200', '--seed', ...words)).trim().split('\n').at(-1)!;
      assert.match(line, /^200 operations, \d+ compared, 0 differences, digest [0-9a-f]+$/);
      lastLines.push(line);
    }
    const [first, again, other, withFaults, withFaultsAgain] = lastLines;
    assert.equal(again, first);
    assert.notEqual(other, first);
    assert.equal(withFaultsAgain, withFaults);
    assert.notEqual(withFaults, first);
  });

  test('reduces a difference to the shortest sequence that shows it', async () => {
    const lines = await node(fileURLToPath(new URL('./mistaken.ts', import.meta.url)));
    assert.match(lines, /^S\d+=\$\(hourkeep host add /m);
    assert.match(lines, /^S\d+=\$\(curl .* -H "authorization: Bearer \$\(jq -r '\.key' <<<"\$S\d+"\)"/m);
    assert.match(lines, /assertAgrees\(/);
  });

  for (const [words, message] of [
    [['--engine', 'other'], /--engine must be sqlite or postgres/],
    [['--operations', 'many'], /--operations must be/],
  ] as const)
    test(`says why it does not run with ${words.join(' ')}`, async () => {
      const run = promisify(execFile)(process.execPath, [RUN, ...words]);
      await assert.rejects(run, { code: 2, stderr: message });
    });
});

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url));

async function node(...words: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, words)).stdout;
}

describe('shrinking', () => {
  test('leaves only what is needed, in its order', async () => {
    const all = Array.from({ length: 200 }, (_, i) => i);
    let tries = 0;
    const left = await shrink(all, async (some) => {
      tries++;
      return [3, 77, 78, 191].every((needed) => some.includes(needed));
    });
    assert.deepEqual(left, [3, 77, 78, 191]);
    assert.ok(tries < 200, `${tries} tries`);
  });
});
