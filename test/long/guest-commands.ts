import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import { bookingBody, CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { useServing } from '../support/command-line.ts';
import { openSpaceOf } from '../support/demo.ts';
import { onBothEngines } from '../support/engines.ts';
import { answeredAtTerminal } from '../support/process.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { NOBODY } from '../support/world.ts';

const NAME = 'Zuzana Quist';
const PHONE = '+49 170 5550101';
const NOTES = 'Brings an oleander. '.repeat(100);

onBothEngines('guest export and guest erase, while the service runs', (engine) => {
  const serving = useServing(engine);
  const { run } = serving;
  let hour = 0;
  before(async () => {
    // Events are written for those who want them; nobody listens there.
    const body = { url: NOBODY, events: ['booking.created'] };
    assert.equal((await serving.call('POST', WEBHOOKS, { body })).status, 201);
  });

  async function book(email: string): Promise<string> {
    const guest = {
      guest_email: email,
      guest_name: NAME,
      guest_phone: PHONE,
      notes: NOTES,
      date: nextJune(3),
    };
    const body = bookingBody(openSpaceOf(serving.demo), { ...guest, start_hour: hour++, end_hour: hour });
    const answer = await serving.call('POST', CREATE, { body });
    assert.equal(answer.status, 200);
    return answer.body.data.booking.id;
  }

  /** What stands in the files of the database, byte by byte. */
  function filesHold(text: string): boolean {
    const file = serving.database.url.replace('sqlite:', '');
    return [file, `${file}-wal`].some((name) => existsSync(name) && readFileSync(name).includes(text));
  }

  test('an erasure is refused with 1 where nobody can be asked, and tells what it would do with --dry-run', async () => {
    await book('zuzana@example.com');
    const refused = await run('guest', 'erase', '--email', 'zuzana@example.com');
    assert.equal(refused.code, 1);
    assert.equal(
      refused.stderr,
      'hourkeep: erasing cannot be undone: add --yes, or look first with --dry-run\n',
    );
    const dry = await run('guest', 'erase', '--email', 'zuzana@example.com', '--dry-run');
    assert.equal(dry.code, 0);
    assert.match(dry.stdout, /^Would erase the guest from 1 booking and 1 event at 1 host\.\n/);
  });

  test('erase leaves the guest nowhere: not in an export, the log, or the files of the database', async () => {
    const ended = await run('guest', 'erase', '--email', 'zuzana@example.com', '--yes', '--json');
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    const { warnings, ...counts } = JSON.parse(ended.stdout);
    assert.deepEqual(counts, {
      hosts: 1,
      bookings: 1,
      bookings_ahead: 1,
      events: 1,
      dry_run: false,
      file_wiped: engine.name === 'sqlite' ? true : null,
    });
    assert.match(warnings.join('\n'), /^1 booking still ahead: .*\nbackups made before still hold the guest/);
    for (const text of ['zuzana@example.com', NAME, PHONE, 'oleander']) {
      assert.equal(engine.name === 'sqlite' && filesHold(text), false, text);
      assert.equal(serving.service.output.stdout.includes(text), false, text);
    }
    const again = await run('guest', 'erase', '--email', 'zuzana@example.com', '--yes');
    assert.deepEqual([again.code, again.stdout], [0, 'Nothing is known about this guest.\n']);
  });

  test('a guest is named by a booking too', async () => {
    const booking = ['--booking', await book('zuzana@example.com')];
    const dry = await run('guest', 'erase', ...booking, '--dry-run');
    assert.match(dry.stdout, /^Would erase the guest from 1 booking and 1 event at 1 host\.\n/);
    const { guest } = JSON.parse((await run('guest', 'export', ...booking)).stdout);
    assert.deepEqual(guest, { email: 'zuzana@example.com' });
    assert.match(
      (await run('guest', 'erase', ...booking, '--yes')).stdout,
      /^Erased the guest from 1 booking/,
    );
  });

  if (engine.name === 'sqlite')
    test('erase exits with 1 while a reader keeps the log from being emptied, and a second run mends it', async () => {
      const erase = ['guest', 'erase', '--email', 'zuzana@example.com', '--yes', '--json'];
      await book('Zuzana+late@example.com');
      const reader = new DatabaseSync(serving.database.url.replace('sqlite:', ''));
      reader.exec('begin; select count(*) from bookings');
      const ended = await run(...erase);
      reader.close();
      const line = 'hourkeep: the database’s files may still hold the guest; run this command again\n';
      assert.deepEqual([ended.code, ended.stderr], [1, line]);
      const { bookings, file_wiped, warnings } = JSON.parse(ended.stdout);
      assert.deepEqual([bookings, file_wiped], [1, false]);
      assert.match(
        warnings.join('\n'),
        /the database’s log, which still holds the guest, could not be emptied/,
      );
      assert.ok(filesHold('Zuzana+late@example.com'));
      const again = await run(...erase);
      assert.deepEqual([again.code, again.stderr, JSON.parse(again.stdout).file_wiped], [0, '', true]);
      assert.equal(filesHold('Zuzana+late@example.com'), false);
    });

  test('at a terminal erase asks first, and only yes erases', async () => {
    await book('typed@example.com');
    const erase = (answer: string) =>
      answeredAtTerminal('guest erase --email typed@example.com', serving.settings, answer);
    const no = await erase('no\n');
    assert.match(no.shown, /Erase typed@example\.com: 1 booking at 1 host, 1 still ahead\. .* Type yes: /);
    assert.match(no.shown, /nothing was erased/);
    assert.equal(no.code, 1);
    const yes = await erase('yes\n');
    assert.match(yes.shown, /Erased the guest from 1 booking and 1 event at 1 host\./);
    assert.equal(yes.code, 0);
  });
});
