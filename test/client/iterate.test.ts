import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Hourkeep } from '../../client/src/index.ts';
import { succeed, useScriptedServer } from './scripted-server.ts';

describe('iterating over bookings', () => {
  const server = useScriptedServer();
  const connect = () => new Hourkeep({ apiKey: 'hk_test_key', baseUrl: server.url() });
  const idsOf = async (query?: object) => {
    const ids: string[] = [];
    for await (const { id } of connect().bookings.iterate(query)) ids.push(id);
    return ids;
  };
  const paths = () => server.received.map(({ path }) => path.slice(path.indexOf('?')));
  const page = (ids: string[], pagination: object) =>
    succeed({ bookings: ids.map((id) => ({ id })), pagination });

  test('follows the cursor, with the same filter and without an offset', async () => {
    server.play(
      page(['a', 'b'], { offset: 1, has_more: true, next_cursor: 'after-b' }),
      page(['c'], { offset: 0, has_more: false, next_cursor: null }),
    );
    assert.deepEqual(await idsOf({ status: 'confirmed', offset: 1 }), ['a', 'b', 'c']);
    assert.deepEqual(paths(), [
      '?limit=200&status=confirmed&offset=1',
      '?limit=200&status=confirmed&cursor=after-b',
    ]);
  });

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
