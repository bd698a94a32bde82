import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { CREATE, openDesk, type Desk } from '../../test/support/booking.ts';
import { CONSOLE, signIn, type Browser } from '../../test/support/console.ts';
import { onOneEngine } from '../../test/support/engines.ts';
import { callTools, hold } from '../../test/support/overload.ts';
import { rawConnection, readAnswers, type RawConnection } from '../../test/support/raw-connection.ts';
import { until } from '../../test/support/until.ts';
import { useWorld, type Answer, type World } from '../../test/support/world.ts';
import { hashApiKey } from '../ids/api-key.ts';
import { newId } from '../ids/uuid.ts';

const SPACES = '/api-listings/api/v1/spaces';
const CLAIM = '/console/claim';
const MAX_IN_PROGRESS = 100;
const MAX_OF_ADDRESS = 256;
const MAX_WITHOUT_KEY = 512;

type Slow = Pick<RawConnection, 'socket' | 'received'>;

/** Sends the headers and six bytes of a body of eight. Resolves when the service has seen them. */
async function slow(world: World, path: string, headers: Record<string, string>): Promise<Slow> {
  const { socket, received } = await rawConnection(world.url);
  const lines = Object.entries({ ...headers, expect: '100-continue' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 8\r\n${lines.join('')}\r\n{"a": `,
  );
  await once(socket, 'data');
  return { socket, received: () => received().replace('HTTP/1.1 100 Continue\r\n\r\n', '') };
}

async function finish({ socket, received }: Slow): Promise<number> {
  socket.write('1}');
  await until(() => received() !== '');
  return readAnswers(received())[0]!.status;
}

function statuses(answers: readonly Answer[]): number[] {
  return [...new Set(answers.map(({ status }) => status))];
}

onOneEngine('bodies that are slow to arrive', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let date = 0;
  before(async () => {
    desk = await openDesk(world);
  });
  const key = async () => (await world.addKey(await world.addHost())).key;
  const signedIn = new Map<string, Promise<Browser>>();
  const sessionOf = async (key: string) => {
    if (!signedIn.has(key)) signedIn.set(key, signIn(world, key));
    return { ...CONSOLE, cookie: (await signedIn.get(key)!).cookie };
  };

  // More than the overload limiter admits; more than one key may have in progress where the caller is the same in another dress.
  const sources: [whose: string, count: number, send: (attacker: string, i: number) => Promise<Slow>][] = [
    ['of one key to POST /mcp', 150, (of) => slow(world, '/mcp', { authorization: `Bearer ${of}` })],
    ['of one key to an endpoint', 900, (of) => slow(world, CREATE, { authorization: `Bearer ${of}` })],
    [
      'of one session of the console',
      150,
      async (of) => slow(world, '/console/api' + CREATE, await sessionOf(of)),
    ],
    [
      'without a key',
      900,
      (_, i) => slow(world, CLAIM, { 'x-forwarded-for': `2001:db8::${i.toString(16)}` }),
    ],
  ];

  for (const [whose, count, send] of sources) {
    test(`${whose} make nobody's request 503, and are served when they have arrived`, async (t) => {
      const attacker = await key();
      const bodies: Slow[] = [];
      t.after(() => {
        for (const { socket } of bodies) socket.destroy();
      });
      while (bodies.length < count)
        bodies.push(
          ...(await Promise.all(Array.from({ length: 50 }, (_, i) => send(attacker, bodies.length + i)))),
        );
      assert.equal(bodies.filter(({ received }) => received() !== '').length, 0);
      const others = Array.from({ length: MAX_IN_PROGRESS }, () =>
        world.call('GET', SPACES, { key: desk.key }),
      );
      assert.deepEqual(statuses(await Promise.all(others)), [200]);
      assert.equal((await desk.book({ date: `2027-06-0${++date}` })).status, 200);
      assert.equal((await world.call('GET', SPACES, { key: attacker })).status, 200);
      assert.equal((await world.call('POST', CLAIM, { body: { token: 'none' } })).status, 404);
      assert.notEqual(await finish(bodies[0]!), 503);
      assert.notEqual(await finish(bodies.at(-1)!), 503);
    });
  }
});

onOneEngine('a key with 100 requests in progress', (engine) => {
  const world = useWorld(engine, { RATE_LIMIT_PRODUCTION: '150' });
  let desk: Desk;
  let late: Slow;
  let browser: Browser;
  let answers: Promise<Answer>[];
  let release: () => void;
  before(async () => {
    desk = await openDesk(world);
    browser = await signIn(world, desk.key);
    // Whose session it is, the process knows from its first request on.
    assert.equal((await browser.call('GET', '/console/session')).status, 200);
    late = await slow(world, '/mcp', { authorization: `Bearer ${desk.key}` });
    const held = hold(world, [hashApiKey(desk.key)]);
    release = held.release;
    answers = callTools(world, desk.key, MAX_IN_PROGRESS);
    await until(() => held.count === MAX_IN_PROGRESS);
  });
  after(() => release());

  test('gets 503 for one more, with Retry-After and before the rate limit counts it', async () => {
    for (const answer of [
      await world.call('GET', SPACES, { key: desk.key }),
      await desk.book(),
      await browser.call('GET', `/console/api${SPACES}`),
      await browser.call('GET', '/console/keys'),
    ]) {
      assert.equal(refused(answer, 503, 'SERVICE_UNAVAILABLE').outcome, 'not_done');
      assert.equal(answer.headers.get('retry-after'), '1');
      assert.equal(answer.headers.get('ratelimit'), null);
    }
  });

  test('gets 503 for a body that ends now', async () => {
    assert.equal(await finish(late), 503);
    late.socket.destroy();
  });

  test('holds up nobody else, not even another key of its host', async () => {
    const { key } = await world.addKey(desk.hostId);
    assert.equal((await world.call('GET', SPACES, { key })).status, 200);
    assert.equal((await world.call('GET', SPACES)).status, 401);
  });

  test('is served again when they have their responses; a call of an agent was one request', async () => {
    release();
    for (const { text } of await Promise.all(answers)) assert.match(text, /"spaces":/);
    const answer = await world.call('GET', SPACES, { key: desk.key });
    assert.equal(answer.status, 200);
    // The calls' own requests and this one.
    assert.match(answer.headers.get('ratelimit')!, /;r=49;/);
  });
});

onOneEngine('without a key', (engine) => {
  const world = useWorld(engine);

  test('at most 256 requests of one address and 512 in all are in progress, beside those with one', async () => {
    const desk = await openDesk(world);
    const spaceId = newId();
    const feed = (address: string) =>
      world.call('GET', `/api-ical-feed?space_id=${spaceId}&token=${newId()}`, {
        headers: { 'x-forwarded-for': address },
      });
    const held = hold(world, [spaceId]);
    const answers = Array.from({ length: MAX_OF_ADDRESS }, () => feed('192.0.2.1'));
    await until(() => held.count === MAX_OF_ADDRESS);
    assert.equal((await feed('192.0.2.1')).status, 503);
    while (answers.length < MAX_WITHOUT_KEY) answers.push(feed(`198.51.100.${answers.length % 250}`));
    await until(() => held.count === MAX_WITHOUT_KEY);
    assert.equal((await feed('203.0.113.1')).status, 503);
    assert.equal((await desk.book()).status, 200);
    held.release();
    assert.deepEqual(statuses(await Promise.all(answers)), [401]);
    assert.equal((await feed('192.0.2.1')).status, 401);
  });
});
