import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const pages = (...patterns: string[]) =>
  globSync(patterns, { cwd: ROOT }).map((page) => ({ page, prose: proseOf(page) }));

/** Without code blocks. */
function proseOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replaceAll(/^ *```.*?^ *```$/gms, '');
}

/** Readers search for the term on the right. */
const TERMS: [instead: RegExp, term: string][] = [
  [/\banswer(?:s|ed|ing)?\b/gi, 'response, return'],
  [/\brefus(?:e|es|ed|al|als)\b/gi, 'reject, error'],
  [/\bunder ?way\b/gi, 'in progress, in flight'],
  [/\b(?:foreign|outside) calendars?\b/gi, 'external calendar'],
  [/\b(?:is|are) told\b|\bhears? of\b/gi, 'receives'],
  [/\bgrowing pauses?\b/gi, 'exponential backoff'],
  [/\bwall clock\b|\bspace's (?:own )?clock\b/gi, 'local time, time zone of the space'],
  [/\b(?:feed|calendar|webhook)'s? address(?:es)?\b/gi, 'URL'],
  [/\bnot there any more\b/gi, 'expired, deleted, revoked'],
];

describe('the docs', () => {
  test('have at most 28,000 words of prose', () => {
    const words = pages('README.md', 'CONTRIBUTING.md', 'docs/**/*.md').map(
      ({ prose }) => prose.split(/[\s|]+/).filter((word) => /\w/.test(word)).length,
    );
    const all = words.reduce((sum, each) => sum + each, 0);
    assert.ok(all <= 28_000, `${all} words`);
  });

  test('use the terms of the field where users and operators read', () => {
    const operators = ['operations', 'settings', 'scaling', 'citus', 'security', 'metrics'];
    const read = pages('README.md', 'docs/guides/*.md', ...operators.map((name) => `docs/${name}.md`));
    const found = read.flatMap(({ page, prose }) =>
      TERMS.flatMap(([instead, term]) =>
        // Code in a line has the words of programs.
        [...prose.replaceAll(/`[^`\n]+`/g, '').matchAll(instead)].map(
          ([words]) => `${page}: "${words}" (${term})`,
        ),
      ),
    );
    assert.deepEqual(found, []);
  });
});
