import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { Hourkeep, HourkeepError, type CreateBooking, type HourkeepOptions } from '../../client/src/index.ts';
import { freePort } from '../support/cluster.ts';
import {
  cut,
  cutHalfway,
  neverAnswer,
  refuse,
  stall,
  succeed,
  useScriptedServer,
} from './scripted-server.ts';

// What the client does when answers are refusals, late, broken or missing. The server is real, and does as it is told.

const booking: CreateBooking = {
  space_id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01',
  date: '2027-03-18',
  start_hour: 10,
  end_hour: 12,
  guest_email: 'ada@example.com',
  guest_name: 'Ada Miller',
};

describe('the client', () => {
  const server = useScriptedServer();
  const connect = (options: Partial<HourkeepOptions> = {}) =>
    new Hourkeep({ apiKey: 'hk_test_key', baseUrl: server.url(), ...options });

  describe('sends', () => {
    test('the key, and a body only where there is one', async () => {
      server.play(succeed({ spaces: [] }), succeed({ webhook: {} }));
      const hk = connect({ baseUrl: `${server.url()}/base//` });
      await hk.spaces.list();
      await hk.webhooks.create({ url: 'https://example.com/', events: ['booking.created'] });
      const [list, create] = server.received;
      assert.equal(list?.path, '/base/api-listings/api/v1/spaces');
      assert.equal(list.headers.authorization, 'Bearer hk_test_key');
      assert.equal(list.headers['content-type'], undefined);
      assert.equal(list.body, '');
      assert.equal(create?.headers['content-type'], 'application/json');
      assert.deepEqual(JSON.parse(create.body), { url: 'https://example.com/', events: ['booking.created'] });
    });

    test('of a query what is given', async () => {
      server.play(succeed({ bookings: [], pagination: {} }));
      await connect().bookings.list({ status: 'confirmed', from: undefined, limit: 10 });
      assert.equal(server.received[0]?.path, '/api-bookings/api/v1/bookings?status=confirmed&limit=10');
    });

    test('an id as one segment of the path, and refuses what would be another path', async () => {
      server.play(succeed({ space: {} }));
      await connect().spaces.get('a/b?c#d');
      assert.equal(server.received[0]?.path, '/api-listings/api/v1/spaces/a%2Fb%3Fc%23d');
      for (const id of ['', '.', '..']) await assert.rejects(connect().spaces.get(id), TypeError);
      assert.equal(server.received.length, 1);
    });

    test('through a fetch that it is given, called with an address and what to send, not as a method', async () => {
      const calls: unknown[][] = [];
      const hk = connect({
        fetch: async function (this: unknown, ...args: [string, RequestInit]) {
          calls.push([this, ...args]);
          return Response.json({ success: true, data: { spaces: [] } });
        },
      });
      assert.deepEqual(await hk.spaces.list(), []);
      const [self, url, init] = calls[0] as [unknown, string, RequestInit];
      assert.equal(self, undefined);
      assert.equal(url, `${server.url()}/api-listings/api/v1/spaces`);
      assert.equal(init.method, 'GET');
      assert.ok(init.signal instanceof AbortSignal);
    });

    test('from methods that were taken out of it', async () => {
      server.play(succeed({ spaces: [] }));
      const { list } = connect().spaces;
      assert.deepEqual(await list(), []);
    });

    test('nothing without a key, with one that no header can hold, or to what is no address', () => {
      assert.throws(() => connect({ apiKey: '' }), /needs an apiKey/);
      assert.throws(() => connect({ apiKey: 'hk_test\nkey' }), TypeError);
      assert.throws(() => connect({ baseUrl: 'api.example.com' }), TypeError);
    });
  });

  describe('throws HourkeepError', () => {
    test('with all that a refusal says', async () => {
      const details = { hours: [10, 11] };
      server.play((response) =>
        response
          .writeHead(409, { 'content-type': 'application/json', 'retry-after': '7' })
          .end(
            `{"success":false,"error":{"code":"BOOKING_CONFLICT","message":"Not free","http_status":409,"request_id":"r-1","details":${JSON.stringify(details)}}}`,
          ),
      );
      const error = await failureOf(connect().bookings.create(booking));
      assert.ok(error instanceof Error);
      const { name, code, status, message, requestId, retryAfter } = error;
      assert.deepEqual(
        { name, code, status, message, requestId, retryAfter, details: error.details },
        {
          name: 'HourkeepError',
          code: 'BOOKING_CONFLICT',
          status: 409,
          message: 'Not free',
          requestId: 'r-1',
          retryAfter: 7,
          details,
        },
      );
      assert.equal(server.received.length, 1);
    });

    test('UNEXPECTED_ANSWER when somebody else answers', async () => {
      const answers = [
        (text: string) => answerWith(200, text),
        (text: string) => answerWith(404, text),
        (text: string) => answerWith(502, text),
      ].flatMap((answer) => ['<html>', '', 'null', '{"success":false}', '[]'].map(answer));
      for (const act of answers) {
        server.play(act);
        const error = await failureOf(connect().spaces.list());
        assert.equal(error.code, 'UNEXPECTED_ANSWER');
        assert.equal(error.requestId, 'header-1');
      }
    });

    test('UNEXPECTED_ANSWER instead of following a redirect with the key', async () => {
      server.play((response) => response.writeHead(301, { location: '/elsewhere' }).end(), succeed({}));
      const error = await failureOf(connect().spaces.list());
      assert.deepEqual([error.code, error.status], ['UNEXPECTED_ANSWER', 301]);
      assert.equal(server.received.length, 1);
    });

    test('CONNECTION_LOST with status 0 and the cause when nobody is there', async () => {
      const baseUrl = `http://127.0.0.1:${await freePort()}`;
      const error = await failureOf(connect({ baseUrl, maxRetries: 0 }).spaces.list());
      assert.deepEqual([error.code, error.status], ['CONNECTION_LOST', 0]);
      assert.ok(error.cause instanceof Error);
    });

    test('CONNECTION_LOST when what answers is not HTTP', async () => {
      const other = createServer((socket) => socket.end('220 mail.example.com ESMTP\r\n'));
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const address = other.address() as { port: number };
      const baseUrl = `http://127.0.0.1:${address.port}`;
      const error = await failureOf(connect({ baseUrl, maxRetries: 0 }).spaces.list());
      assert.equal(error.code, 'CONNECTION_LOST');
      other.close();
    });
  });

  describe('waits and repeats', () => {
    test('429 after Retry-After', async () => {
      server.play(refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '1' }), succeed({ spaces: [] }));
      assert.deepEqual(await connect().spaces.list(), []);
      const [first, second] = server.received;
      const waited = second!.at - first!.at;
      assert.ok(waited >= 990, `waited ${waited} ms`);
    });

    test('503 of any method where nothing was done', async () => {
      server.play(
        refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }, 'not_done'),
        succeed({ booking: { status: 'cancelled' } }),
      );
      assert.equal((await connect().bookings.cancel('b', { reason: 'ill' })).status, 'cancelled');
      assert.equal(server.received.length, 2);
    });

    test('503 where nobody knows only if repeating is harmless', async () => {
      const unknown = refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }, 'unknown');
      server.play(unknown, succeed({ booking: {} }));
      const error = await failureOf(connect().bookings.cancel('b', { reason: 'ill' }));
      assert.deepEqual([error.status, error.outcome, server.received.length], [503, 'unknown', 1]);
      server.play(unknown, succeed({ booking: {} }));
      await connect().bookings.create(booking);
      assert.equal(server.received.length, 2);
    });

    test('500, 502 and 504 only if repeating is harmless', async () => {
      for (const status of [500, 502, 504]) {
        server.play(answerWith(status, 'Bad Gateway'), succeed({ spaces: [] }));
        assert.deepEqual(await connect().spaces.list(), []);
        server.play(answerWith(status, 'Bad Gateway'), succeed({}));
        const create = connect().webhooks.create({ url: 'https://example.com', events: [] });
        assert.equal((await failureOf(create)).status, status);
        assert.equal(server.received.length, 1);
      }
    });

    test('a deletion, and takes "not found" for done where it may have been', async () => {
      server.play(cut, refuse(404, 'NOT_FOUND'));
      assert.deepEqual(await connect().webhooks.delete('w'), { id: 'w', deleted: true });
      const notDone = refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }, 'not_done');
      server.play(notDone, refuse(404, 'NOT_FOUND'));
      assert.equal((await failureOf(connect().webhooks.delete('w'))).code, 'NOT_FOUND');
    });

    test('as HTTP also says when: at a date', async () => {
      const past = new Date(Date.now() - 60_000).toUTCString();
      server.play(refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': past }), succeed({ spaces: [] }));
      assert.deepEqual(await connect().spaces.list(), []);
      const nextHour = new Date(Date.now() + 3_600_000).toUTCString();
      server.play(refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': nextHour }));
      const { retryAfter = 0 } = await failureOf(connect().spaces.list());
      assert.ok(retryAfter > 3500 && retryAfter <= 3600, String(retryAfter));
    });

    test('a 503 without Retry-After, and one that is not the service’s own', async () => {
      server.play(answerWith(503, 'Service Unavailable'), succeed({ spaces: [] }));
      assert.deepEqual(await connect().spaces.list(), []);
    });

    test('no more often than maxRetries, then throws the last refusal', async () => {
      for (const [maxRetries, requests] of [
        [0, 1],
        [3, 4],
      ] as const) {
        server.play(refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '0' }));
        const error = await failureOf(connect({ maxRetries }).spaces.list());
        assert.deepEqual([error.code, error.retryAfter], ['RATE_LIMIT_EXCEEDED', 0]);
        assert.equal(server.received.length, requests);
      }
      server.play(refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '0' }));
      await failureOf(connect().spaces.list());
      assert.equal(server.received.length, 3, 'two retries by default');
    });

    test('not when that would take longer than maxWaitMs', async () => {
      server.play(refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '91' }));
      assert.equal((await failureOf(connect().spaces.list())).retryAfter, 91);
      assert.equal(server.received.length, 1);
    });

    test('not when it is the guest who has booked too often', async () => {
      server.play(refuse(429, 'GUEST_BOOKING_VELOCITY', { 'retry-after': '1' }));
      assert.equal((await failureOf(connect().bookings.create(booking))).code, 'GUEST_BOOKING_VELOCITY');
      assert.equal(server.received.length, 1);
    });

    test('nothing that failed for good', async () => {
      for (const [status, code] of [
        [422, 'VALIDATION_ERROR'],
        [409, 'BOOKING_CONFLICT'],
      ] as const) {
        server.play(refuse(status, code));
        assert.equal((await failureOf(connect().spaces.list())).code, code);
        assert.equal(server.received.length, 1);
      }
    });
  });

  describe('after a lost connection', () => {
    const page = { bookings: [], pagination: {} };
    const range = { date: '2027-03-18', start_hour: 1, end_hour: 2 };
    const repeated: [name: string, call: (hk: Hourkeep) => Promise<unknown>, data: object][] = [
      ['spaces.get', (hk) => hk.spaces.get('s'), { space: {} }],
      ['bookings.list', (hk) => hk.bookings.list(), page],
      ['bookings.create', (hk) => hk.bookings.create(booking), { booking: {} }],
      ['spaces.update', (hk) => hk.spaces.update('s', { price: 1 }), { space: {} }],
      ['webhooks.update', (hk) => hk.webhooks.update('w', { is_active: true }), { webhook: {} }],
      ['blocks.delete', (hk) => hk.blocks.delete('s', range), {}],
      ['webhooks.delete', (hk) => hk.webhooks.delete('w'), {}],
    ];
    for (const [name, call, data] of repeated) {
      test(`repeats ${name}, wherever the answer broke off`, async () => {
        server.play(cut, cutHalfway, succeed(data));
        await call(connect());
        const [first, second, third] = server.received;
        assert.deepEqual([second?.body, third?.body], [first?.body, first?.body]);
        assert.equal(server.received.length, 3);
      });
    }

    const notRepeated: [name: string, call: (hk: Hourkeep) => Promise<unknown>][] = [
      ['bookings.cancel', (hk) => hk.bookings.cancel('b', { reason: 'ill' })],
      ['blocks.create', (hk) => hk.blocks.create('s', range)],
      ['webhooks.create', (hk) => hk.webhooks.create({ url: 'https://example.com', events: [] })],
      ['spaces.update with rotate_ical_token', (hk) => hk.spaces.update('s', { rotate_ical_token: true })],
      ['spaces.update with connect_calendar', (hk) => hk.spaces.update('s', { connect_calendar: 'x' })],
      ['spaces.update with disconnect_calendar', (hk) => hk.spaces.update('s', { disconnect_calendar: 'x' })],
      ['webhooks.update with rotate_secret', (hk) => hk.webhooks.update('w', { rotate_secret: true })],
    ];
    for (const [name, call] of notRepeated) {
      test(`does not repeat ${name}: it may have been done`, async () => {
        server.play(cut, succeed({}));
        const error = await failureOf(call(connect()));
        assert.deepEqual([error.code, error.status], ['CONNECTION_LOST', 0]);
        assert.equal(server.received.length, 1);
      });
    }
  });

  describe('makes a key for every create', () => {
    const keys = () =>
      server.received.map(({ body }) => (JSON.parse(body) as { idempotency_key: string }).idempotency_key);

    test('that stays the same for its repetitions and is another one for the next', async () => {
      server.play(cut, succeed({ booking: {} }));
      const hk = connect();
      await hk.bookings.create(booking);
      await hk.bookings.create(booking);
      const [first, second, third] = keys();
      assert.match(first ?? '', /^[0-9a-f]{32}$/);
      assert.equal(second, first);
      assert.notEqual(third, first);
    });

    test('but keeps the one that is given', async () => {
      server.play(succeed({ booking: {} }));
      await connect().bookings.create({ ...booking, idempotency_key: 'order-1' });
      assert.deepEqual(keys(), ['order-1']);
    });
  });

  describe('stops waiting', () => {
    for (const [what, act] of [
      ['no answer', neverAnswer],
      ['the rest of an answer', stall],
    ] as const) {
      test(`for ${what} after timeoutMs, and does not repeat what may have been done`, async () => {
        server.play(act);
        const hk = connect({ timeoutMs: 200 });
        const error = await failureOf(hk.bookings.cancel('b', { reason: 'ill' }));
        assert.deepEqual([error.code, error.status], ['TIMEOUT', 0]);
        assert.equal(server.received.length, 1);
      });
    }

    test('for a fetch that does not listen to its signal', async () => {
      const hk = connect({ timeoutMs: 20, maxRetries: 0, fetch: () => new Promise(() => undefined) });
      assert.equal((await failureOf(hk.spaces.list())).code, 'TIMEOUT');
    });

    test('never when timeoutMs is 0 or more than a timer can count', async () => {
      for (const timeoutMs of [0, 2 ** 31, Infinity]) {
        server.play((response) => setTimeout(() => succeed({ spaces: [] })(response), 30));
        assert.deepEqual(await connect({ timeoutMs }).spaces.list(), []);
      }
    });
  });

  describe('keeps within the rate limit', () => {
    const left = (r: number, t: number) => ({ ratelimit: `"default";r=${r};t=${t}` });
    const spaces = (headers: Record<string, string>) => succeed({ spaces: [] }, headers);

    test('by waiting with the next call when nothing is left', async () => {
      server.play(spaces(left(0, 1)), spaces(left(0, 0)));
      const hk = connect();
      await hk.spaces.list();
      await hk.spaces.list();
      const [first, second] = server.received;
      assert.ok(second!.at - first!.at >= 950, `${second!.at - first!.at} ms`);
    });

    test('one after another, and the next as soon as an answer says that more are left', async () => {
      server.play(spaces(left(0, 1)), spaces(left(5, 60)));
      const hk = connect();
      await hk.spaces.list();
      await Promise.all([1, 2, 3, 4].map(() => hk.spaces.list()));
      const [, second, ...others] = server.received;
      assert.equal(others.length, 3);
      for (const { at } of others) assert.ok(at - second!.at < 900, `${at - second!.at} ms`);
    });

    test('and refuses a call that would wait longer than maxWaitMs, without asking', async () => {
      server.play(spaces(left(0, 30)));
      const hk = connect({ maxWaitMs: 1000 });
      await hk.spaces.list();
      const error = await failureOf(hk.spaces.list());
      assert.deepEqual([error.code, error.status], ['RATE_LIMIT_EXCEEDED', 0]);
      assert.ok((error.retryAfter ?? 0) > 25);
      assert.equal(server.received.length, 1);
    });

    test('and lets a call go that is aborted while it waits; those behind it go on', async () => {
      server.play(spaces(left(0, 1)), spaces(left(9, 60)));
      const hk = connect();
      await hk.spaces.list();
      const reason = new Error('enough');
      const controller = new AbortController();
      const aborted = hk.spaces.list({ signal: controller.signal });
      const behind = hk.spaces.list();
      controller.abort(reason);
      await assert.rejects(aborted, (error) => error === reason);
      await behind;
      assert.equal(server.received.length, 2);
    });
  });

  test('tells onResponse of every answer, whatever that throws', async () => {
    server.play(
      refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }, 'not_done'),
      succeed({ spaces: [] }),
    );
    const seen: [status: number, attempt: number, path: string][] = [];
    const hk = connect({
      onResponse: ({ status, attempt, path, headers, durationMs }) => {
        assert.ok(durationMs >= 0 && headers.get('content-type') === 'application/json');
        seen.push([status, attempt, path]);
        throw new Error('not my business');
      },
    });
    await hk.spaces.list();
    const path = '/api-listings/api/v1/spaces';
    assert.deepEqual(seen, [
      [503, 1, path],
      [200, 2, path],
    ]);
  });

  test('names itself, with its version', async () => {
    server.play(succeed({ spaces: [] }));
    await connect().spaces.list();
    const { version } = JSON.parse(
      readFileSync(new URL('../../client/package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    assert.equal(server.received[0]?.headers['user-agent'], `hourkeep-client/${version}`);
  });

  describe('an aborted call rejects with the signal’s reason', () => {
    const reason = new Error('the page was left');

    test('and sends nothing when it was aborted before', async () => {
      server.play(succeed({}));
      const signal = AbortSignal.abort(reason);
      await assert.rejects(connect().spaces.list({ signal }), (error) => error === reason);
      assert.equal(server.received.length, 0);
    });

    for (const [where, act] of [
      ['the answer is awaited', neverAnswer],
      ['the answer is read', stall],
      ['a repetition is awaited', refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '60' }, 'not_done')],
    ] as const) {
      test(`while ${where}`, async () => {
        const controller = new AbortController();
        server.play((response) => {
          act(response);
          setTimeout(() => controller.abort(reason), 20);
        });
        const call = connect().bookings.get('b', { signal: controller.signal });
        await assert.rejects(call, (error) => error === reason);
        assert.equal(server.received.length, 1);
      });
    }

    test('and the connection is let go', async () => {
      const controller = new AbortController();
      const closed = new Promise<void>((resolve) => {
        server.play((response) => {
          response.on('close', resolve);
          controller.abort(reason);
        });
      });
      await assert.rejects(connect().spaces.list({ signal: controller.signal }));
      await closed;
    });
  });
});

const answerWith =
  (status: number, text: string): Parameters<ReturnType<typeof useScriptedServer>['play']>[0] =>
  (response) =>
    response.writeHead(status, { 'x-request-id': 'header-1', 'content-type': 'text/html' }).end(text);

async function failureOf(call: Promise<unknown>): Promise<HourkeepError> {
  const error = await call.then(
    () => assert.fail('it succeeded'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof HourkeepError, String(error));
  return error;
}
