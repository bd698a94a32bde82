import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import * as guests from '../guests/guests.ts';
import * as payments from '../payments/payments.ts';
import { toTimestamp } from '../time/clock.ts';
import * as bookings from './bookings.ts';

const LIST = '/api-bookings/api/v1/bookings';
const EVER = '1970-01-01T00:00:00Z';

onBothEngines('GET bookings with updated_since', (engine) => {
  const world = useWorld(engine, { SECRET_KEY: 'a key for changes alone' });
  const ask = async (desk: Pick<Desk, 'key'>, query: string) => {
    const answer = await world.call('GET', `${LIST}?${query}`, { key: desk.key });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  const changed = async (desk: Desk, since: string) => {
    const { bookings: found } = await ask(desk, `updated_since=${since}`);
    return found.map(({ id }) => id);
  };
  const soon = () => world.clock.advance({ seconds: 1 });
  const now = () => toTimestamp(world.clock.now());
  const book = async (desk: Desk, start_hour: number, fields = {}): Promise<string> => {
    soon();
    return (await desk.made({ start_hour, end_hour: start_hour + 1, ...fields })).id;
  };

  test('has what has changed since then, inclusive, by the time of the change and id', async () => {
    const desk = await openDesk(world);
    const [first, second, third] = [await book(desk, 9), await book(desk, 8), await book(desk, 7)];
    assert.deepEqual(await changed(desk, EVER), [first, second, third]);
    soon();
    await desk.cancel(first);
    assert.deepEqual(await changed(desk, EVER), [second, third, first]);
    const at = (await desk.read(third)).updated_at;
    assert.deepEqual(await changed(desk, at), [third, first]);
    soon();
    assert.deepEqual(await changed(desk, now()), []);
  });

  test('says what to ask with next, a few seconds before now, on every such answer and no other', async () => {
    const desk = await openDesk(world);
    const { pagination } = await ask(desk, `updated_since=${EVER}`);
    const behind = world.clock.now() - Date.parse(pagination.synced_to!);
    assert.ok(behind >= 5000 && behind <= 30_000, `${behind} ms`);
    assert.equal(pagination.synced_to, toTimestamp(Date.parse(pagination.synced_to!)));
    const { synced_to: _, ...rest } = pagination;
    assert.deepEqual(rest, {
      limit: 50,
      offset: 0,
      total: 0,
      total_is_exact: true,
      has_more: false,
      next_cursor: null,
    });
    assert.ok(!('synced_to' in (await ask(desk, '')).pagination));
  });

  test('shows a walk by cursor every booking once, with one synced_to and one total', async () => {
    const desk = await openDesk(world);
    const ids: string[] = [];
    for (const hour of [15, 11, 14, 12, 13]) ids.push(await book(desk, hour));
    const seen: string[] = [];
    const marks = new Set<string>();
    for (let cursor: string | null = ''; cursor !== null;) {
      soon();
      const page = await ask(desk, `updated_since=${EVER}&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.bookings.map(({ id }) => id));
      marks.add(page.pagination.synced_to!);
      assert.equal(page.pagination.total, 5);
      cursor = page.pagination.next_cursor;
    }
    assert.deepEqual(seen, ids);
    assert.equal(marks.size, 1);
  });

  test('gives a change no earlier time than the one before, though the clock that made it is behind', async () => {
    const desk = await openDesk(world);
    const id = await book(desk, 9);
    const made = (await desk.read(id)).updated_at;
    world.clock.advance({ seconds: -4 });
    await desk.cancel(id);
    const { status, updated_at, cancelled_at } = await desk.read(id);
    assert.deepEqual([status, updated_at], ['cancelled', made]);
    assert.notEqual(cancelled_at, made);
    world.clock.advance({ seconds: 4 });
  });

  test('shows a booking that changes during the walk again, at its end', async () => {
    const desk = await openDesk(world);
    const [first, second, third] = [await book(desk, 9), await book(desk, 8), await book(desk, 7)];
    const page = await ask(desk, `updated_since=${EVER}&limit=2`);
    assert.deepEqual(
      page.bookings.map(({ id }) => id),
      [first, second],
    );
    soon();
    await desk.cancel(first);
    const rest = await ask(desk, `updated_since=${EVER}&limit=2&cursor=${page.pagination.next_cursor}`);
    assert.deepEqual(
      rest.bookings.map(({ id, status }) => [id, status]),
      [
        [third, 'confirmed'],
        [first, 'cancelled'],
      ],
    );
  });

  test('counts every change of a record: made, cancelled, completed, paid, refunded, guest erased', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world);
    const id = await book(desk, 9, { settlement_mode: 'platform_settled', guest_email: 'eve@example.com' });
    const short = await book(desk, 11);
    const moves: [what: string, id: string, change: () => Promise<unknown>][] = [
      ['paid', id, () => payments.confirm(world.ctx, operator, id, null)],
      ['cancelled', id, () => desk.cancel(id)],
      ['refunded', id, () => payments.refund(world.ctx, operator, id, null)],
      [
        'guest erased',
        id,
        () => guests.erase(world.ctx, operator, { email: 'eve@example.com', hostId: desk.hostId }, () => {}),
      ],
      [
        'completed',
        short,
        () => {
          world.clock.set('2027-06-02T12:00:00Z');
          return bookings.completeDue(world.ctx);
        },
      ],
    ];
    for (const [what, which, change] of moves) {
      soon();
      const since = now();
      await change();
      assert.deepEqual(await changed(desk, since), [which], what);
    }
  });

  test('is refused with from, to, guest or offset, and without a zone', async () => {
    const desk = await openDesk(world);
    const cases: [query: string, field: string][] = [
      [`updated_since=${EVER}&from=2027-01-01`, 'from'],
      [`updated_since=${EVER}&to=2027-01-01`, 'to'],
      [`updated_since=${EVER}&guest=ada`, 'guest'],
      [`updated_since=${EVER}&offset=0`, 'offset'],
      ['updated_since=2027-01-01', 'updated_since'],
      ['updated_since=2027-01-01T00:00:00', 'updated_since'],
      ['updated_since=2027-02-30T00:00:00Z', 'updated_since'],
      ['updated_since=2027-01-01T00:00:00+02:00', 'updated_since'],
      ['updated_since=yesterday', 'updated_since'],
      [`updated_since=${EVER}&updated_since=${EVER}`, 'updated_since'],
      [`updated_since=${EVER}&cursor=nonsense`, 'cursor'],
    ];
    for (const [query, field] of cases) {
      const answer = await world.call('GET', `${LIST}?${query}`, { key: desk.key });
      assert.equal(answer.status, 422, query);
      assert.deepEqual(
        answer.body.error.details.map((detail: { field: string }) => detail.field),
        [field],
      );
    }
  });
});
