import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Hourkeep } from '../../client/src/index.ts';
import { ERROR_STATUS } from '../../src/errors.ts';
import { cut, refuse, succeed, useScriptedServer, type Act } from '../client/scripted-server.ts';

// "Retries" of the errors guide, row by row, against what the client does. The other clients do as this one does:
// test/conformance.

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guides/errors.md'), 'utf8');
const ROWS = [...GUIDE.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)]
  .slice(2)
  .map(([, answer, advice]) => ({ answer, advice }));

type Repeated = 'everything' | 'what is harmless' | 'nothing';

const now = { 'retry-after': '0' };
const refusals = Object.entries(ERROR_STATUS).filter(([, status]) => status !== 429 && status < 500);

/** The row, what it must say, and answers of its kind. */
const EXPECTED: [row: RegExp, advice: RegExp, repeated: Repeated, answers: Act[]][] = [
  [
    /^429 `RATE_LIMIT_EXCEEDED`, 503 with `outcome` `not_done`$/,
    /then retry any request$/,
    'everything',
    [refuse(429, 'RATE_LIMIT_EXCEEDED', now), refuse(503, 'SERVICE_UNAVAILABLE', now, 'not_done')],
  ],
  [
    /^500, 502, 504, any other 503, or no response$/,
    /retry only idempotent requests, with exponential backoff and jitter/,
    'what is harmless',
    [
      refuse(500, 'INTERNAL_ERROR', now),
      refuse(502, 'BAD_GATEWAY', now),
      refuse(504, 'GATEWAY_TIMEOUT', now),
      refuse(503, 'SERVICE_UNAVAILABLE', now, 'unknown'),
      refuse(503, 'SERVICE_UNAVAILABLE', now),
      cut,
    ],
  ],
  [
    /^429 `GUEST_BOOKING_VELOCITY`$/,
    /^do not retry/,
    'nothing',
    [refuse(429, 'GUEST_BOOKING_VELOCITY', now)],
  ],
  [/^any other 4xx$/, /^do not retry/, 'nothing', refusals.map(([code, status]) => refuse(status, code))],
];

describe('the errors guide and the client agree', () => {
  const server = useScriptedServer();
  const asked = async (act: Act, call: (hk: Hourkeep) => Promise<unknown>) => {
    server.play(act, succeed({ spaces: [], webhook: {} }));
    await call(new Hourkeep({ apiKey: 'hk_test_any', baseUrl: server.url(), maxRetries: 1 })).catch(
      () => undefined,
    );
    return server.received.length;
  };

  test('on four kinds of answers, and the guide has no other', () => {
    assert.equal(ROWS.length, EXPECTED.length);
  });

  for (const [at, [row, advice, repeated, answers]] of EXPECTED.entries())
    test(`after ${row.source.slice(1, -1)}: ${repeated} is repeated`, async () => {
      assert.match(ROWS[at]!.answer!, row);
      assert.match(ROWS[at]!.advice!, advice);
      for (const act of answers) {
        const read = await asked(act, (hk) => hk.spaces.list());
        const made = await asked(act, (hk) =>
          hk.webhooks.create({ url: 'https://example.com/', events: ['booking.created'] }),
        );
        assert.deepEqual(
          [read, made],
          { everything: [2, 2], 'what is harmless': [2, 1], nothing: [1, 1] }[repeated],
        );
      }
    });
});
