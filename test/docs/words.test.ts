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

/** Texts of the program with several words: messages, help, descriptions. Not its comments, its SQL and what is filled in. */
function textsOf(file: string): string[] {
  const code = readFileSync(join(ROOT, file), 'utf8')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/(?<=^|\s)\/\/.*/gm, '');
  return [...code.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)]
    .map(([text]) => text.replaceAll(/\$\{[^}]*\}/g, ''))
    .filter((text) => text.includes(' ') && !text.includes('<div') && !text.startsWith('`HTTP/1.1'));
}

/** Readers search for the term on the right. */
const TERMS: [instead: RegExp, term: string][] = [
  [/\banswer(?:s|ed|ing)?\b/gi, 'response, return'],
  [/(?<!connection )\brefus(?:e|es|ed|al|als)\b/gi, 'reject, error'],
  [/\bunder ?way\b/gi, 'in progress, in flight'],
  [/\b(?:foreign|outside) calendars?\b/gi, 'external calendar'],
  [/\b(?:is|are) told\b|\bhears? of\b/gi, 'receives'],
  [/\bgrowing pauses?\b/gi, 'exponential backoff'],
  [/\bwall clock\b|\bspace's (?:own )?clock\b/gi, 'local time, time zone of the space'],
  [/\b(?:feed|calendar|webhook)'s? address(?:es)?\b/gi, 'URL'],
  [/\b(?:not|cannot|be) .{0,40}\bany more\b/gi, 'no longer; expired, deleted, revoked'],
  [/\btoo old;/gi, 'expired'],
  [/\bnot known here\b/gi, 'unknown'],
  [/\bsay it again\b|\bwithout fear\b/gi, 'run again, retry'],
];

const foundIn = (where: string, text: string): string[] =>
  TERMS.flatMap(([instead, term]) =>
    [...text.matchAll(instead)].map(([words]) => `${where}: "${words}" (${term})`),
  );

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
    // Code in a line has the words of programs.
    const found = read.flatMap(({ page, prose }) => foundIn(page, prose.replaceAll(/`[^`\n]+`/g, '')));
    assert.deepEqual(found, []);
  });
});

describe('the program', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));

  test('uses the same terms in messages, in help, and in the descriptions of its document', () => {
    assert.ok(sources.length > 100);
    assert.deepEqual(
      sources.flatMap((file) => textsOf(file).flatMap((text) => foundIn(file, text))),
      [],
    );
  });

  test('uses them in the console too', () => {
    const texts = textsOf('console/src/languages/en.ts');
    assert.ok(texts.length > 300);
    // Its labels call what people paste an address.
    const found = texts.flatMap((text) => foundIn('en.ts', text)).filter((line) => !/address/i.test(line));
    assert.deepEqual(found, []);
  });
});
