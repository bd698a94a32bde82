import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEFECTS } from './defects.ts';
import { ELSEWHERE } from './planted.ts';

test('each line that `npm run planted` changes is there once', () => {
  const root = join(import.meta.dirname, '../..');
  const lost = [...DEFECTS, ...ELSEWHERE].filter(
    ({ file, text }) => readFileSync(join(root, file), 'utf8').split(text).length !== 2,
  );
  assert.deepEqual(
    lost.map(({ file, text }) => `${file}: ${text}`),
    [],
  );
});
