import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

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
      ids[name] = (await desk.book(fields)).body.data.booking.id;
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
    const names = answer.body.data.bookings.map((booking: { id: string }) =>
      Object.keys(ids).find((name) => ids[name] === booking.id),
    );
    return { names, pagination: answer.body.data.pagination };
  };

  test('are all of the host’s, by date, start hour and id, cancelled ones too', async () => {
    assert.deepEqual(await list(''), {
      names: ['jun01 9', 'jun01 9 second', 'jun01 15', 'jun02 9 second', 'jun03 9'],
      pagination: { limit: 50, offset: 0, total: 5, has_more: false },
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
    assert.deepEqual(await list('?limit=2'), {
      names: ['jun01 9', 'jun01 9 second'],
      pagination: { limit: 2, offset: 0, total: 5, has_more: true },
    });
    assert.deepEqual(await list('?limit=2&offset=4'), {
      names: ['jun03 9'],
      pagination: { limit: 2, offset: 4, total: 5, has_more: false },
    });
    assert.deepEqual(await list('?offset=99'), {
      names: [],
      pagination: { limit: 50, offset: 99, total: 5, has_more: false },
    });
  });

  test('of a space that is not the caller’s are an empty list', async () => {
    const other = await openDesk(world);
    await other.book();
    assert.deepEqual(await list(`?space_id=${other.spaceId}`), {
      names: [],
      pagination: { limit: 50, offset: 0, total: 0, has_more: false },
    });
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

  test('a single one is read by its id, by its host only', async () => {
    const path = `/api-booking-detail/api/v1/bookings/${ids['jun03 9']}`;
    const answer = await world.call('GET', path, { key: desk.key });
    assert.equal(answer.status, 200);
    assert.equal(answer.body.data.booking.id, ids['jun03 9']);
    const other = await openDesk(world);
    const sandbox = await world.addKey(desk.hostId, { environment: 'sandbox' });
    for (const key of [other.key, sandbox.key]) {
      const missing = await world.call('GET', path, { key });
      assert.equal(missing.status, 404);
      assert.equal(missing.body.error.message, 'Not found: no such booking');
    }
    assert.equal(
      (await world.call('GET', '/api-booking-detail/api/v1/bookings/nonsense', { key: desk.key })).status,
      404,
    );
  });
});
