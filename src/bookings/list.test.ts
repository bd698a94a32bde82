import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { counting } from '../../test/support/counting.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { insertManyBookings } from '../../test/support/many-bookings.ts';
import { operator } from '../../test/support/operator.ts';
import { putBooking } from '../../test/support/put-booking.ts';
import { useWorld } from '../../test/support/world.ts';
import { longReads } from '../db/long-reads.ts';
import { datesFrom } from '../time/dates.ts';
import { isGuest } from './guest.ts';
import { list, ROWS_PER_PART } from './list.ts';
import type { BookingFilter } from './schemas.ts';

const LIST = '/api-bookings/api/v1/bookings';
const EVER = 'updated_since=1970-01-01T00:00:00Z';

test('a guest is found by letters of the name or the address, whatever their case and accents', () => {
  const guests: [name: string, email: string][] = [
    ['José Núñez', 'pepe@example.com'],
    ['ADA MILLER', 'Ada.Miller@Example.com'],
    ['Zoë Łukasz', 'z.l@example.com'],
    ['Søren Groß', 'soren@example.com'],
    ['100%_Sure', 'sure@example.com'],
    ['ﬁona ＷＩＤＥ', 'fiona@example.com'],
    ['Ngọc Ánh', 'anh@example.com'],
    ['İpek', 'ipek@example.com'],
  ];
  const cases: [guest: string, names: string[]][] = [
    ['nunez', ['José Núñez']],
    ['JOSE', ['José Núñez']],
    ['José', ['José Núñez']],
    ['josé n', ['José Núñez']],
    ['miller', ['ADA MILLER']],
    ['ada.miller@', ['ADA MILLER']],
    ['pepe@EXAMPLE', ['José Núñez']],
    ['zoe', ['Zoë Łukasz']],
    ['ngoc anh', ['Ngọc Ánh']],
    ['fiona wide', ['ﬁona ＷＩＤＥ']],
    ['ipek', ['İpek']],
    ['nobody', []],
    // Letters that have no accent stay as they are.
    ['søren', ['Søren Groß']],
    ['soren groß', []],
    ['lukasz', []],
    ['ŁUKASZ', ['Zoë Łukasz']],
    ['gross', []],
  ];
  for (const [letters, names] of cases) {
    const isWanted = isGuest(letters);
    const found = guests.filter(([guest_name, guest_email]) => isWanted({ guest_name, guest_email }));
    assert.deepEqual(
      found.map(([name]) => name),
      names,
      letters,
    );
  }
});

onBothEngines('GET bookings', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  before(async () => {
    desk = await openDesk(world);
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
  /** A page as a host's caller gets it, and how many statements it took. */
  const counted = async (hostId: string, filter: Partial<BookingFilter>) => {
    const { ctx, statements } = counting(world.ctx);
    const caller = { hostId, environment: 'production', actor: operator } as const;
    const longRead = longReads.begin(hostId, new AbortController().signal);
    const page = await list(ctx, caller, { limit: 20, offset: 0, ...filter }, longRead);
    return { ids: page.bookings.map(({ id }) => id), statements: statements() };
  };
  /** A host with 24 bookings a day, on so many days. */
  const manyBookings = async (first: string, count: number, today: string) => {
    const hostId = await world.addHost();
    const spaceId = await world.addSpace(hostId);
    const days = datesFrom(first, count)!;
    await insertManyBookings(world.ctx.db, { hostId, environment: 'production', days, perDay: 24, today });
    return { hostId, spaceId, ...(await world.addKey(hostId)) };
  };

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
    const { statements } = await counted(many.hostId, { offset: 1000 });
    assert.equal(statements, 1000 / ROWS_PER_PART + 1);
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

  test('of a guest are searched for in parts, so that nobody waits', async () => {
    const { hostId, spaceId } = await manyBookings('2027-03-01', 100, '2027-03-01');
    const needle = { host_id: hostId, space_id: spaceId, guest_name: 'Needle' };
    const id = await putBooking(world, { ...needle, date: '2027-08-01' });
    const { ids, statements } = await counted(hostId, { guest: 'needle' });
    assert.deepEqual(ids, [id]);
    assert.equal(statements, Math.ceil((2400 + 1) / ROWS_PER_PART));
  });

  test('of changes say what to ask with next, a few seconds before now; other lists do not', async () => {
    const { synced_to = '' } = (await read(EVER)).pagination;
    const behind = world.clock.now() - Date.parse(synced_to);
    assert.ok(behind >= 5000 && behind <= 30_000, `${behind} ms`);
    assert.ok(!('synced_to' in (await read('')).pagination));
  });

  test('name each filter that is wrong', async () => {
    const statuses = 'must be one of confirmed, cancelled, completed, or several separated by commas';
    const cursor = 'is not one that a page of this list has given';
    const cases: [query: string, field: string, message?: string][] = [
      ['space_id=x', 'space_id'],
      ['status=completed,confirmed,completed', 'status', 'must not name anything twice'],
      ['status=confirmed&status=completed', 'status', 'must be a string'],
      ['from=2027-13-01', 'from'],
      ['to=yesterday', 'to'],
      ['from=2027-06-02&to=2027-06-01', 'from', 'must not be after to'],
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['offset=-1', 'offset'],
      ['cursor=nonsense', 'cursor', cursor],
      [`${EVER}&cursor=nonsense`, 'cursor', cursor],
      ['offset=0&cursor=nonsense', 'offset', 'must not be given together with cursor'],
      ['reference=a&reference=b', 'reference', 'must be a string'],
      [`reference=a&${EVER}`, 'updated_since', 'must not be given together with reference'],
      [`${EVER}&${EVER}`, 'updated_since'],
      ['guest=%CC%81%CC%81', 'guest', 'must have more than combining marks'],
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
      const answer = await world.call('GET', `${LIST}?${query}`, { key: desk.key });
      const [problem, ...others] = refused(answer, 422, 'VALIDATION_ERROR').details;
      assert.deepEqual([problem.field, others], [field, []], query);
      assert.equal(problem.message, message ?? problem.message, query);
    }
  });
});
