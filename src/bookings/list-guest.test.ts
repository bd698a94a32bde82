import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { counting } from '../../test/support/counting.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { insertManyBookings } from '../../test/support/many-bookings.ts';
import { operator } from '../../test/support/operator.ts';
import { putBooking } from '../../test/support/put-booking.ts';
import { useWorld } from '../../test/support/world.ts';
import { longReads } from '../db/long-reads.ts';
import * as bookings from './bookings.ts';
import { ROWS_PER_PART } from './list.ts';
import { datesFrom } from '../time/dates.ts';

const LIST = '/api-bookings/api/v1/bookings';

onBothEngines('GET bookings with guest', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  before(async () => {
    desk = await openDesk(world);
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
    for (const [i, [guest_name, guest_email]] of guests.entries())
      await desk.book({ start_hour: 9 + i, end_hour: 10 + i, guest_name, guest_email });
  });
  const ask = async (query: string, key = desk.key) => {
    const answer = await world.call('GET', `${LIST}?${query}`, { key });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  const found = async (guest: string) =>
    (await ask(`guest=${encodeURIComponent(guest)}`)).bookings.map((booking) => booking.guest_name);

  test('finds letters of the name or the address, whatever their case and accents', async () => {
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
    for (const [guest, names] of cases) assert.deepEqual(await found(guest), names, guest);
  });

  test('looks from a year back onwards when no dates are given, and anywhere when they are', async () => {
    const other = await openDesk(world);
    const old = { host_id: other.hostId, space_id: other.spaceId, guest_name: 'Old Guest' };
    await putBooking(world, { ...old, date: '2026-02-28' });
    const edge = await putBooking(world, { ...old, date: '2026-03-01' });
    const future = await putBooking(world, { ...old, date: '2030-01-01' });
    const of = async (query: string) =>
      (await ask(`guest=old${query}`, other.key)).bookings.map(({ id }) => id);
    assert.deepEqual(await of(''), [edge, future]);
    assert.equal((await of('&to=9999-12-31')).length, 3);
    assert.equal((await of('&from=0001-01-01')).length, 3);
  });

  test('is refused when it is too short, too long, blank or nothing but marks', async () => {
    const cases = ['a', 'x'.repeat(101), '%20%20', '', '%CC%81%CC%81'];
    for (const guest of cases) {
      const answer = await world.call('GET', `${LIST}?guest=${guest}`, { key: desk.key });
      assert.equal(answer.status, 422, guest);
      assert.equal(answer.body.error.details[0].field, 'guest');
    }
    await ask(`guest=${'%F0%9F%8E%89'.repeat(100)}`);
  });

  test('goes through thousands in parts, so that nobody waits', async () => {
    const { hostId, spaceId } = await openDesk(world);
    const days = datesFrom('2027-03-01', 100)!;
    const many = { hostId, environment: 'production', days, perDay: 24, today: '2027-03-01' } as const;
    await insertManyBookings(world.ctx.db, many);
    const id = await putBooking(world, {
      host_id: hostId,
      space_id: spaceId,
      date: '2027-08-01',
      guest_name: 'Needle',
    });
    const counted = counting(world.ctx);
    const caller = { hostId, environment: 'production', actor: operator } as const;
    const page = await bookings.list(
      counted.ctx,
      caller,
      { guest: 'needle', limit: 50, offset: 0 },
      longReads.begin(hostId, new AbortController().signal),
    );
    assert.deepEqual(
      page.bookings.map((booking) => booking.id),
      [id],
    );
    assert.equal(counted.statements(), Math.ceil((2400 + 2) / ROWS_PER_PART));
  });
});
