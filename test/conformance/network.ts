import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { UpdatedSpace, Webhook } from '../../client/src/index.ts';
import { VERSION } from '../../src/version.ts';
import { listening } from '../support/listening.ts';
import { LOCALHOST_CERTIFICATES } from '../support/tls.ts';
import { until } from '../support/until.ts';
import { each, type Bench, type Cases } from './bench.ts';
import type { Call } from './client-process.ts';
import {
  after,
  answer,
  cut,
  cutHalfway,
  cutInChunks,
  doneThen,
  neverAnswer,
  passOn,
  refuse,
  speakSmtp,
  stall,
  trickle,
  type Act,
  type Proxy,
} from './proxy.ts';

const NOW = { 'retry-after': '0' };
const notDone = refuse(503, 'SERVICE_UNAVAILABLE', NOW, 'not_done');
const unknown = refuse(503, 'SERVICE_UNAVAILABLE', NOW, 'unknown');
const left = (r: number, t: number) => passOn({ ratelimit: `"default";r=${r};t=${t}` });
const subscription = { url: 'http://127.0.0.1:9/', events: ['booking.created'] };

/** What is sent, and to where. */
const SENDING: Cases = {
  'sends the key, its own name and version, and a body only where there is one': async ({
    connect,
    proxy,
    keyWith,
  }) => {
    const apiKey = await keyWith();
    const hk = connect({ apiKey });
    proxy.play();
    await hk.call('spaces.list');
    const made = await hk.call<Webhook>('webhooks.create', subscription);
    await hk.call('webhooks.delete', made.id);
    const [list, create, remove] = proxy.received;
    assert.equal(list?.headers.authorization, `Bearer ${apiKey}`);
    assert.match(
      list.headers['user-agent'] ?? '',
      new RegExp(`^hourkeep-client/${RegExp.escape(VERSION)}( \\(\\w+\\))?$`),
    );
    assert.deepEqual([list.headers['content-type'], list.body], [undefined, '']);
    assert.equal(create?.headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(create.body), subscription);
    assert.deepEqual([remove?.headers['content-type'], remove?.body], [undefined, '']);
  },
  'sends an id as one segment of the path, and rejects one that is empty or would be another path': async ({
    connect,
    proxy,
  }) => {
    const hk = connect();
    proxy.play();
    assert.equal((await hk.fails('spaces.get', 'a/b?c#d')).code, 'NOT_FOUND');
    assert.equal(proxy.received[0]?.path, '/api-listings/api/v1/spaces/a%2Fb%3Fc%23d');
    for (const id of ['', '.', '..']) {
      const { code, status } = await hk.fails('spaces.get', id);
      assert.deepEqual([code, status], ['INVALID_ARGUMENT', 0]);
    }
    assert.equal(proxy.received.length, 1);
  },
  'keeps the path of its base address, whatever slashes it ends with': async ({ connect, proxy }) => {
    proxy.play(answer(404, ''));
    await connect({ baseUrl: `${proxy.url}/base//` }).fails('spaces.list');
    assert.equal(proxy.received[0]?.path, '/base/api-listings/api/v1/spaces');
  },
  'refuses a base address without a scheme': async ({ connect }) => {
    for (const baseUrl of ['api.example.com', 'localhost:3000', '127.0.0.1:3000', 'ftp://example.com', ''])
      await connect({ baseUrl }).isMistaken('spaces.list');
  },
  'refuses a key that is missing, or that no header can hold': async ({ connect }) => {
    for (const apiKey of ['', 'hk_test\nkey']) await connect({ apiKey }).isMistaken('spaces.list');
  },
  'tells of every answer, and ends no call by what that throws': async ({ connect, proxy }) => {
    const hk = connect({ throws: true });
    proxy.play(notDone);
    await hk.call('spaces.list');
    const facts = { method: 'GET', path: '/api-listings/api/v1/spaces', took: true };
    assert.deepEqual(await hk.call('seen'), [
      { ...facts, status: 503, attempt: 1, type: 'application/json' },
      { ...facts, status: 200, attempt: 2, type: 'application/json; charset=utf-8' },
    ]);
  },
};

