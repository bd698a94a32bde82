import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import * as guests from '../guests/guests.ts';
import { COLUMNS, columnsWith } from './fields.ts';

onBothEngines('the columns of a booking', (engine) => {
  const world = useWorld(engine, { SECRET_KEY: 'a key for fields alone' });

  // A text that people write must be declared as one, or an erasure would pass over it.
  test('hold nothing of a guest where the text is an id, a date, a zone, a currency or one of our own words', async () => {
    const texts = await world.rows<{ name: string }>(
      engine.name === 'sqlite'
        ? `select name from pragma_table_info('bookings') where lower(type) like '%text%' or lower(type) like '%char%'`
        : `select column_name as name from information_schema.columns
           where table_name = 'bookings' and data_type in ('text', 'character', 'character varying')`,
    );
    const nothing: string[] = columnsWith('nothing');
    const ours = [
      'environment',
      'status',
      'source',
      'timezone',
      'currency',
      'settlement_mode',
      'payment_status',
      'as_closed',
    ];
    const ids = ['host_id', 'id', 'space_id', 'date', 'replaces', 'replaced_by'];
    assert.deepEqual(
      texts
        .map(({ name }) => name)
        .filter((name) => nothing.includes(name) && !ids.includes(name))
        .toSorted(),
      ours.toSorted(),
    );
  });

  test('have their names in the record, by which an erasure finds them in events', async () => {
    const { booking } = (await (await openDesk(world)).book()).body.data;
    const names: string[] = COLUMNS;
    assert.deepEqual(
      Object.keys(booking).filter((name) => !names.includes(name)),
      ['hours', 'payment_due_at'],
    );
  });

  for (const column of columnsWith('words', 'chosen key', 'own words'))
    test(`are exported, and lose the guest’s name in ${column} when the guest is erased`, async () => {
      const desk = await openDesk(world);
      const email = `${column}@example.com`;
      const answer = await desk.book({
        guest_email: email,
        guest_name: 'Zephyrine',
        idempotency_key: `k-${column}`,
      });
      const { id } = answer.body.data.booking;
      await world.write(`update bookings set ${column} = 'for Zephyrine' where id = $1`, [id]);
      const wanted = { email, hostId: undefined };
      const exported = await guests.exportAll(world.ctx, operator, wanted, () => undefined);
      assert.match(JSON.stringify(exported.bookings), /"for Zephyrine"/);
      await guests.erase(world.ctx, operator, wanted, () => undefined);
      const row = await world.row('select * from bookings where id = $1', [id]);
      assert.doesNotMatch(JSON.stringify(row), /Zephyrine/);
    });
});
