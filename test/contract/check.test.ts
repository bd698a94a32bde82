import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { openDesk, type Desk } from '../support/booking.ts';
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
  let desk: Desk;
  before(async () => {
    contract = await contractOf(world.url);
    desk = await openDesk(world);
    const path = '/api-create-booking/api/v1/bookings';
    const keep = async (answer: ReturnType<Desk['book']>): Promise<Exchange> => {
      const { status, headers, bytes } = await answer;
      return { method: 'POST', path, status, headers, text: String(bytes) };
    };
    booked = await keep(desk.book());
    refused = await keep(desk.book());
  });

  const withHeaders = (exchange: Exchange, change: (headers: Headers) => void): Exchange => {
    const headers = new Headers(exchange.headers);
    change(headers);
    return { ...exchange, headers };
  };
  const faults: [why: string, problem: RegExp, make: () => Exchange][] = [
    [
      'with a field that nobody has described',
      /additional properties.*"guest_rating"/,
      () => ({ ...booked, text: booked.text.replace('"guest_name"', '"guest_rating":5,"guest_name"') }),
    ],
    [
      'without a field that is promised',
      /required property 'timezone'/,
      () => ({ ...booked, text: booked.text.replace(/"timezone":"[^"]*",/, '') }),
    ],
    [
      'with a value of another type',
      /total_price must be number/,
      () => ({ ...booked, text: booked.text.replace(/"total_price":\d+/, '"total_price":"100"') }),
    ],
    [
      'with a status that is not documented',
      /createBooking does not document 202/,
      () => ({ ...booked, status: 202 }),
    ],
    [
      'with a code that is not documented for its status',
      /code must be equal to one of the allowed values/,
      () => ({ ...refused, text: refused.text.replace('BOOKING_CONFLICT', 'GUEST_IS_RUDE') }),
    ],
    [
      'with another http_status than its own',
      /http_status says 410/,
      () => ({ ...refused, text: refused.text.replace('"http_status":409', '"http_status":410') }),
    ],
    [
      'with a header that nobody has described',
      /the header x-powered-by/,
      () => withHeaders(booked, (headers) => headers.set('x-powered-by', 'steam')),
    ],
    [
      'without X-Request-Id',
      /there is no X-Request-Id/,
      () => withHeaders(booked, (headers) => headers.delete('x-request-id')),
    ],
    [
      'with half of the rate limit headers',
      /some of the rate limit headers/,
      () => withHeaders(booked, (headers) => headers.delete('x-ratelimit-reset')),
    ],
    [
      'if a cache may keep it',
      /Cache-Control is public/,
      () => withHeaders(booked, (headers) => headers.set('cache-control', 'public')),
    ],
    [
      'in another content type',
      /the content type is text\/html/,
      () => withHeaders(booked, (headers) => headers.set('content-type', 'text/html')),
    ],
    ['if it is no JSON', /must be object/, () => ({ ...booked, text: 'oops' })],
    [
      'if the path is not in the document',
      /no such path, but the answer is 200/,
      () => ({ ...booked, path: '/api-secret' }),
    ],
  ];

  test('but not as it was given', () => {
    assert.equal(booked.status, 200);
    assert.equal(refused.status, 409);
    assert.deepEqual(problemsOf(contract, booked), []);
    assert.deepEqual(problemsOf(contract, refused), []);
  });

  for (const [why, problem, make] of faults) {
    test(why, () => assert.match(problemsOf(contract, make()).join('; '), problem));
  }
});
