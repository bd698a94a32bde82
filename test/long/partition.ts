import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import type { DemoFile } from '../../src/demo/demo.ts';
import { onPostgres } from '../support/engines.ts';
import { makeFolder, startProcess } from '../support/process.ts';
import { send } from '../support/world.ts';

const SCRIPT = join(import.meta.dirname, '../../deploy/postgres/partition.sql');

onPostgres('deploy/postgres/partition.sql', (engine) => {
  test('splits a database that is in use, and the service goes on as before', async () => {
    const database = await engine.createDatabase();
    const folder = makeFolder();
    const settings = { DATA_DIR: folder.path, DATABASE_URL: database.url };
    const seeded = await startProcess('serve', settings);
    await seeded.end();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const held = async (): Promise<unknown> =>
      (await client.query('select count(*) as hours, count(booking_id) as booked from hours')).rows[0];
    const before = await held();
    await client.query(`begin; ${readFileSync(SCRIPT, 'utf8')}; commit`);
    assert.deepEqual(await held(), before);

    const service = await startProcess('serve', settings);
    const { keys, spaces } = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')) as DemoFile;
    const body = {
      space_id: spaces[0]!.id,
      date: new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10),
      start_hour: 10,
      end_hour: 12,
      guest_email: 'ada@example.com',
      guest_name: 'Ada Miller',
    };
    const book = (idempotencyKey: string) =>
      send(service.url, 'POST', '/api-create-booking/api/v1/bookings', {
        key: keys.production,
        body: { ...body, idempotency_key: idempotencyKey },
      });
    const [first, ...twins] = await Promise.all([book('once'), book('once'), book('once')]);
    const { id } = first.body.data.booking;
    for (const twin of twins) assert.equal(twin.body.data.booking.id, id);
    assert.equal((await book('again')).body.error.code, 'BOOKING_CONFLICT');
    const stored = await client.query('select tableoid::regclass as part from bookings where id = $1', [id]);
    assert.match(String(stored.rows[0].part), /^bookings_\d+$/);
    await client.end();
    await service.end();
    await database.drop();
    folder.remove();
  });
});
