import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onOneEngine } from '../../test/support/engines.ts';
import { listening } from '../../test/support/listening.ts';
import { rawConnection, readAnswers, sendRaw } from '../../test/support/raw-connection.ts';
import { until } from '../../test/support/until.ts';
import { useWorld } from '../../test/support/world.ts';
import { longReads } from '../db/long-reads.ts';
import { closeIdle } from './broken-http.ts';

const REPORT = '/api-settlement-report/api/v1/settlement/report?month=2027-06';
const SPACES = '/api-listings/api/v1/spaces';

/** Holds up all long reads until the answer is called. */
function holdUp(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  void longReads.begin('somebody', new AbortController().signal).part(() => promise);
  return resolve;
}

onOneEngine('while long reads wait for their turns', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let release: () => void;
  const busy: { hostId: string; key: string }[] = [];
  /** Answers of long reads that wait. */
  const waiting: Promise<{ status: number }>[] = [];
  const ask = (key: string, path = REPORT) => world.call('GET', path, { key });
  /** Asked here and not over HTTP: a request that comes too early would wait with the others, for ever. */
  const isFull = () => {
    try {
      longReads.begin('nobody', new AbortController().signal);
      return false;
    } catch {
      return true;
    }
  };

  // 32 of each of 8 hosts: as many as may wait, and as many as the overload limiter takes for steady work.
  before(async () => {
    desk = await openDesk(world);
    release = holdUp();
    for (let i = 0; i < 8; i++) {
      const hostId = await world.addHost();
      busy.push({ hostId, key: (await world.addKey(hostId)).key });
    }
    for (const { key } of busy) for (let i = 0; i < 32; i++) waiting.push(ask(key));
    await until(isFull);
  });
  after(() => release());

  test('one more is 503 with Retry-After at once', async () => {
    const answer = await ask(desk.key);
    refused(answer, 503, 'SERVICE_UNAVAILABLE');
    assert.equal(answer.headers.get('retry-after'), '1');
  });

  test('a crowd of other requests is served', async () => {
    const keys: string[] = [];
    while (keys.length < 6) keys.push((await world.addKey(desk.hostId)).key);
    const crowd = await Promise.all(Array.from({ length: 600 }, (_, i) => ask(keys[i % 6]!, SPACES)));
    assert.deepEqual([...new Set(crowd.map(({ status }) => status))], [200]);
  });

  test('all of them are answered in the end', async () => {
    release();
    const answers = await Promise.all(waiting);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal((await ask(desk.key)).status, 200);
  });
});

onOneEngine('a client of a long read', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let request: string;
  before(async () => {
    desk = await openDesk(world);
    request = `GET ${REPORT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${desk.key}\r\n\r\n`;
  });

  test('that closes its own side after the request gets the answer', async () => {
    const { socket, closed } = await rawConnection(world.url);
    socket.end(request);
    const [answer] = readAnswers(await closed());
    assert.equal(answer!.status, 200);
  });

  test('that closes its own side and would wait long is told to come again', async (t) => {
    const release = holdUp();
    t.after(release);
    const { socket, closed } = await rawConnection(world.url);
    socket.end(request);
    // It is told when its turn comes: by then it must have waited for more than the second that it has.
    setTimeout(release, 3000);
    const [answer] = readAnswers(await closed());
    assert.equal(answer!.status, 503);
    assert.equal(answer!.headers['retry-after'], '1');
  });
});

describe('a connection on which nothing moves', () => {
  test('stays open while its answer is being made', async () => {
    const server = createServer((_, response) => setTimeout(() => response.end('at last'), 300));
    server.on('timeout', closeIdle).setTimeout(50);
    const { port, close } = await listening(server);
    assert.match(
      await sendRaw(`http://127.0.0.1:${port}`, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
      /at last/,
    );
    await close();
  });
});
