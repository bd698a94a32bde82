import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { counting } from '../../test/support/counting.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { insertManyBookings } from '../../test/support/many-bookings.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import { longReads } from '../db/long-reads.ts';
import { toTimestamp } from '../time/clock.ts';
import { datesFrom } from '../time/dates.ts';
import * as bookings from './bookings.ts';
import { ROWS_PER_PART } from './list.ts';

const LIST = '/api-bookings/api/v1/bookings';
const EVER = 'updated_since=1970-01-01T00:00:00Z';

onBothEngines('GET bookings', (engine) => {
  const world = useWorld(engine, { GUEST_VELOCITY_MAX: '1000' });
  let desk: Desk;
  let other: string;
  /** Those with the reference PMS-1, in the order of lists. */
  let all: [id: string, status: string, space: string][];
  before(async () => {
    desk = await openDesk(world);
    other = await world.addSpace(desk.hostId);
    for (const date of ['2027-06-02', '2027-06-01'])
      for (const space_id of [desk.spaceId, other])
        for (const start_hour of [9, 12, 15]) {
          const hours = { date, start_hour, end_hour: start_hour + 1 };
          const { id } = await desk.made({ ...hours, space_id, reference: 'PMS-1' });
          if (start_hour === 12) assert.equal((await desk.cancel(id)).status, 200);
          if (start_hour === 15)
            await world.write(`update bookings set status = 'completed' where id = $1`, [id]);
        }
    await desk.made({ start_hour: 20, end_hour: 21, reference: 'pms-1' });
    await desk.made({ start_hour: 21, end_hour: 22 });
    const rows = await world.rows<{ id: string; status: string; space_id: string }>(
      `select id, status, space_id from bookings where host_id = $1 and reference = 'PMS-1' order by date, start_hour, id`,
      [desk.hostId],
    );
    all = rows.map(({ id, status, space_id }) => [id, status, space_id]);
    assert.equal(all.length, 12);
  });

  const read = async (query: string, { key }: Pick<Desk, 'key'> = desk) => {
    const answer = await world.call('GET', `${LIST}?${query}`, { key });
    assert.equal(answer.status, 200, answer.text);
    const { bookings: shown, pagination } = answer.body.data;
    return { ids: shown.map(({ id }) => id), pagination };
  };
  /** Every id of a list, each page with the same total and the same `synced_to`. */
  const walk = async (query: string, limit = 2, of: Pick<Desk, 'key'> = desk): Promise<string[]> => {
    const found: string[] = [];
    const same = new Set<string>();
    for (let cursor: string | null = ''; cursor !== null;) {
      const { ids, pagination } = await read(`limit=${limit}&${query}${cursor && `&cursor=${cursor}`}`, of);
      found.push(...ids);
      same.add(`${pagination.total} ${pagination.synced_to}`);
      cursor = pagination.next_cursor;
    }
    assert.equal(same.size, 1);
    assert.ok([...same][0]!.startsWith(`${found.length} `), query);
    return found;
  };
  const problems = async (query: string) => {
    const answer = await world.call('GET', `${LIST}?${query}`, { key: desk.key });
    return refused(answer, 422, 'VALIDATION_ERROR').details;
  };
  const ofStatus = (list: string, space?: string): string[] =>
    all
      .filter(([, status, of]) => list.split(',').includes(status) && (space ?? of) === of)
      .map(([id]) => id);
  /** A host with so many bookings, and a page of its list. */
  const manyBookings = async (first: string, count: number, today: string) => {
    const hostId = await world.addHost();
    await world.addSpace(hostId);
    const days = datesFrom(first, count)!;
    await insertManyBookings(world.ctx.db, { hostId, environment: 'production', days, perDay: 24, today });
    return { hostId, ...(await world.addKey(hostId)) };
  };

  const LISTS =
    'confirmed cancelled completed confirmed,completed completed,confirmed cancelled,confirmed cancelled,completed'
      .split(' ')
      .concat('cancelled,completed,confirmed');

  test('have those of one status or several, in any order, whatever they are filtered by beside', async () => {
    for (const list of LISTS) {
      const status = `status=${list}`;
      const inPages = (await walk(`${status}&to=2027-06-02`)).filter((id) =>
        all.some(([known]) => known === id),
      );
      assert.deepEqual(inPages, ofStatus(list), list);
      assert.deepEqual(await walk(`${status}&space_id=${other}`), ofStatus(list, other), list);
      assert.deepEqual(await walk(`${status}&reference=PMS-1`), ofStatus(list), list);
      const byBoth = await walk(`${status}&reference=PMS-1&space_id=${other}`);
      assert.deepEqual(byBoth, ofStatus(list, other), list);
      const found = await walk(`${status}&guest=ada&space_id=${other}`);
      assert.deepEqual(found, ofStatus(list, other), list);
      const changed = await walk(`${status}&${EVER}&space_id=${other}`);
      assert.deepEqual(changed.toSorted(), ofStatus(list, other).toSorted(), list);
    }
  });

  test('have a reference to the letter, of the caller’s host alone', async () => {
    assert.equal((await walk('reference=pms-1')).length, 1);
    for (const none of ['PMS', 'PMS-1%20', 'PMS-%25', 'null', encodeURIComponent('😀'.repeat(200))])
      assert.deepEqual(await walk(`reference=${none}`), []);
    const stranger = await openDesk(world);
    await stranger.book({ reference: 'PMS-1' });
    assert.equal((await walk('reference=PMS-1')).length, 12);
    assert.deepEqual(await walk(`reference=PMS-1&space_id=${stranger.spaceId}`), []);
  });

  test('go on by cursor behind the last booking shown, whatever was made or cancelled meanwhile', async () => {
    const desk = await openDesk(world);
    const book = async (start_hour: number): Promise<string> =>
      (await desk.made({ start_hour, end_hour: start_hour + 1 })).id;
    const [ten, twelve, fourteen] = [await book(10), await book(12), await book(14)];
    const { ids, pagination } = await read('limit=2', desk);
    assert.deepEqual(ids, [ten, twelve]);
    await book(9);
    await desk.cancel(ten);
    assert.deepEqual((await read(`limit=2&cursor=${pagination.next_cursor}`, desk)).ids, [fourteen]);
  });

  test('have a total beyond 10 000 as 10 000, and say that there are more', async () => {
    const many = await manyBookings('2027-01-01', 418, '2027-06-01');
    const pagination = async (query: string) => (await read(`limit=1&${query}`, many)).pagination;
    const { next_cursor: cursor, ...rest } = await pagination('');
    assert.deepEqual(rest, { limit: 1, offset: 0, total: 10_000, total_is_exact: false, has_more: true });
    assert.match(cursor ?? '', /^[\w=-]+$/);
    assert.equal((await pagination('offset=10031')).has_more, false);
    assert.equal((await pagination('offset=10030')).has_more, true);
    const within = await pagination('to=2028-02-20');
    assert.deepEqual([within.total, within.total_is_exact], [9984, true]);
  });

  test('far in by offset show what a walk by cursor comes to, in steps that nobody waits for', async () => {
    const many = await manyBookings('2027-01-01', 50, '2027-02-01');
    for (const filter of ['', '&status=completed', '&from=2027-01-03']) {
      const walked = await walk(filter, 200, many);
      const { length } = walked;
      for (const offset of [199, 200, 201, 650, length - 1, length, length + 1, 9_999_999]) {
        const { ids, pagination } = await read(`limit=20&offset=${offset}${filter}`, many);
        assert.deepEqual(ids, walked.slice(offset, offset + 20), `${offset}${filter}`);
        const { next_cursor: _, ...rest } = pagination;
        const has_more = offset + 20 < length;
        assert.deepEqual(rest, { limit: 20, offset, total: length, total_is_exact: true, has_more });
      }
    }
    const { ctx, statements } = counting(world.ctx);
    const caller = { hostId: many.hostId, environment: 'production', actor: operator } as const;
    const longRead = longReads.begin(many.hostId, new AbortController().signal);
    await bookings.list(ctx, caller, { limit: 20, offset: 1000 }, longRead);
    assert.equal(statements(), 1000 / ROWS_PER_PART + 1);
  });

  test('are counted on the first page; a cursor from before that, without the total, counts again', async () => {
    const busy = await openDesk(world);
    const book = (start_hour: number) => busy.book({ start_hour, end_hour: start_hour + 1 });
    for (const hour of [1, 2, 3]) await book(hour);
    const page = async (cursor: string) =>
      (await read(`limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, busy)).pagination;
    const { next_cursor: cursor, total } = await page('');
    await book(4);
    const older = cursor!.split('=')[0]!;
    // What a version reads that does not know of the total: Node stops at the "=".
    for (const each of [older, cursor!])
      assert.match(Buffer.from(each, 'base64url').toString(), /^2027-06-01 1 [0-9a-f-]{36} [\w-]{8}$/);
    assert.deepEqual([total, (await page(cursor!)).total, (await page(older)).total], [3, 3, 4]);
    const after = [];
    for (let next: string | null = older; next !== null; next = (await page(next)).next_cursor)
      after.push((await page(next)).total);
    assert.deepEqual(after, [4, 4, 4]);
  });

  test('of changes since a time have those of that time too, by the time of the change and id', async () => {
    const desk = await openDesk(world);
    const changed = async (query: string) => (await read(query, desk)).ids;
    const ids: string[] = [];
    for (const start_hour of [9, 8, 7]) {
      world.clock.advance({ seconds: 1 });
      ids.push((await desk.made({ start_hour, end_hour: start_hour + 1 })).id);
    }
    const [first, second, third] = ids;
    world.clock.advance({ seconds: 1 });
    await desk.cancel(first!);
    assert.deepEqual(await changed(EVER), [second, third, first]);
    const { updated_at } = await desk.read(third!);
    assert.deepEqual(await changed(`updated_since=${updated_at}`), [third, first]);
    world.clock.advance({ seconds: 1 });
    assert.deepEqual(await changed(`updated_since=${toTimestamp(world.clock.now())}`), []);
  });

  test('of changes say what to ask with next, a few seconds before now; other lists do not', async () => {
    const { pagination } = await read(EVER);
    const { synced_to = '' } = pagination;
    const behind = world.clock.now() - Date.parse(synced_to);
    assert.ok(behind >= 5000 && behind <= 30_000, `${behind} ms`);
    assert.equal(synced_to, toTimestamp(Date.parse(synced_to)));
    assert.ok(!('synced_to' in (await read('')).pagination));
  });

  test('of changes give none an earlier time than the one before, though the clock that made it is behind', async () => {
    const desk = await openDesk(world);
    const { id, updated_at } = await desk.made();
    world.clock.advance({ seconds: -4 });
    await desk.cancel(id);
    const cancelled = await desk.read(id);
    assert.deepEqual([cancelled.status, cancelled.updated_at], ['cancelled', updated_at]);
    assert.notEqual(cancelled.cancelled_at, updated_at);
    world.clock.advance({ seconds: 4 });
  });

  test('reject a cursor of other filters', async () => {
    const { next_cursor } = (await read('limit=1&status=confirmed')).pagination;
    assert.deepEqual(await problems(`cursor=${next_cursor}`), [
      { field: 'cursor', message: 'belongs to a list with other filters' },
    ]);
  });

  test('name each filter that is wrong', async () => {
    const reference = 'must not be blank or contain control characters';
    const statuses = 'must be one of confirmed, cancelled, completed, or several separated by commas';
    const cursor = 'is not one that a page of this list has given';
    const cases: [query: string, field: string, message?: string][] = [
      ['space_id=x', 'space_id'],
      ['status=completed,confirmed,completed', 'status', 'must not name anything twice'],
      ['status=confirmed&status=completed', 'status', 'is given twice; separate several with commas'],
      ['from=2027-13-01', 'from'],
      ['to=yesterday', 'to'],
      ['from=2027-06-02&to=2027-06-01', 'from', 'must not be after to'],
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['offset=-1', 'offset'],
      ['cursor=nonsense', 'cursor', cursor],
      [`${EVER}&cursor=nonsense`, 'cursor', cursor],
      ['offset=0&cursor=nonsense', 'offset', 'must not be given together with cursor'],
      ['reference=', 'reference', 'must not be empty'],
      [`reference=${'a'.repeat(201)}`, 'reference', 'must have at most 200 characters'],
      ['reference=%0a', 'reference', reference],
      ['reference=a&reference=b', 'reference', 'must be a string'],
      [`reference=a&${EVER}`, 'updated_since', 'must not be given together with reference'],
      [`${EVER}&${EVER}`, 'updated_since'],
    ];
    for (const status of ['open', 'confirmed,', '', 'confirmed, completed', 'Confirmed'])
      cases.push([`status=${status}`, 'status', statuses]);
    for (const time of ['2027-01-01', '2027-01-01T00:00:00', '2027-02-30T00:00:00Z', 'yesterday'])
      cases.push([`updated_since=${time}`, 'updated_since']);
    for (const beside of ['from=2027-01-01', 'to=2027-01-01', 'guest=ada', 'offset=0'])
      for (const filter of ['reference=a', EVER]) {
        const message = `must not be given together with ${filter.split('=')[0]}`;
        cases.push([`${filter}&${beside}`, beside.split('=')[0]!, message]);
      }
    for (const [query, field, message] of cases) {
      const [problem, ...others] = await problems(query);
      assert.deepEqual([problem.field, others], [field, []], query);
      assert.equal(problem.message, message ?? problem.message, query);
    }
  });
});
