import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

describe('docs/security.md', () => {
  test('has a section for each of the ten risks, and each names tests', () => {
    const sections = page.split(/^## /m).slice(1);
    for (let risk = 1; risk <= 10; risk++) {
      const section = sections.find((text) => text.startsWith(`API${risk}: `));
      assert.ok(section, `API${risk} has no section`);
      assert.match(section, /^- `[\w./-]+\.ts`: /m);
    }
  });

  test('names tests that exist, by the titles they have', () => {
    const named = [...page.matchAll(/^- `([\w./-]+\.ts)`: (.+)$/gm)];
    assert.ok(named.length > 30);
    for (const [, file = '', title = ''] of named) {
      assert.ok(existsSync(join(ROOT, file)), file);
      const text = readFileSync(join(ROOT, file), 'utf8');
      assert.ok(text.includes(title), `${file} has no test called "${title}"`);
    }
  });
});
