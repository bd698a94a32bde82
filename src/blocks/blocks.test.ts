import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

const DATE = '2027-03-18';
const range = (start_hour: number, end_hour: number) => ({ date: DATE, start_hour, end_hour });
const days = (date: string, end_date: string, start_hour = 9, end_hour = 11) => ({
  date,
  end_date,
  start_hour,
  end_hour,
});

onBothEngines('Blocks', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let key: string;
  let spaceId: string;

  beforeEach(async () => {
    desk = await openDesk(world);
    ({ key, spaceId } = desk);
  });

  const path = () => `/api-blocks/api/v1/spaces/${spaceId}/blocks`;
  const block = (body: object) => world.call('POST', path(), { key, body });
  const unblock = (body: object) => world.call('DELETE', path(), { key, body });
  const heldRows = () => world.rows('select hour from hours where space_id = $1', [spaceId]);
  const blockRows = () => world.rows('select id from blocks where space_id = $1', [spaceId]);

  test('a block’s row goes with its last hour, and no sooner', async () => {
    const reasonsKept = async () => {
      const text = 'select reason from blocks where space_id = $1 order by id';
      return (await world.rows<{ reason: string }>(text, [spaceId])).map(({ reason }) => reason);
    };
    await block({ ...range(9, 12), reason: 'Cleaning' });
    await block({ ...range(12, 14), reason: 'Repairs' });
    await unblock(range(11, 13));
    assert.deepEqual(await reasonsKept(), ['Cleaning', 'Repairs']);
    await unblock(range(13, 14));
    assert.deepEqual(await reasonsKept(), ['Cleaning']);
    await unblock(range(0, 24));
    assert.deepEqual(await reasonsKept(), []);
  });

  test('whole days have 24 hours each, where clocks change and at both ends of the calendar', async () => {
    for (const [first, last] of [
      ['2027-03-13', '2027-03-15'],
      ['2027-11-06', '2027-11-08'],
      ['9999-12-29', '9999-12-31'],
      ['0001-01-01', '0001-01-03'],
    ] as const) {
      const three = days(first, last, 0, 24);
      const blocked = (await block(three)).body.data.days.map((day) => day.blocked_hours.length);
      const freed = (await unblock(three)).body.data.days.map((day) => day.unblocked_hours.length);
      assert.deepEqual([...blocked, ...freed], Array(6).fill(24), first);
    }
  });

  test('a year of one space and a day: every hour, an event a date, and all days are named when they are held', async () => {
    const year = days('2027-03-18', '2028-03-18', 0, 24);
    const answer = await block(year);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.data.days.length, 367);
    assert.equal((await heldRows()).length, 8808);
    const told = (await desk.events()).map(({ data }) => 'date' in data && data.date);
    assert.deepEqual(
      told,
      answer.body.data.days.map(({ date }) => date),
    );
    const { details } = refused(await block(year), 409, 'BLOCK_SLOT_OCCUPIED');
    assert.equal(details.days.length, 367);
    assert.equal((await block({ ...year, skip_occupied: true })).body.data.days.length, 367);
    const freed = await unblock(year);
    assert.equal(freed.body.data.days.flatMap(({ unblocked_hours }) => unblocked_hours).length, 8808);
    assert.deepEqual([...(await heldRows()), ...(await blockRows())], []);
    assert.equal((await desk.events()).length, 2 * 367);
  });

  for (const method of ['POST', 'DELETE']) {
    const bad: [string, unknown, string][] = [
      ['an hour past midnight', range(23, 25), 'end_hour'],
      ['hour 24 as a start', range(24, 24), 'start_hour'],
      ['an empty range', range(5, 5), 'end_hour'],
      ['an impossible date', { ...range(1, 2), date: '2027-02-29' }, 'date'],
      ['a year that is none', { ...range(1, 2), date: '0000-05-01' }, 'date'],
      ['an end_date before its date', days(DATE, '2027-03-17'), 'end_date'],
      ['an end_date 367 days later', days(DATE, '2028-03-19'), 'end_date'],
      ['an end_date that is null', { ...range(1, 2), end_date: null }, 'end_date'],
      ['weekdays without end_date', { ...range(1, 2), weekdays: ['monday'] }, 'weekdays'],
      ['no weekday', { ...days(DATE, '2027-03-31'), weekdays: [] }, 'weekdays'],
      ['a weekday twice', { ...days(DATE, '2027-03-31'), weekdays: ['monday', 'monday'] }, 'weekdays'],
      ['a weekday that is none', { ...days(DATE, '2027-03-31'), weekdays: ['Monday'] }, 'weekdays.0'],
      ['weekdays that are null', { ...days(DATE, '2027-03-31'), weekdays: null }, 'weekdays'],
      ['weekdays of no day', { ...days(DATE, '2027-03-20'), weekdays: ['wednesday'] }, 'weekdays'],
      ['hours of many days that end before they start', days(DATE, '2027-03-20', 6, 5), 'end_hour'],
    ];
    const skip_occupied = true;
    if (method === 'DELETE')
      bad.push(['skip_occupied', { ...days(DATE, '2027-03-31'), skip_occupied }, 'skip_occupied']);
    else
      bad.push(
        ['skip_occupied without end_date', { ...range(1, 2), skip_occupied }, 'skip_occupied'],
        ['skip_occupied: false without end_date', { ...range(1, 2), skip_occupied: false }, 'skip_occupied'],
        ['a reason of 201 characters', { ...range(2, 3), reason: 'x'.repeat(201) }, 'reason'],
        ['skip_occupied: null', { ...days(DATE, '2027-03-31'), skip_occupied: null }, 'skip_occupied'],
      );
    test(`${method} names the first field that is wrong`, async () => {
      for (const [what, body, field] of bad) {
        const { details } = refused(await world.call(method, path(), { key, body }), 422, 'VALIDATION_ERROR');
        assert.equal(details[0].field, field, what);
      }
    });
  }
});
