import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hourkeep, makeFolder } from '../support/process.ts';

/** How each shell is asked for what may follow; the script and the words typed so far are handed in. */
const ASK: Record<string, (script: string, words: string[]) => string[]> = {
  bash: (script, words) => [
    '--norc',
    '-c',
    'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hourkeep; printf "%s\\n" "${COMPREPLY[@]}"',
    script,
    ...words,
  ],
  zsh: (script, words) => [
    '-f',
    '-c',
    // Only a line editor has compadd's real work; what it would be handed is looked at instead.
    'compdef() { }; compadd() { shift; print -l -- ${(M)@:#$words[CURRENT]*}; }; _files() { }; source $0; words=("$@"); CURRENT=$#; _hourkeep',
    script,
    ...words,
  ],
  fish: (script, words) => [
    '--no-config',
    '-c',
    `source ${script}; complete -C '${words.join(' ')}' | string split -f 1 \\t; true`,
  ],
};

// bash is on every machine that runs this service; the others where they are installed.
const installed = Object.keys(ASK).filter((shell) => spawnSync(shell, ['--version']).error === undefined);

describe('hourkeep completion', () => {
  test('is tried in bash at least', () => assert.ok(installed.includes('bash')));

  for (const shell of installed) {
    test(`makes ${shell} complete commands, options and shells`, async () => {
      const folder = makeFolder();
      const { code, stdout, stderr } = await hourkeep(['completion', shell], {});
      assert.deepEqual([code, stderr], [0, '']);
      const script = join(folder.path, 'script');
      writeFileSync(script, stdout);
      const after = (...words: string[]) =>
        execFileSync(shell, ASK[shell]!(script, words), { encoding: 'utf8' })
          .split('\n')
          .filter(Boolean)
          .sort();

      assert.deepEqual(after('hourkeep', 'ho'), ['host']);
      assert.deepEqual(
        after('hourkeep', 'host', ''),
        [
          'activate',
          'add',
          'deactivate',
          'export',
          'help',
          'list',
          'show',
          'update',
          ...(shell === 'fish' ? [] : ['--help']),
        ].sort(),
      );
      assert.deepEqual(after('hourkeep', 'space', 'update', '123', '--no-ca'), ['--no-capacity']);
      assert.ok(!after('hourkeep', 'host', 'update', '--currency', '').includes('--json'));
      assert.deepEqual(
        after('hourkeep', 'completion', '').filter((word) => !word.startsWith('-')),
        ['bash', 'fish', 'zsh'],
      );
      folder.remove();
    });
  }
});
