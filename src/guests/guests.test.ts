import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { tablesOf } from '../../test/support/tables.ts';
import { useWorld } from '../../test/support/world.ts';
import * as payments from '../payments/payments.ts';
import * as guests from './guests.ts';
import { withoutWords, wordsOf } from './words.ts';

const quiet = (): void => undefined;
const PHONE = '+49 170 5550101';

test('the words of a guest are found next to punctuation, with any plus-tag and in any case', () => {
  const name = `Lovelace, Mary-Ann (Mamie) 'Mim' A.B. O’Hara`;
  const email = 'm.lovelace+spring@example.com';
  const words = wordsOf({ name, email, key: 'm.lovelace@example.com', phone: null });
  const traces = new Set<string>();
  const text =
    'Mrs Lovelace called, MAMIE is ill; Mary-Ann sorry; mim, A.B. o’hara; M.LOVELACE+X@example.com, ann';
  const left =
    'Mrs [erased] called, [erased] is ill; [erased] sorry; [erased], [erased] [erased]; [erased], ann';
  assert.equal(withoutWords(text, words, traces), left);
  assert.deepEqual(
    [...traces],
    ['Lovelace', 'MAMIE', 'Mary-Ann', 'A.B.', 'o’hara', 'M.LOVELACE+X@example.com'],
  );
});

