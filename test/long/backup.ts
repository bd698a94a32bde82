import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { bookingBody, CREATE } from '../support/booking.ts';
import { NEXT_YEAR } from '../support/clock.ts';
import { typed, useServing } from '../support/command-line.ts';
import { openSpaceOf } from '../support/demo.ts';
import { onOneEngine, onPostgres } from '../support/engines.ts';
import { hourkeep, makeFolder, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { send } from '../support/world.ts';

const BOOKING = '/api-booking-detail/api/v1/bookings';

onOneEngine('backup of an SQLite file', (sqlite) => {
  const serving = useServing(sqlite);
  const elsewhere = makeFolder();
  const copy = join(elsewhere.path, 'backup.db');
  after(() => elsewhere.remove());

  test('restored into a fresh folder serves every booking that was acknowledged before the command began', async () => {
    const made: string[] = [];
    let busy = true;
    const writers = Array.from({ length: 8 }, (_, room) => keepBooking(room, made, () => busy));
    await until(() => made.length >= 200);
    const before = [...made];
    const ended = await hourkeep(['backup', copy, '--json'], serving.settings);
    const during = made.length - before.length;
    busy = false;
    await Promise.all(writers);

    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    const told = JSON.parse(ended.stdout);
    assert.deepEqual(Object.keys(told), ['file', 'bytes', 'last_audit']);
    assert.deepEqual([told.file, told.bytes], [copy, statSync(copy).size]);
    assert.equal(told.last_audit.action, 'booking.created');
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(elsewhere.path), ['backup.db']);
    assert.ok(during > 0, 'bookings went on meanwhile');

    const fresh = makeFolder();
    copyFileSync(copy, join(fresh.path, 'hourkeep.db'));
    copyFileSync(join(serving.folder.path, 'secret.key'), join(fresh.path, 'secret.key'));
    const restored = await startProcess('serve', { DATA_DIR: fresh.path, RATE_LIMIT_PRODUCTION: '0' });
    const { production: key } = serving.demo.keys;
    const missing: string[] = [];
    for (const id of [...before, told.last_audit.subject])
      if ((await send(restored.url, 'GET', `${BOOKING}/${id}`, { key })).status !== 200) missing.push(id);
    await restored.end();
    fresh.remove();
    assert.deepEqual(missing, []);
  });

  /** One booking after the other, each an hour of its own. */
  async function keepBooking(room: number, made: string[], busy: () => boolean): Promise<void> {
    const id = openSpaceOf(serving.demo);
    for (let n = 0; busy(); n++) {
      const date = new Date(Date.UTC(NEXT_YEAR, room, 1) + Math.floor(n / 24) * 86_400_000)
        .toISOString()
        .slice(0, 10);
      const hour = n % 24;
      const guest_email = `guest-${room}-${n}@example.com`;
      const body = bookingBody(id, { date, start_hour: hour, end_hour: hour + 1, guest_email });
      const answer = await serving.call('POST', CREATE, { body });
      if (answer.status === 200) made.push(answer.body.data.booking.id);
    }
  }

  test('leaves nothing behind when the database is not sound', async (t) => {
    const broken = useFolder(t);
    const bytes = readFileSync(copy);
    // Whole pages in the middle of the file are gone.
    bytes.fill(0, bytes.length - 4096 * 30, bytes.length - 4096 * 10);
    writeFileSync(join(broken, 'hourkeep.db'), bytes);
    const ended = await typed(['backup', join(broken, 'copy.db')], { DATA_DIR: broken });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /^hourkeep: the (copy is not sound|database cannot be copied).*\n$/);
    assert.deepEqual(readdirSync(broken), ['hourkeep.db']);
  });

  test('refuses a folder without a database, and one that cannot be written to', async (t) => {
    const empty = useFolder(t);
    const none = await typed(['backup', join(empty, 'x.db')], { DATA_DIR: empty });
    assert.equal(none.code, 1);
    assert.match(none.stderr, /^hourkeep: there is no database at /);
    const nowhere = await typed(['backup', join(empty, 'no/such/x.db')], serving.settings);
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.stderr, /^hourkeep: cannot write /);
    assert.deepEqual(readdirSync(empty), []);
  });
});

function useFolder(t: TestContext): string {
  const folder = makeFolder();
  t.after(() => folder.remove());
  return folder.path;
}

onPostgres('backup of a PostgreSQL database', () => {
  test('names pg_dump and the database, without the password, and exits with 1', async () => {
    const url = 'postgres://hourkeep:geheim@db.example.com:5432/bookings?sslmode=require';
    const ended = await typed(['backup', '/tmp/x.dump'], { DATABASE_URL: url });
    assert.equal(ended.code, 1);
    assert.equal(
      ended.stderr,
      'hourkeep: this database is PostgreSQL’s; use its own tool: pg_dump --format=custom --file=/tmp/x.dump postgres://hourkeep@db.example.com:5432/bookings\n',
    );
  });
});