const TLS: Cases = {
  'speaks TLS with whom the machine trusts': async ({ connect, startSecure }) => {
    const proxy = await startSecure(LOCALHOST_CERTIFICATES[0]);
    await connect({ baseUrl: proxy.url }).call('spaces.list');
    assert.equal(proxy.received.length, 1);
  },
  'tells its key neither to a stranger nor to another name': async ({ connect, startSecure }) => {
    const stranger = await startSecure(LOCALHOST_CERTIFICATES[1]);
    const known = await startSecure(LOCALHOST_CERTIFICATES[0]);
    for (const baseUrl of [stranger.url, known.url.replace('localhost', '127.0.0.1')]) {
      await connect({ baseUrl, maxRetries: 0 }).failsWith('CONNECTION_LOST', 0, 'spaces.list');
    }
    assert.equal(stranger.received.length + known.received.length, 0);
  },
  'waits no longer than its timeout for somebody who does not speak TLS': async ({ connect, proxy }) => {
    const { port, close } = await listening(createServer());
    const baseUrl = `https://127.0.0.1:${port}`;
    const error = await connect({ baseUrl, maxRetries: 0, timeout: 0.5 }).fails('spaces.list');
    assert.deepEqual([error.code, error.status, proxy.received.length], ['TIMEOUT', 0, 0]);
    await close();
  },
};

const BROKEN: [what: string, act: Act][] = [
  ['is not HTTP', speakSmtp],
  ['breaks off', cutHalfway],
  ['breaks off in chunks', cutInChunks],
];

/** What is no answer of the service. */
const STRANGERS: Cases = {
  'what somebody else answers is UNEXPECTED_ANSWER with the header’s request id': async (bench) => {
    const { connect, proxy } = bench;
    const hk = connect({ maxRetries: 0 });
    for (const status of [200, 404, 502])
      for (const text of ['<html>', '', 'null', '{"success":false}', '[]']) {
        proxy.play(answer(status, text, { 'x-request-id': 'header-1' }));
        const { requestId } = await hk.failsWith('UNEXPECTED_ANSWER', status, 'spaces.list');
        assert.equal(requestId, 'header-1');
      }
  },
  'a redirect is not followed with the key': async ({ connect, proxy }) => {
    proxy.play(answer(301, '', { location: '/elsewhere' }));
    await connect().failsWith('UNEXPECTED_ANSWER', 301, 'spaces.list');
    assert.equal(proxy.received.length, 1);
  },
  'nobody there is CONNECTION_LOST with status 0': async ({ connect }) => {
    const hk = connect({ baseUrl: 'http://127.0.0.1:9', maxRetries: 0 });
    await hk.failsWith('CONNECTION_LOST', 0, 'spaces.list');
  },
  ...each(BROKEN, ([what, act]) => [
    `an answer that ${what} is CONNECTION_LOST`,
    async ({ connect, proxy }) => {
      proxy.play(act);
      await connect({ maxRetries: 0 }).failsWith('CONNECTION_LOST', 0, 'spaces.list');
    },
  ]),
};

/** Ways to fail that leave open whether it was done, and what the call throws then. */
const OPEN: [what: string, act: Act, code: string, status: number][] = [
  ['503 unknown', unknown, 'SERVICE_UNAVAILABLE', 503],
  ['503 of a proxy', answer(503, 'Service Unavailable', NOW), 'UNEXPECTED_ANSWER', 503],
  ['500', refuse(500, 'INTERNAL_ERROR', NOW), 'INTERNAL_ERROR', 500],
  ['502', answer(502, 'Bad Gateway', NOW), 'UNEXPECTED_ANSWER', 502],
  ['504', answer(504, 'Gateway Timeout', NOW), 'UNEXPECTED_ANSWER', 504],
  ['a lost connection', cut, 'CONNECTION_LOST', 0],
  ['half an answer', cutHalfway, 'CONNECTION_LOST', 0],
  ['a timeout', neverAnswer, 'TIMEOUT', 0],
];

/** A call, and what must be there before it. */
type Prepared = (bench: Bench) => Promise<Call> | Call;

const made = async ({ connect, booking }: Bench): Promise<string> =>
  (await connect().call<{ id: string }>('bookings.create', booking())).id;
const subscribed = async ({ connect }: Bench): Promise<string> =>
  (await connect().call<{ id: string }>('webhooks.create', subscription)).id;
const range = ({ booking, spaceId }: Bench) => {
  const { date, start_hour, end_hour } = booking();
  return [spaceId, { date, start_hour, end_hour }] as const;
};

