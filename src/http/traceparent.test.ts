import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTraceparent, traceIdOf } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const GOOD = `00-${TRACE}-${SPAN}-01`;

describe('a traceparent', () => {
  for (const [what, header, sentOn] of [
    ['is sent on as it came', GOOD, GOOD],
    ['of a later version is sent on as version 00', `cc-${TRACE}-${SPAN}-01-more-of-it`, GOOD],
    ['that is not there is ignored', undefined, undefined],
    ['that has no flags is ignored', `00-${TRACE}-${SPAN}`, undefined],
    ['that has upper case is ignored', GOOD.toUpperCase(), undefined],
    ['that has more than version 00 allows is ignored', `${GOOD}-more`, undefined],
    ['that has the version that is forbidden is ignored', `ff-${TRACE}-${SPAN}-01`, undefined],
    ['that has a trace of zeros is ignored', `00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
    ['that has a span of zeros is ignored', `00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
    ['that has something behind its flags is ignored', `cc-${TRACE}-${SPAN}-01x`, undefined],
    ['that comes twice is ignored', [GOOD, GOOD], undefined],
  ] as [what: string, header: string | string[] | undefined, sentOn: string | undefined][])
    test(what, () => {
      assert.equal(readTraceparent(header), sentOn);
      assert.equal(traceIdOf(header), sentOn && TRACE);
    });
});
