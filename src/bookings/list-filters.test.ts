import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import * as forOperator from './for-operators.ts';
import type { Booking } from './schemas.ts';

const LIST = '/api-bookings/api/v1/bookings';
const EVER = 'updated_since=1970-01-01T00:00:00Z';
const ALLOWED = 'must be one of confirmed, cancelled, completed, or several separated by commas';

onBothEngines('a list of bookings', (engine) => {
  const world = useWorld(engine, { GUEST_VELOCITY_MAX: '1000' });
  let desk: Desk;
  let other: string;
  /** The status of each booking by its id, in the order of lists. */
  let all: [id: string, status: string, space: string][];
  before(async () => {
    world.clock.set('2027-03-01T12:00:00Z');
    desk = await openDesk(world);
    other = await world.addSpace(desk.hostId);
    const { made: book } = desk;
    for (const date of ['2027-06-02', '2027-06-01'])
      for (const space_id of [desk.spaceId, other])
        for (const start_hour of [9, 12, 15]) {
          const { id } = await book({
            date,
            space_id,
            start_hour,
            end_hour: start_hour + 1,
            reference: 'PMS-1',
          });
          if (start_hour === 12) assert.equal((await desk.cancel(id)).status, 200);
          if (start_hour === 15)
            await world.write(`update bookings set status = 'completed' where id = $1`, [id]);
        }
    await book({ date: '2027-06-01', start_hour: 20, end_hour: 21, reference: 'pms-1' });
    await book({ date: '2027-06-01', start_hour: 21, end_hour: 22 });
    const rows = await world.rows<{ id: string; status: string; space_id: string }>(
      `select id, status, space_id from bookings where host_id = $1 and reference = 'PMS-1' order by date, start_hour, id`,
      [desk.hostId],
    );
    all = rows.map(({ id, status, space_id }) => [id, status, space_id]);
    assert.equal(all.length, 12);
  });

  const read = async (query: string) => {
    const answer = await world.call('GET', `${LIST}?${query}`, { key: desk.key });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  /** Every id of a list, two a page, each page with the same total. */
  const walk = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    const totals = new Set<number>();
    for (let cursor: string | null = ''; cursor !== null;) {
      const { bookings, pagination } = await read(`limit=2&${query}${cursor && `&cursor=${cursor}`}`);
      ids.push(...bookings.map(({ id }: Booking) => id));
      totals.add(pagination.total);
      cursor = pagination.next_cursor;
    }
    assert.deepEqual([...totals], [ids.length], query);
    return ids;
  };
  const problems = async (query: string): Promise<unknown> => {
    const answer = await world.call('GET', `${LIST}?${query}`, { key: desk.key });
    assert.equal(answer.status, 422, `${query} ${answer.text}`);
    return answer.body.error.details;
  };
  const ofStatus = (list: string, space?: string): string[] =>
    all
      .filter(([, status, of]) => list.split(',').includes(status) && (space ?? of) === of)
      .map(([id]) => id);

  const LISTS =
    'confirmed cancelled completed confirmed,completed completed,confirmed cancelled,confirmed cancelled,completed'
      .split(' ')
      .concat('cancelled,completed,confirmed');

  test('has those of one status or several, in any order, whatever it is filtered by beside', async () => {
    for (const list of LISTS) {
      const status = `status=${list}`;
      const inPages = (await walk(`${status}&to=2027-06-02`)).filter((id) =>
        all.some(([known]) => known === id),
      );
      assert.deepEqual(inPages, ofStatus(list), list);
      assert.deepEqual(await walk(`${status}&space_id=${other}`), ofStatus(list, other), list);
      assert.deepEqual(await walk(`${status}&reference=PMS-1`), ofStatus(list), list);
      assert.deepEqual(
        await walk(`${status}&reference=PMS-1&space_id=${other}`),
        ofStatus(list, other),
        list,
      );
      const found = await walk(`${status}&guest=ada&space_id=${other}`);
      assert.deepEqual(found, ofStatus(list, other), list);
      const changed = await walk(`${status}&${EVER}&space_id=${other}`);
      assert.deepEqual(changed.toSorted(), ofStatus(list, other).toSorted(), list);
    }
  });

  test('rejects a status that there is not, one that is named twice, and a parameter that is given twice', async () => {
    for (const status of [
      'open',
      'confirmed,',
      ',confirmed',
      '',
      'confirmed, completed',
      'Confirmed',
      'confirmed;completed',
    ])
      assert.deepEqual(await problems(`status=${status}`), [{ field: 'status', message: ALLOWED }], status);
    for (const status of ['confirmed,confirmed', 'completed,confirmed,completed'])
      assert.deepEqual(await problems(`status=${status}`), [
        { field: 'status', message: 'must not name anything twice' },
      ]);
    for (const query of ['status=confirmed&status=completed', 'status=confirmed&status=confirmed'])
      assert.deepEqual(await problems(query), [
        { field: 'status', message: 'is given twice; separate several with commas' },
      ]);
    assert.deepEqual(await problems('reference=a&reference=b'), [
      { field: 'reference', message: 'must be a string' },
    ]);
  });

  test('finds bookings by their reference to the letter, whatever their date and status', async () => {
    assert.deepEqual(await walk('reference=PMS-1'), ofStatus(LISTS.at(-1)!));
    assert.equal((await walk('reference=pms-1')).length, 1);
    for (const none of ['PMS', 'PMS-1%20', 'PMS-%25', 'null'])
      assert.deepEqual(await walk(`reference=${none}`), []);
    const stranger = await openDesk(world);
    await stranger.book({ reference: 'PMS-1' });
    assert.equal((await walk('reference=PMS-1')).length, 12);
    assert.deepEqual(await walk(`reference=PMS-1&space_id=${stranger.spaceId}`), []);
  });

  test('finds a moved booking and the one that it replaces by one reference', async () => {
    const moved = await openDesk(world);
    const reference = '№ 42/ü+&';
    const old = await moved.made({ reference });
    const place = { date: '2027-06-01', startHour: 16, endHour: 18 };
    const { id } = await forOperator.move(world.ctx, operator, old.id, place);
    const query = `${LIST}?reference=${encodeURIComponent(reference)}`;
    const { bookings } = (await world.call('GET', query, { key: moved.key })).body.data;
    assert.deepEqual(
      bookings.map((booking: Booking) => [booking.id, booking.status]),
      [
        [old.id, 'cancelled'],
        [id, 'confirmed'],
      ],
    );
  });

  test('by reference goes with space, status, limit and cursor alone', async () => {
    const message = 'must not be given together with reference';
    for (const [name, value] of Object.entries({
      from: '2027-06-01',
      to: '2027-06-01',
      guest: 'ada',
      updated_since: '1970-01-01T00:00:00Z',
      offset: '0',
    }))
      assert.deepEqual(await problems(`reference=PMS-1&${name}=${value}`), [{ field: name, message }]);
    for (const [reference, problem] of [
      ['', 'must not be empty'],
      ['a'.repeat(201), 'must have at most 200 characters'],
      ['%0a', 'must not be blank or contain control characters'],
    ])
      assert.deepEqual(await problems(`reference=${reference}`), [{ field: 'reference', message: problem }]);
    assert.deepEqual(await walk(`reference=${encodeURIComponent('😀'.repeat(200))}`), []);
  });
});
