import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Hourkeep, HourkeepError, type HourkeepOptions } from '../../client/src/index.ts';
import {
  after as later,
  neverAnswer,
  refuse,
  stall,
  startProxy,
  succeed,
  type Proxy,
} from '../conformance/proxy.ts';

// What only the client for TypeScript can do: its own fetch, signals, timers, iteration. What all clients do is in
// test/conformance.

describe('the client', () => {
  let server: Proxy;
  before(async () => {
    // Every answer is played: nobody is behind it.
    server = await startProxy('http://127.0.0.1:9');
  });
  after(() => server.close());
  const connect = (options: Partial<HourkeepOptions> = {}) =>
    new Hourkeep({ apiKey: 'hk_test_key', baseUrl: server.url, ...options });

  describe('sends', () => {
    test('of a query what is given', async () => {
      server.play(succeed({ bookings: [], pagination: {} }));
      await connect().bookings.list({ status: 'confirmed', from: undefined, limit: 10 });
      assert.equal(server.received[0]?.path, '/api-bookings/api/v1/bookings?status=confirmed&limit=10');
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
      assert.equal(url, `${server.url}/api-listings/api/v1/spaces`);
      assert.equal(init.method, 'GET');
      assert.ok(init.signal instanceof AbortSignal);
    });

    test('from methods that were taken out of it', async () => {
      server.play(succeed({ spaces: [] }));
      const { list } = connect().spaces;
      assert.deepEqual(await list(), []);
    });
  });

  test('throws an Error with its cause', async () => {
    const baseUrl = 'http://127.0.0.1:9';
    const error = await failureOf(connect({ baseUrl, maxRetries: 0 }).spaces.list());
    assert.ok(error instanceof Error && error.cause instanceof Error);
    assert.deepEqual([error.name, error.code], ['HourkeepError', 'CONNECTION_LOST']);
  });

  describe('stops waiting', () => {
    test('for a fetch that does not listen to its signal', async () => {
      const hk = connect({ timeoutMs: 20, maxRetries: 0, fetch: () => new Promise(() => undefined) });
      assert.equal((await failureOf(hk.spaces.list())).code, 'TIMEOUT');
    });

    test('never when timeoutMs is 0 or more than a timer can count', async () => {
      for (const timeoutMs of [0, 2 ** 31, Infinity]) {
        server.play(later(30, succeed({ spaces: [] })));
        assert.deepEqual(await connect({ timeoutMs }).spaces.list(), []);
      }
    });
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
        server.play((response, pass) => {
          act(response, pass);
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

    test('while it waits for the limit of its key, and those behind it go on', async () => {
      const spaces = (left: string) => succeed({ spaces: [] }, { ratelimit: `"default";${left}` });
      server.play(spaces('r=0;t=1'), spaces('r=9;t=60'));
      const hk = connect();
      await hk.spaces.list();
      const controller = new AbortController();
      const aborted = hk.spaces.list({ signal: controller.signal });
      const behind = hk.spaces.list();
      controller.abort(reason);
      await assert.rejects(aborted, (error) => error === reason);
      await behind;
      assert.equal(server.received.length, 2);
    });
  });

  describe('iterating over bookings', () => {
    const paths = () => server.received.map(({ path }) => path.slice(path.indexOf('?')));
    const page = (ids: string[], pagination: object) =>
      succeed({ bookings: ids.map((id) => ({ id })), pagination });

    test('asks for no more than is looked at', async () => {
      server.play(page(['a', 'b'], { offset: 0, has_more: true, next_cursor: 'after-b' }));
      for await (const { id } of connect().bookings.iterate()) {
        if (id === 'b') break;
      }
      assert.equal(server.received.length, 1);
    });

    test('takes a signal', async () => {
      server.play(page(['a'], { offset: 0, has_more: true, next_cursor: 'after-a' }));
      const controller = new AbortController();
      const reason = new Error('enough');
      await assert.rejects(
        async () => {
          for await (const _ of connect().bookings.iterate({}, { signal: controller.signal }))
            controller.abort(reason);
        },
        (error) => error === reason,
      );
    });

    test('over changes hands over page by page, waits for each, and answers with the next since', async () => {
      server.play(
        page(['a', 'b'], { next_cursor: 'after-b', synced_to: '2027-03-01T12:00:00.000Z' }),
        page(['c'], { next_cursor: null, synced_to: '2027-03-01T12:00:00.000Z' }),
      );
      const saved: string[][] = [];
      const since = await connect().bookings.changes('2027-02-28T00:00:00Z', async (bookings) => {
        assert.equal(server.received.length, saved.length + 1);
        await Promise.resolve();
        saved.push(bookings.map(({ id }) => id));
      });
      assert.equal(since, '2027-03-01T12:00:00.000Z');
      assert.deepEqual(saved, [['a', 'b'], ['c']]);
      const asked = '?limit=200&updated_since=2027-02-28T00%3A00%3A00Z';
      assert.deepEqual(paths(), [asked, `${asked}&cursor=after-b`]);
    });

    test('over changes begins with everything, and stops where a page cannot be saved', async () => {
      server.play(page(['a'], { next_cursor: 'after-a', synced_to: '2027-03-01T12:00:00.000Z' }));
      const full = new Error('disk full');
      await assert.rejects(
        connect().bookings.changes(undefined, () => Promise.reject(full)),
        (error) => error === full,
      );
      assert.deepEqual(paths(), ['?limit=200&updated_since=1970-01-01T00%3A00%3A00Z']);
    });
  });
});

async function failureOf(call: Promise<unknown>): Promise<HourkeepError> {
  const error = await call.then(
    () => assert.fail('it succeeded'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof HourkeepError, String(error));
  return error;
}
