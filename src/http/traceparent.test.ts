import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTraceparent, traceIdOf } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const GOOD = `00-${TRACE}-${SPAN}-01`;

describe('a traceparent', () => {
  test('is sent on as it came', () => {
    assert.equal(readTraceparent(GOOD), GOOD);
    assert.equal(traceIdOf(GOOD), TRACE);
  });

  test('of a later version is sent on as version 00, without what only that version knows', () => {
    assert.equal(readTraceparent(`cc-${TRACE}-${SPAN}-01`), GOOD);
    assert.equal(readTraceparent(`cc-${TRACE}-${SPAN}-01-more-of-it`), GOOD);
  });

  const malformed: [what: string, header: string | string[] | undefined][] = [
    ['is not there', undefined],
    ['is empty', ''],
    ['has no flags', `00-${TRACE}-${SPAN}`],
    ['has upper case', GOOD.toUpperCase()],
    ['has more than version 00 allows', `${GOOD}-more`],
    ['has the version that is forbidden', `ff-${TRACE}-${SPAN}-01`],
    ['has a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['has a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['has a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['has something behind its flags', `cc-${TRACE}-${SPAN}-01x`],
    ['comes twice', `${GOOD}, ${GOOD}`],
    ['comes as a list', [GOOD, GOOD]],
  ];
  for (const [what, header] of malformed)
    test(`that ${what} is ignored`, () => {
      assert.equal(readTraceparent(header), undefined);
      assert.equal(traceIdOf(header), undefined);
    });
});