onBothEngines('a guest', (engine) => {
  const world = useWorld(engine, { SECRET_KEY: 'a key for guests alone' });
  let serial = 0;
  let email: string;
  const name = 'Zuzana Quist';

  /** Somebody who has not booked before. */
  function newGuest(): { guest_email: string; guest_name: string; guest_phone: string } {
    email = `zuzana-${++serial}@example.com`;
    return { guest_email: `Zuzana-${serial}+spring@Example.com`, guest_name: name, guest_phone: PHONE };
  }
  const erase = () => guests.erase(world.ctx, operator, { email, hostId: undefined }, quiet);
  const trail = (hostId: string) =>
    world.rows<{ action: string; subject: string; actor_id: string; environment: string | null }>(
      "select action, subject, actor_id, environment from audit where host_id = $1 and action like 'guest.%' order by id",
      [hostId],
    );

  /** Whatever the database holds of the guest, over all tables. */
  async function traces(...words: string[]): Promise<string[]> {
    const found: string[] = [];
    for (const table of (await tablesOf(world)).keys()) {
      const text = JSON.stringify(await world.rows(`select * from ${table}`)).toLowerCase();
      for (const word of [`zuzana-${serial}`, email, ...words])
        if (text.includes(word.toLowerCase())) found.push(`${table}: ${word}`);
    }
    return found;
  }

  test('is erased everywhere: both environments, all hosts, both sources, every spelling of the address', async () => {
    const guest = newGuest();
    const desks = [await openDesk(world), await openDesk(world, {}, { environment: 'sandbox' })];
    for (const desk of desks) assert.equal((await desk.book(guest)).status, 200);
    const booking = await desks[0]!.enter({
      start_hour: 14,
      end_hour: 15,
      guest_email: email.toUpperCase(),
      guest_name: name,
      guest_phone: PHONE,
    });
    assert.equal((await desks[0]!.cancel(booking.id)).status, 200);
    const { traces: erased, address: _, ...counts } = await erase();
    assert.deepEqual(counts, { hosts: 2, bookings: 3, bookings_ahead: 2, events: 4 });
    assert.deepEqual(await traces(), []);
    assert.ok(erased.has(guest.guest_email) && erased.has(name) && erased.has(PHONE));
    const shown = await desks[0]!.read(booking.id);
    assert.deepEqual(
      [shown.guest_name, shown.guest_email, shown.guest_phone],
      ['Erased guest', 'erased@erased.invalid', null],
    );
    for (const event of await desks[0]!.events())
      if (event.type === 'booking.created') assert.equal(event.data.booking.guest_name, 'Erased guest');
  });

  test('goes from what people wrote, and from an idempotency key, in the events too', async () => {
    const desk = await openDesk(world);
    const guest = newGuest();
    const own = { reference: 'Oleander', notes: 'Oleander, "very"\nquiet', guest_count: 2 };
    const made = await desk.made({
      ...guest,
      ...own,
      settlement_mode: 'platform_settled',
      idempotency_key: `${email}/2027`,
    });
    await payments.confirm(world.ctx, operator, made.id, `wire 4711, zuzana quist, ${PHONE}`);
    await desk.cancel(made.id, `Zuzana wrote from ${guest.guest_email}: ill. Quistian terms apply`);
    const found = await guests.exportAll(world.ctx, operator, { email, hostId: undefined }, quiet);
    assert.equal(JSON.stringify(found).split('Oleander').length - 1, 2 * 4);
    const { traces: erased } = await erase();
    assert.deepEqual(await traces('Oleander', 'Zuzana', 'zuzana quist', PHONE), []);
    const row = await world.row<Record<string, unknown>>(
      'select cancellation_reason, payment_reference, idempotency_key, request_hash, guest_count from bookings where id = $1',
      [made.id],
    );
    assert.deepEqual(
      { ...row },
      {
        cancellation_reason: '[erased] wrote from [erased]: ill. Quistian terms apply',
        payment_reference: 'wire 4711, [erased], [erased]',
        idempotency_key: `erased-${made.id}`,
        request_hash: 'erased',
        guest_count: 2,
      },
    );
    for (const text of [own.reference, own.notes, JSON.stringify(own.notes).slice(1, -1), 'Zuzana', PHONE])
      assert.ok(erased.has(text), text);
  });

  test('is named in the trail by a keyed hash, once at each host; a second run finds and writes nothing', async () => {
    const desk = await openDesk(world);
    await desk.book(newGuest());
    await erase();
    const [entry, ...more] = await trail(desk.hostId);
    assert.deepEqual(more, []);
    assert.match(entry!.subject, /^[0-9a-f]{32}$/);
    assert.deepEqual(
      { ...entry! },
      { action: 'guest.erased', subject: entry!.subject, actor_id: 'tester', environment: null },
    );
    const { traces: none, address, ...counts } = await erase();
    assert.deepEqual(counts, { hosts: 0, bookings: 0, bookings_ahead: 0, events: 0 });
    assert.deepEqual([...none], [email]);
    assert.ok(address!.test(`Zuzana Quist${email.toUpperCase().replace('@', '+Summer@')}+49`));
    assert.ok(!address!.test(`x${email}`.replace('@', '-2@')));
    assert.equal((await trail(desk.hostId)).length, 1);
  });

  test('is counted once and has one entry at each host when two commands erase at once', async () => {
    const desks = [await openDesk(world), await openDesk(world)];
    const guest = newGuest();
    for (const desk of desks)
      for (let hour = 0; hour < 5; hour++)
        assert.equal((await desk.book({ ...guest, start_hour: hour, end_hour: hour + 1 })).status, 200);
    const [one, other] = await Promise.all([erase(), erase()]);
    for (const [what, count] of [
      ['bookings', 10],
      ['bookings_ahead', 10],
      ['events', 10],
    ] as const)
      assert.equal(one[what] + other[what], count, what);
    for (const desk of desks) assert.equal((await trail(desk.hostId)).length, 1);
    assert.deepEqual(await traces(), []);
  });

  test('is found again when a run broke off after the bookings and before their events', async () => {
    const desk = await openDesk(world);
    const { id } = await desk.made(newGuest());
    await world.write(
      "update bookings set guest_name = 'Erased guest', guest_email = 'erased@erased.invalid', guest_phone = null where id = $1",
      [id],
    );
    const { events, traces: found } = await erase();
    assert.equal(events, 1);
    assert.ok(found.has(name));
    assert.deepEqual(await traces(), []);
    assert.equal((await trail(desk.hostId)).length, 1);
  });

  test('who keeps booking and is cancelled meanwhile leaves nothing behind but what came after', async () => {
    const desk = await openDesk(world);
    const guest = newGuest();
    const ids = await Promise.all(
      Array.from(
        { length: 6 },
        async (_, i) => (await desk.made({ ...guest, start_hour: i, end_hour: i + 1 })).id,
      ),
    );
    await Promise.all([
      erase(),
      ...ids.map((id) => desk.cancel(id)),
      ...[6, 7, 8, 9].map((hour) => desk.book({ ...guest, start_hour: hour, end_hour: hour + 1 })),
    ]);
    // Bookings and events agree: a booking is erased with all its events, or stands with all of them.
    const rows = await world.rows<{ id: string; guest_email: string }>(
      'select id, guest_email from bookings where host_id = $1',
      [desk.hostId],
    );
    const emails = new Map(rows.map((row) => [row.id, row.guest_email]));
    for (const id of ids) assert.equal(emails.get(id), 'erased@erased.invalid');
    for (const event of await desk.events())
      if ('booking' in event.data)
        assert.equal(event.data.booking.guest_email, emails.get(event.data.booking.id));
    await erase();
    assert.deepEqual(await traces(), []);
  });

  test('who was erased is nobody that could be asked about', async () => {
    email = 'Erased+x@erased.invalid';
    await assert.rejects(() => erase(), /it is nobody’s address/);
  });

  test('gets everything that is known, and the trail tells that it was handed out', async () => {
    const desk = await openDesk(world, { name: 'Harbor Light' }, { title: 'Loft' });
    const guest = newGuest();
    const made = await desk.made({ ...guest, settlement_mode: 'platform_settled' });
    await payments.confirm(world.ctx, operator, made.id, 'wire 4711');
    await desk.book({ start_hour: 1, end_hour: 2 });
    const found = await guests.exportAll(world.ctx, operator, { email, hostId: undefined }, quiet);
    assert.deepEqual(found.guest, { email });
    assert.deepEqual(found.bookings, [
      {
        host: { id: desk.hostId, name: 'Harbor Light' },
        environment: 'production',
        space_title: 'Loft',
        ...(await desk.read(made.id)),
        payment_reference: 'wire 4711',
        refund_reference: null,
        payments: await payments.list(world.ctx.db, made.id),
      },
    ]);
    assert.equal(found.bookings[0]?.payments.length, 1);
    assert.deepEqual(
      found.events.map(({ type }) => type),
      ['booking.created', 'payment.confirmed'],
    );
    assert.equal((await trail(desk.hostId))[0]?.action, 'guest.exported');
    await erase();
    const nothing = await guests.exportAll(world.ctx, operator, { email, hostId: undefined }, quiet);
    assert.deepEqual([nothing.bookings, nothing.events], [[], []]);
    assert.equal((await trail(desk.hostId)).length, 2);
  });

  test('is found by a booking too, with all others of that address', async () => {
    const desk = await openDesk(world);
    const guest = newGuest();
    const { id } = await desk.made(guest);
    await desk.book({ ...guest, start_hour: 15, end_hour: 16 });
    const wanted = { bookingId: id, hostId: undefined };
    const found = await guests.exportAll(world.ctx, operator, wanted, quiet);
    assert.deepEqual([found.guest.email, found.bookings.length, found.events.length], [email, 2, 2]);
    assert.equal((await guests.count(world.ctx, wanted)).bookings, 2);
    assert.equal((await guests.erase(world.ctx, operator, wanted, quiet)).bookings, 2);
    assert.deepEqual(await traces(), []);
    // Nobody knows any more whose it was.
    const again = await guests.erase(world.ctx, operator, wanted, quiet);
    assert.deepEqual([again.bookings, again.events, [...again.traces], again.address], [0, 0, [], undefined]);
    await assert.rejects(
      guests.count(world.ctx, { bookingId: desk.spaceId, hostId: undefined }),
      /there is no booking/,
    );
  });

  test('who walked in without an address is found by the booking alone, and is nobody by the address', async () => {
    const desk = await openDesk(world);
    const other = await world.addSpace(desk.hostId);
    const walkIn = { walk_in: true, date: '2027-03-01', start_hour: 7, end_hour: 8, guest_email: undefined };
    const words = { guest_name: 'Zuzana Doorway', notes: 'Left an umbrella' };
    const one = await desk.made({ ...walkIn, ...words });
    const two = await desk.made({ ...walkIn, ...words, space_id: other });
    const nobody = { email: 'Walk-In@walk-in.invalid', hostId: undefined };
    const nothing = await guests.exportAll(world.ctx, operator, nobody, quiet);
    assert.deepEqual(
      [nothing.guest, nothing.bookings, nothing.events],
      [{ email: 'walk-in@walk-in.invalid' }, [], []],
    );
    const { traces: none, address, ...counts } = await guests.erase(world.ctx, operator, nobody, quiet);
    assert.deepEqual(counts, { hosts: 0, bookings: 0, bookings_ahead: 0, events: 0 });
    assert.deepEqual([[...none], address], [[], undefined]);
    assert.deepEqual(await trail(desk.hostId), []);

    const wanted = { bookingId: one.id, hostId: undefined };
    const found = await guests.exportAll(world.ctx, operator, wanted, quiet);
    assert.deepEqual([found.bookings.map(({ id }) => id), found.events.length], [[one.id], 1]);
    const elsewhere = { ...wanted, hostId: await world.addHost() };
    assert.equal((await guests.count(world.ctx, elsewhere)).bookings, 0);
    const [mine, theirs] = await Promise.all(
      [one.id, two.id].map((bookingId) =>
        guests.erase(world.ctx, operator, { bookingId, hostId: undefined }, quiet),
      ),
    );
    for (const { bookings, events, traces, address } of [mine!, theirs!]) {
      assert.deepEqual([bookings, events, address], [1, 1, undefined]);
      assert.ok(traces.has('Zuzana Doorway') && traces.has('Left an umbrella'));
      assert.ok(!traces.has('walk-in@walk-in.invalid'));
    }
    for (const { id } of [one, two]) {
      const { guest_name, guest_email, notes } = await desk.read(id);
      assert.deepEqual([guest_name, guest_email, notes], ['Erased guest', 'erased@erased.invalid', null]);
    }
    assert.doesNotMatch(JSON.stringify(await world.rows('select * from events')), /Doorway|umbrella/);
    const entries = (await trail(desk.hostId)).map(({ action, subject }) => `${action} ${subject}`);
    assert.deepEqual(
      entries.toSorted(),
      [`guest.erased ${one.id}`, `guest.erased ${two.id}`, `guest.exported ${one.id}`].toSorted(),
    );
  });
});