const HARMLESS: [name: string, prepare: Prepared][] = [
  ['spaces.list', () => ['spaces.list']],
  ['spaces.update', ({ spaceId }) => ['spaces.update', spaceId, { title: 'Studio' }]],
  ['availability.days', ({ spaceId }) => ['availability.days', spaceId, '2027-03-18', 2]],
  ['bookings.list', () => ['bookings.list', {}]],
  ['bookings.create', ({ booking }) => ['bookings.create', booking()]],
  ['blocks.delete', (bench) => ['blocks.delete', ...range(bench)]],
  ['settlement.report', () => ['settlement.report', '2027-03']],
  ['earnings.get', () => ['earnings.get']],
  ['webhooks.update', async (bench) => ['webhooks.update', await subscribed(bench), { is_active: false }]],
  ['webhooks.delete', async (bench) => ['webhooks.delete', await subscribed(bench)]],
];

const HARMFUL: [name: string, prepare: Prepared][] = [
  ['bookings.cancel', async (bench) => ['bookings.cancel', await made(bench), { reason: 'ill' }]],
  ['blocks.create', (bench) => ['blocks.create', ...range(bench)]],
  ['webhooks.create', () => ['webhooks.create', subscription]],
  [
    'spaces.update that rotates the feed’s address',
    ({ spaceId }) => ['spaces.update', spaceId, { rotate_ical_token: true }],
  ],
  [
    'spaces.update that connects a calendar',
    ({ spaceId, unique }) => [
      'spaces.update',
      spaceId,
      { connect_calendar: `http://127.0.0.1:9/${unique()}` },
    ],
  ],
  [
    'spaces.update that disconnects a calendar',
    async ({ connect, spaceId, unique }) => {
      const connect_calendar = `http://127.0.0.1:9/${unique()}`;
      const space = await connect().call<UpdatedSpace>('spaces.update', spaceId, { connect_calendar });
      return ['spaces.update', spaceId, { disconnect_calendar: space.external_calendars.at(-1)!.id }];
    },
  ],
  [
    'webhooks.update that rotates the secret',
    async (bench) => ['webhooks.update', await subscribed(bench), { rotate_secret: true }],
  ],
];

