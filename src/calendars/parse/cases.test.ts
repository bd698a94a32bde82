import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { busyHours, calendarOf, parse } from '../../../test/support/busy-hours.ts';
import type { Parsed } from './parse.ts';

const CASES = new URL('../../../test/calendars/cases.txt', import.meta.url);
const [, ...chapters] = readFileSync(CASES, 'utf8').split(/^## /m);

for (const chapter of chapters) {
  const [heading, , ...rest] = chapter.trim().split('\n');
  describe(heading, () => {
    for (const text of rest.join('\n').split(/\n(?! )/)) oneCase(text);
  });
}

function oneCase(text: string): void {
  const [title, ...lines] = text.replaceAll(/\n {6}/g, ' ').split('\n');
  const said = (mark: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`  ${mark}`) ? line.slice(4).split(', ') : []));
  const events = lines.filter((line) => !/^ {2}[=@!]/.test(line)).map((line) => line.slice(2).split(' | '));
  test(title, () => {
    const [[first]] = events as [[string]];
    if (first.endsWith('.ics')) {
      check(parse(readFileSync(new URL(first, CASES), 'utf8'), said('@')[0]));
      return;
    }
    // One event alone needs no UID; it has one in every calendar of real life.
    if (events.length === 1 && !text.includes('UID:')) events[0]!.unshift('UID:1');
    check(parse(calendarOf(...events), said('@')[0]));
  });

  function check(parsed: Parsed): void {
    const busy = Object.entries(busyHours(parsed)).map(([date, hours]) => `${date} ${hours}`);
    assert.deepEqual(
      busy,
      said('=').filter((date) => date !== ''),
    );
    assert.deepEqual(
      parsed.problems.map(({ line }) => line),
      said('!'),
    );
  }
}
