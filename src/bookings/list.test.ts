import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { counting } from '../../test/support/counting.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { insertManyBookings } from '../../test/support/many-bookings.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import { longReads } from '../db/long-reads.ts';
import * as bookings from './bookings.ts';
import { ROWS_PER_PART } from './list.ts';
import { datesFrom } from '../time/dates.ts';

const LIST = '/api-bookings/api/v1/bookings';

onBothEngines('GET bookings', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let secondSpace: string;
  /** Ids by a name that says date and hour. */
  const ids: Record<string, string> = {};
  before(async () => {
    desk = await openDesk(world);
    secondSpace = await world.addSpace(desk.hostId);
    const book = async (name: string, fields: Record<string, unknown>) => {
      ids[name] = (await desk.made(fields)).id;
    };
    await book('jun03 9', { date: '2027-06-03', start_hour: 9, end_hour: 10 });
    await book('jun01 15', { date: '2027-06-01', start_hour: 15, end_hour: 16 });
    await book('jun01 9', { date: '2027-06-01', start_hour: 9, end_hour: 10 });
    await book('jun01 9 second', { date: '2027-06-01', start_hour: 9, end_hour: 10, space_id: secondSpace });
    await book('jun02 9 second', { date: '2027-06-02', start_hour: 9, end_hour: 10, space_id: secondSpace });
    await desk.cancel(ids['jun01 15']!);
  });
  const list = async (query: string) => {
    const answer = await world.call('GET', LIST + query, { key: desk.key });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const names = answer.body.data.bookings.map(
      ({ id }) => Object.keys(ids).find((name) => ids[name] === id) ?? `unknown ${id}`,
    );
    const { next_cursor: cursor, ...pagination } = answer.body.data.pagination;
    return { names, pagination, cursor };
  };

  test('are all of the host’s, by date, start hour and id, cancelled ones too', async () => {
    assert.deepEqual(await list(''), {
      names: ['jun01 9', 'jun01 9 second', 'jun01 15', 'jun02 9 second', 'jun03 9'],
      pagination: { limit: 50, offset: 0, total: 5, total_is_exact: true, has_more: false },
      cursor: null,
    });
  });

  test('filter by space, status and dates, both dates inclusive, in any combination', async () => {
    const cases: [query: string, names: string[]][] = [
      [`?space_id=${secondSpace}`, ['jun01 9 second', 'jun02 9 second']],
      [`?space_id=${secondSpace.toUpperCase()}`, ['jun01 9 second', 'jun02 9 second']],
      ['?status=cancelled', ['jun01 15']],
      ['?status=completed', []],
      ['?from=2027-06-02', ['jun02 9 second', 'jun03 9']],
      ['?to=2027-06-01', ['jun01 9', 'jun01 9 second', 'jun01 15']],
      ['?from=2027-06-02&to=2027-06-02', ['jun02 9 second']],
      [`?space_id=${secondSpace}&from=2027-06-02`, ['jun02 9 second']],
      ['?status=confirmed&to=2027-06-01', ['jun01 9', 'jun01 9 second']],
      [`?space_id=${secondSpace}&status=confirmed&from=2027-06-01&to=2027-06-01`, ['jun01 9 second']],
    ];
    for (const [query, names] of cases) {
      const found = await list(query);
      assert.deepEqual(found.names, names, query);
      assert.equal(found.pagination.total, names.length, query);
    }
  });

  test('come in pages with the total of all', async () => {
    const first = await list('?limit=2');
    assert.deepEqual(first.names, ['jun01 9', 'jun01 9 second']);
    assert.deepEqual(first.pagination, {
      limit: 2,
      offset: 0,
      total: 5,
      total_is_exact: true,
      has_more: true,
    });
    assert.deepEqual(await list('?limit=2&offset=4'), {
      names: ['jun03 9'],
      pagination: { limit: 2, offset: 4, total: 5, total_is_exact: true, has_more: false },
      cursor: null,
    });
    assert.deepEqual(await list('?offset=99'), {
      names: [],
      pagination: { limit: 50, offset: 99, total: 5, total_is_exact: true, has_more: false },
      cursor: null,
    });
  });

  for (const filters of ['', '&status=confirmed', '&from=2027-06-01&to=2027-06-02', 'space']) {
    test(`the cursor leads through all of a list, with the filters "${filters}"`, async () => {
      const query = filters === 'space' ? `&space_id=${secondSpace}` : filters;
      const { names: all } = await list(`?limit=50${query}`);
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        assert.ok(seen.length < all.length, 'a page behind the last booking');
        const page: Awaited<ReturnType<typeof list>> = await list(
          `?limit=1${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        assert.equal(page.pagination.total, all.length);
        seen.push(...page.names);
        cursor = page.cursor;
      }
      assert.deepEqual(seen, all);
    });
  }

  test('the cursor goes on behind the last booking shown, whatever was made or cancelled meanwhile', async () => {
    const other = await openDesk(world);
    const book = async (start_hour: number): Promise<string> =>
      (await other.made({ date: '2027-06-05', start_hour, end_hour: start_hour + 1 })).id;
    const [ten, twelve, fourteen] = [await book(10), await book(12), await book(14)];
    const page = async (query: string) => {
      const { data } = (await world.call('GET', LIST + query, { key: other.key })).body;
      return {
        ids: data.bookings.map((booking) => booking.id),
        cursor: data.pagination.next_cursor,
      };
    };
    const first = await page('?limit=2');
    assert.deepEqual(first.ids, [ten, twelve]);
    await book(9);
    await other.cancel(ten);
    const second = await page(`?limit=2&cursor=${first.cursor}`);
    assert.deepEqual(second.ids, [fourteen]);
  });

  test('a total beyond 10 000 is 10 000 and says that there are more', async () => {
    const hostId = await world.addHost();
    const { key } = await world.addKey(hostId);
    await world.addSpace(hostId);
    const days = datesFrom('2027-01-01', 418)!;
    await insertManyBookings(world.ctx.db, {
      hostId,
      environment: 'production',
      days,
      perDay: 24,
      today: '2027-06-01',
    });
    const pagination = async (query: string) =>
      (await world.call('GET', LIST + query, { key })).body.data.pagination;
    const { next_cursor: cursor, ...rest } = await pagination('?limit=1');
    assert.deepEqual(rest, { limit: 1, offset: 0, total: 10_000, total_is_exact: false, has_more: true });
    assert.match(cursor ?? '', /^[\w=-]+$/);
    const last = await pagination('?limit=1&offset=10031');
    assert.equal(last.has_more, false);
    assert.equal((await pagination('?limit=1&offset=10030')).has_more, true);
    const within = await pagination('?limit=1&to=2028-02-20');
    assert.equal(within.total, 9984);
    assert.equal(within.total_is_exact, true);
  });

  test('far in by offset show what a walk by cursor comes to, in steps that nobody waits for', async () => {
    const hostId = await world.addHost();
    await world.addSpace(hostId);
    const { key } = await world.addKey(hostId);
    const days = datesFrom('2027-01-01', 50)!;
    const many = { hostId, environment: 'production', days, perDay: 24, today: '2027-02-01' } as const;
    await insertManyBookings(world.ctx.db, many);
    const page = async (query: string) => (await world.call('GET', LIST + query, { key })).body.data;
    const idsOf = (bookings: { id: string }[]) => bookings.map(({ id }) => id);
    for (const filter of ['', '&status=completed', '&from=2027-01-03']) {
      const walked: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { bookings: shown, pagination } = await page(
          `?limit=200${filter}${cursor && `&cursor=${cursor}`}`,
        );
        walked.push(...idsOf(shown));
        cursor = pagination.next_cursor;
      }
      const { length } = walked;
      for (const offset of [199, 200, 201, 650, length - 1, length, length + 1, 9_999_999]) {
        const { bookings: shown, pagination } = await page(`?limit=20&offset=${offset}${filter}`);
        assert.deepEqual(idsOf(shown), walked.slice(offset, offset + 20), `${offset}${filter}`);
        const { next_cursor: _, ...rest } = pagination;
        const has_more = offset + 20 < length;
        assert.deepEqual(rest, { limit: 20, offset, total: length, total_is_exact: true, has_more });
      }
    }
    const counted = counting(world.ctx);
    const filter = { limit: 20, offset: 1000 };
    const caller = { hostId, environment: 'production', actor: operator } as const;
    await bookings.list(counted.ctx, caller, filter, longReads.begin(hostId, new AbortController().signal));
    assert.equal(counted.statements(), 1000 / ROWS_PER_PART + 1);
  });

  test('are counted on the first page; a cursor from before that, without the total, counts again', async () => {
    const busy = await openDesk(world);
    const book = (start_hour: number) => busy.book({ start_hour, end_hour: start_hour + 1 });
    for (const hour of [1, 2, 3]) await book(hour);
    const page = async (cursor: string) =>
      (await world.call('GET', `${LIST}?limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, busy))
        .body.data.pagination;
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

  test('refuse a cursor that they have not given, that belongs to other filters, or that comes with an offset', async () => {
    const { cursor } = await list('?limit=1&status=confirmed');
    const cases: [query: string, detail: object][] = [
      ['?cursor=nonsense', { field: 'cursor', message: 'is not one that a page of this list has given' }],
      [`?cursor=${cursor}`, { field: 'cursor', message: 'belongs to a list with other filters' }],
      [
        `?status=confirmed&offset=0&cursor=${cursor}`,
        { field: 'offset', message: 'must not be given together with cursor' },
      ],
    ];
    for (const [query, detail] of cases) {
      const answer = await world.call('GET', LIST + query, { key: desk.key });
      assert.equal(answer.status, 422, query);
      assert.deepEqual(answer.body.error.details, [detail]);
    }
  });

  test('refuse bad filters by name', async () => {
    const cases: [query: string, field: string][] = [
      ['?space_id=x', 'space_id'],
      ['?status=open', 'status'],
      ['?from=2027-13-01', 'from'],
      ['?to=yesterday', 'to'],
      ['?from=2027-06-02&to=2027-06-01', 'from'],
      ['?limit=0', 'limit'],
      ['?limit=201', 'limit'],
      ['?offset=-1', 'offset'],
      ['?status=confirmed&status=cancelled', 'status'],
    ];
    for (const [query, field] of cases) {
      const answer = await world.call('GET', LIST + query, { key: desk.key });
      assert.equal(answer.status, 422, query);
      assert.deepEqual(
        answer.body.error.details.map((detail: { field: string }) => detail.field),
        [field],
      );
    }
  });
});