/** What is repeated, how often and when. */
const REPEATS: Cases = {
  ...each(HARMLESS, ([name, prepare]) => [
    `repeats ${name}, though it was done`,
    async (bench) => {
      const call = await prepare(bench);
      bench.proxy.play(doneThen(unknown));
      await bench.connect().call(...call);
      const [first, second] = bench.proxy.received;
      assert.deepEqual(
        [second?.method, second?.path, second?.body],
        [first?.method, first?.path, first?.body],
      );
      assert.equal(bench.proxy.received.length, 2);
    },
  ]),
  ...each(HARMFUL, ([name, prepare]) => [
    `does not repeat ${name}, which may have been done, unless it was not`,
    async (bench) => {
      const call = await prepare(bench);
      bench.proxy.play(doneThen(unknown));
      const error = await bench.connect().fails(...call);
      assert.deepEqual(
        [error.code, error.status, error.outcome, error.retryAfter, error.requestId],
        ['SERVICE_UNAVAILABLE', 503, 'unknown', 0, 'request-1'],
      );
      assert.equal(bench.proxy.received.length, 1);
      const another = await prepare(bench);
      bench.proxy.play(notDone, refuse(429, 'RATE_LIMIT_EXCEEDED', NOW));
      await bench.connect().call(...another);
      assert.equal(bench.proxy.received.length, 3);
    },
  ]),
  ...each(OPEN, ([what, act]) => [
    `books once after ${what}, whether it was done or not`,
    async ({ connect, booking, bookingsOn, proxy }) => {
      const isTimeout = act === neverAnswer;
      const hk = connect(isTimeout ? { timeout: 3 } : {});
      const keysOfAll = new Set<string>();
      for (const misbehave of isTimeout ? [doneThen(act)] : [act, doneThen(act)]) {
        const wanted = booking();
        proxy.play(misbehave);
        const { id } = await hk.call<{ id: string }>('bookings.create', wanted);
        assert.match(id, /./);
        assert.equal(await bookingsOn(wanted.date), 1);
        const keys = proxy.received.map(
          ({ body }) => (JSON.parse(body) as { idempotency_key: string }).idempotency_key,
        );
        assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/);
        assert.deepEqual([keys.length > 1, new Set(keys).size], [true, 1]);
        assert.ok(!keysOfAll.has(keys[0]!), 'another order has another key');
        keysOfAll.add(keys[0]!);
      }
    },
  ]),
  ...each(OPEN, ([what, act, code, status]) => [
    `subscribes no second time after ${what}`,
    async ({ connect, webhookCount, proxy }) => {
      const before = await webhookCount();
      proxy.play(doneThen(act));
      const hk = connect(act === neverAnswer ? { timeout: 0.5 } : {});
      await hk.failsWith(code, status, 'webhooks.create', subscription);
      // A client that gives up may be faster than the service.
      await until(async () => (await webhookCount()) > before);
      assert.equal(proxy.received.length, 1);
      assert.equal(await webhookCount(), before + 1);
    },
  ]),
  'moves once when the answer is lost': async (bench) => {
    const { connect, booking, proxy, bookingsOn } = bench;
    const wanted = booking();
    const { id } = await connect().call<{ id: string }>('bookings.create', wanted);
    proxy.play(passOn(), doneThen(cut));
    const moved = await connect().call('bookings.move', id, { end_hour: 13 });
    assert.deepEqual([moved['end_hour'], moved['replaces']], [13, id]);
    assert.equal(await bookingsOn(wanted.date), 2, 'the old one, cancelled, and the new one');
    assert.equal(proxy.received.length, 3);
  },
  'takes "not found" for deleted where an attempt before may have done it': async (bench) => {
    const id = await subscribed(bench);
    bench.proxy.play(doneThen(cut));
    assert.deepEqual(await bench.connect().call('webhooks.delete', id), { id, deleted: true });
    assert.equal(bench.proxy.received.length, 2);
  },
  'says "not found" where no attempt before has deleted it': async ({ connect, proxy }) => {
    proxy.play(notDone);
    const error = await connect().fails('webhooks.delete', 'nothing');
    assert.deepEqual([error.code, proxy.received.length], ['NOT_FOUND', 2]);
  },
  'repeats twice by default, else as often as it is told, then throws the last refusal': async ({
    connect,
    proxy,
  }) => {
    const always = Array.from({ length: 9 }, () => refuse(429, 'RATE_LIMIT_EXCEEDED', NOW));
    for (const [maxRetries, requests] of [
      [undefined, 3],
      [0, 1],
      [3, 4],
    ] as const) {
      proxy.play(...always);
      const error = await connect(maxRetries === undefined ? {} : { maxRetries }).fails('spaces.list');
      assert.deepEqual([error.code, error.status, error.retryAfter], ['RATE_LIMIT_EXCEEDED', 429, 0]);
      assert.equal(proxy.received.length, requests);
    }
  },
  'waits as long as Retry-After says': async ({ connect, proxy }) => {
    const began = performance.now();
    proxy.play(refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '1' }));
    await connect().call('spaces.list');
    assertWaits(proxy, began, 990);
  },
  'pauses longer each time where nobody says how long': async ({ connect, proxy }) => {
    const began = performance.now();
    proxy.play(cut, cut);
    await connect().call('spaces.list');
    assertWaits(proxy, began, 245, 245 + 490);
  },
  'understands a Retry-After that is a date': async ({ connect, proxy }) => {
    const past = new Date(Date.now() - 60_000).toUTCString();
    proxy.play(refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': past }, 'not_done'));
    await connect().call('spaces.list');
    const nextHour = new Date(Date.now() + 3_600_000).toUTCString();
    proxy.play(refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': nextHour }, 'not_done'));
    const { retryAfter = 0 } = await connect().fails('spaces.list');
    assert.ok(retryAfter > 3500 && retryAfter <= 3600, String(retryAfter));
  },
  'does not wait longer than its longest wait': async ({ connect, proxy }) => {
    proxy.play(refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '91' }));
    assert.equal((await connect().fails('spaces.list')).retryAfter, 91);
    proxy.play(refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '2' }));
    assert.equal((await connect({ maxWait: 1 }).fails('spaces.list')).retryAfter, 2);
    assert.equal(proxy.received.length, 1);
  },
  'does not repeat what failed for good': async ({ connect, booking, proxy }) => {
    for (const [status, code] of [
      [401, 'API_KEY_REVOKED'],
      [409, 'BOOKING_CONFLICT'],
      [422, 'VALIDATION_ERROR'],
      [429, 'GUEST_BOOKING_VELOCITY'],
    ] as const) {
      proxy.play(refuse(status, code, NOW));
      const error = await connect().fails('bookings.create', booking());
      assert.deepEqual([error.code, error.status, proxy.received.length], [code, status, 1]);
    }
  },
};

