import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serviceUnavailable } from '../errors.ts';
import { LongReads } from './long-reads.ts';

const MAX_WAITING = 256;
const MAX_WAITING_PER_HOST = 32;

/** Long reads whose turns are held up until `release`. */
function heldUp() {
  const reads = new LongReads();
  const { promise, resolve } = Promise.withResolvers<void>();
  const stays = new AbortController().signal;
  const held = reads.begin('the first', stays).part(() => promise);
  const done: string[] = [];
  return {
    reads,
    done,
    begin: (host: string, signal = stays) => reads.begin(host, signal),
    /** One part of a reading of this host. */
    ask: (host: string, signal = stays) => reads.begin(host, signal).part(() => done.push(host)),
    release: () => (resolve(), held),
  };
}

describe('long reads', () => {
  test('are done one part at a time', async () => {
    const reads = new LongReads();
    let underway = 0;
    const part = () =>
      reads.begin('a', new AbortController().signal).part(async () => {
        assert.equal(++underway, 1);
        await Promise.resolve();
        underway--;
      });
    await Promise.all([part(), part(), part()]);
  });

  test('take turns by host: one that asks for much waits behind those that ask for little', async () => {
    const { ask, done, release } = heldUp();
    const parts = [ask('a'), ask('a'), ask('a'), ask('b'), ask('c'), ask('b')];
    await release();
    await Promise.all(parts);
    assert.equal(done.join(''), 'abcaba');
  });

  test('answer with what a part answers, and a part that fails holds up nobody', async () => {
    const { begin, ask, done, release } = heldUp();
    const [made, failed] = [begin('a').part(() => 5), begin('a').part(() => assert.fail('so be it'))];
    const others = ask('b');
    await release();
    assert.equal(await made, 5);
    await assert.rejects(failed, { message: 'so be it' });
    await others;
    assert.deepEqual(done, ['b']);
  });

  test('that nobody waits for any more are not done', async () => {
    const { begin, ask, done, release } = heldUp();
    const leaving = new AbortController();
    const read = begin('a', leaving.signal);
    const parts = [read.part(() => done.push('a')), ask('b')];
    leaving.abort(new Error('gone'));
    const refused = assert.rejects(parts[0]!, { message: 'gone' });
    await release();
    await Promise.all([refused, parts[1]]);
    await assert.rejects(
      read.part(() => done.push('a')),
      { message: 'gone' },
    );
    assert.deepEqual(done, ['b']);
  });

  test(`of one host wait in a line of ${MAX_WAITING_PER_HOST}; one more is 503 at once, and another host’s is not`, async () => {
    const { begin, ask, release } = heldUp();
    const waiting = Array.from({ length: MAX_WAITING_PER_HOST }, () => ask('a'));
    assert.throws(() => begin('a'), serviceUnavailable());
    waiting.push(ask('b'));
    await release();
    await Promise.all(waiting);
    await ask('a');
  });

  test(`of all hosts are ${MAX_WAITING} at most`, async () => {
    const { begin, ask, release } = heldUp();
    const waiting = Array.from({ length: MAX_WAITING }, (_, i) => ask(`host ${i}`));
    assert.throws(() => begin('one more'), serviceUnavailable());
    await release();
    await Promise.all(waiting);
    await ask('one more');
  });

  test('leave the event loop to others between their parts', async () => {
    const read = new LongReads().begin('a', new AbortController().signal);
    let turns = 0;
    const watch = setInterval(() => turns++, 0);
    const busy = () => {
      for (const end = performance.now() + 1; performance.now() < end;);
    };
    for (let i = 0; i < 10; i++) await read.part(busy);
    clearInterval(watch);
    assert.ok(turns >= 9, `${turns} turns`);
  });
});
