import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld, type Answer } from '../../test/support/world.ts';

onBothEngines('Who may read the iCal feed', (engine) => {
  const world = useWorld(engine);
  let spaceId: string;
  let token: string;

  const newToken = (id: string) => world.newFeedToken(id);
  const feed = (query: string, headers: Record<string, string> = {}, method = 'GET') =>
    world.call(method, `/api-ical-feed${query}`, { headers });
  const address = (id = spaceId, secret = token) => `?space_id=${id}&token=${secret}`;

  beforeEach(async () => {
    spaceId = await world.addSpace(await world.addHost());
    token = await newToken(spaceId);
  });

  function outside(answer: Answer): unknown {
    const { request_id, ...error } = answer.body.error;
    const headers = [...answer.headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
    return { status: answer.status, headers, error, hasId: typeof request_id === 'string' };
  }

  test('ids in capital letters and unknown parameters change nothing', async () => {
    const answer = await feed(`${address(spaceId.toUpperCase(), token.toUpperCase())}&refresh=1`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'private, no-cache');
  });

  test('every wrong token, space and combination gets the same 401', async () => {
    const other = await world.addSpace(await world.addHost());
    const otherToken = await newToken(other);
    const unknown = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
    const wrong = [
      address(spaceId, otherToken),
      address(other, token),
      address(unknown, token),
      address(spaceId, unknown),
      address(spaceId, token.slice(0, -1)),
      address(spaceId, `${token}0`),
      address(spaceId, `urn:uuid:${token}`),
      address(spaceId, ''),
      address('', token),
      address('nowhere', token),
      address(spaceId, 'nothing'),
      address(spaceId, '%00'),
      `?space_id=${spaceId}`,
      `?token=${token}`,
      `${address()}&token=${token}`,
      `${address()}&space_id=${spaceId}`,
      '',
    ];
    const expected = { code: 'INVALID_TOKEN', message: 'Invalid token', http_status: 401 };
    const first = outside(await feed(wrong[0]!));
    assert.deepEqual((first as { error: unknown }).error, expected);
    for (const query of wrong) assert.deepEqual(outside(await feed(query)), first, query);
  });

  test('a new token opens the calendar; the old one is dead at once, also for one who has it already', async () => {
    const etag = (await feed(address())).headers.get('etag')!;
    const old = token;
    token = await newToken(spaceId);
    for (const headers of [{}, { 'if-none-match': etag }])
      assert.equal((await feed(address(spaceId, old), headers)).status, 401);
    assert.equal((await feed(address())).status, 200);
  });

  test('the 61st request in a minute is 429 with Retry-After, whatever the first 60 were answered', async (t) => {
    world.clock.restoreAfter(t);
    // Wrong tokens do not count.
    for (let i = 0; i < 70; i++) assert.equal((await feed(address(spaceId, spaceId))).status, 401);
    const etag = (await feed(address())).headers.get('etag')!;
    const notModified = async () => (await feed(address(), { 'if-none-match': etag })).status;
    world.clock.advance({ seconds: 20 });
    const statuses = await Promise.all(Array.from({ length: 59 }, notModified));
    assert.deepEqual([...new Set(statuses)], [304]);
    const answer = await feed(address());
    const { details } = refused(answer, 429, 'RATE_LIMIT_EXCEEDED');
    assert.deepEqual(details, { limit: 60, window_seconds: 60, retry_after_seconds: 40 });
    assert.equal(answer.headers.get('retry-after'), '40');
    const other = await world.addSpace(await world.addHost());
    assert.equal((await feed(address(other, await newToken(other)))).status, 200, 'another feed goes on');
    world.clock.advance({ seconds: 40 });
    assert.equal(await notModified(), 304);
    assert.equal(await notModified(), 429);
  });

  test('neither the token nor the space of an address stands in the log', async () => {
    await feed(address());
    assert.match(world.logText(), /"route":"\/api-ical-feed"/);
    for (const part of [token, spaceId]) assert.ok(!world.logText().includes(part), part);
  });
});
