import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { engines } from '../support/engines.ts';
import { useWorld } from '../support/world.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the OpenAPI document of a service in production', () => {
  const world = useWorld(engines[0]!, { PUBLIC_URL: 'https://api.example.com' });
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-openapi-'));
  const file = join(folder, 'openapi.json');
  before(async () => writeFileSync(file, (await world.call('GET', '/api-openapi')).bytes));
  after(() => rmSync(folder, { recursive: true }));

  /** Runs a linter of ours with the document as its standard input; what it says is the message of a failure. */
  function lint(program: string, args: readonly string[]): void {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules', program), ...args],
      { env, cwd: ROOT, stdio: [openSync(file, 'r'), 'pipe', 'pipe'], encoding: 'utf8' },
    );
    assert.equal(status, 0, stdout + stderr);
  }

  test('passes Redocly without an error', () => {
    lint('@redocly/cli/bin/cli.js', ['lint', '--extends=recommended', file]);
  });

  test('passes Spectral with the OWASP API Security rules without an error', () => {
    // The exceptions in .spectral.yaml name places in a file of this name beside it.
    lint('@stoplight/spectral-cli/dist/index.js', [
      'lint',
      '--ruleset=.spectral.yaml',
      '--stdin-filepath=openapi.json',
      '--fail-severity=error',
      '--display-only-failures',
    ]);
  });
});