const SLOW: [what: string, act: Act][] = [
  ['no answer', neverAnswer],
  ['the rest of an answer', stall],
  ['an answer that comes byte by byte', trickle],
];

const TIMEOUTS: Cases = {
  ...each(SLOW, ([what, act]) => [
    `waits for ${what} no longer than its timeout`,
    async (bench) => {
      const id = await made(bench);
      bench.proxy.play(act);
      const began = performance.now();
      const error = await bench.connect({ timeout: 0.5 }).fails('bookings.cancel', id, { reason: 'ill' });
      assert.ok(performance.now() - began >= 495);
      assert.deepEqual([error.code, error.status], ['TIMEOUT', 0]);
      // A client that gives up may be faster than the proxy.
      await until(() => bench.proxy.received.length === 1);
    },
  ]),
  'waits for ever with a timeout of 0': async ({ connect, proxy }) => {
    proxy.play(after(200, passOn()));
    await connect({ timeout: 0 }).call('spaces.list');
  },
};

/** At the limit of the key. */
const PACING: Cases = {
  'waits when nothing is left, neither as a repetition nor within the timeout': async ({
    connect,
    proxy,
  }) => {
    const hk = connect({ maxRetries: 0, timeout: 4 });
    const began = performance.now();
    proxy.play(left(0, 5));
    await hk.call('spaces.list');
    await hk.call('spaces.list');
    assertWaits(proxy, began, 4950);
  },
  'lets one go ahead, and the others as soon as its answer says that more are left': async ({
    connect,
    proxy,
  }) => {
    const hk = connect();
    const began = performance.now();
    proxy.play(left(0, 1), left(9, 60));
    await hk.call('spaces.list');
    await hk.callAll(['spaces.list'], ['spaces.list'], ['earnings.get'], ['bookings.list', {}]);
    assertWaits(proxy, began, 950, 950, 950, 950);
    assert.ok(performance.now() - began < 30_000);
  },
  'lets one go at a time when the answers say nothing more': async ({ connect, proxy }) => {
    const hk = connect({ maxRetries: 0 });
    proxy.play(left(0, 0), left(0, 1), left(0, 1));
    await hk.call('spaces.list');
    const began = performance.now();
    await hk.callAll(['spaces.list'], ['spaces.list'], ['spaces.list']);
    assertWaits(proxy, began, 0, 950, 1950);
  },
  'refuses a call that would wait too long, without asking': async ({ connect, proxy }) => {
    const hk = connect({ maxWait: 1 });
    proxy.play(left(0, 30));
    await hk.call('spaces.list');
    const error = await hk.failsWith('RATE_LIMIT_EXCEEDED', 0, 'spaces.list');
    assert.ok((error.retryAfter ?? 0) > 25);
    assert.equal(proxy.received.length, 1);
  },
  'believes the answer that was counted last, in whatever order they come': async ({ connect, proxy }) => {
    const hk = connect({ maxWait: 1 });
    proxy.play(after(300, left(5, 30)), left(0, 30));
    await hk.callAll(['spaces.list'], ['spaces.list']);
    assert.equal((await hk.fails('spaces.list')).code, 'RATE_LIMIT_EXCEEDED');
    assert.equal(proxy.received.length, 2);
  },
  'each client has a line of its own': async ({ connect, proxy }) => {
    const [slow, fast] = [connect({ maxWait: 1 }), connect({ maxWait: 1 })];
    proxy.play(left(0, 30));
    await slow.call('spaces.list');
    await fast.call('spaces.list');
    assert.equal(proxy.received.length, 2);
  },
};

export const NETWORK: Cases = { ...SENDING, ...TLS, ...STRANGERS, ...REPEATS, ...TIMEOUTS, ...PACING };

/** The requests after the first came at least so many milliseconds after the test began. A machine that is slow makes it only longer. */
function assertWaits({ received }: Proxy, began: number, ...atLeast: number[]): void {
  const waits = received.slice(1).map(({ at }) => at - began);
  assert.equal(waits.length, atLeast.length);
  assert.ok(
    waits.every((wait, i) => wait >= atLeast[i]!),
    String(waits),
  );
}
