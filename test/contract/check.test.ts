import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { CREATE, openDesk } from '../support/booking.ts';
import { contractOf } from '../support/contract.ts';
import { engines } from '../support/engines.ts';
import { useWorld } from '../support/world.ts';
import { problemsOf, type Exchange } from './check.ts';
import type { Contract } from './document.ts';

// problemsOf checks the answers of all other tests. That it notices is shown here: real answers, each with one thing wrong.

describe('an answer is outside the document', () => {
  const world = useWorld(engines[0]!, { RATE_LIMIT_PRODUCTION: '1000' });
  let contract: Contract;
  let booked: Exchange;
  let refused: Exchange;
  before(async () => {
    contract = await contractOf(world.url);
    const desk = await openDesk(world);
    const request = { method: 'POST', path: CREATE };
    booked = { ...request, ...(await desk.book()) };
    refused = { ...request, ...(await desk.book()) };
  });

  const withText = (exchange: Exchange, from: string | RegExp, to: string): Exchange => ({
    ...exchange,
    text: exchange.text.replace(from, to),
  });
  const withHeader = (name: string, value: string): Exchange => {
    const headers = new Headers(booked.headers);
    if (value === '') headers.delete(name);
    else headers.set(name, value);
    return { ...booked, headers };
  };
  const faults: [problem: RegExp, make: () => Exchange][] = [
    [
      /additional properties.*"guest_rating"/,
      () => withText(booked, '"guest_name"', '"guest_rating":5,"guest_name"'),
    ],
    [/required property 'timezone'/, () => withText(booked, /"timezone":"[^"]*",/, '')],
    [/total_price must be number/, () => withText(booked, /"total_price":\d+/, '"total_price":"100"')],
    [/must be object/, () => withText(booked, /^.*$/s, 'oops')],
    [/createBooking does not document 202/, () => ({ ...booked, status: 202 })],
    [/code must be equal to one of/, () => withText(refused, 'BOOKING_CONFLICT', 'GUEST_IS_RUDE')],
    [/http_status says 410/, () => withText(refused, '"http_status":409', '"http_status":410')],
    [/described the header x-powered-by/, () => withHeader('x-powered-by', 'steam')],
    [/there is no X-Request-Id/, () => withHeader('x-request-id', '')],
    [/some of the rate limit headers/, () => withHeader('x-ratelimit-reset', '')],
    [/Cache-Control is public/, () => withHeader('cache-control', 'public')],
    [/the content type is text\/html/, () => withHeader('content-type', 'text/html')],
    [/no such path, but the answer is 200/, () => ({ ...booked, path: '/api-secret' })],
  ];

  test('but not as it was given', () => {
    assert.equal(booked.status, 200);
    assert.equal(refused.status, 409);
    assert.deepEqual(problemsOf(contract, booked), []);
    assert.deepEqual(problemsOf(contract, refused), []);
  });

  for (const [problem, make] of faults)
    test(`where ${problem.source}`, () => assert.match(problemsOf(contract, make()).join('; '), problem));
});
