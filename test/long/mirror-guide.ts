import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Hourkeep, type Booking } from '../../client/src/index.ts';
import { nextJune } from '../support/clock.ts';
import { useServing } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';

// The program in docs/guides/mirror.md, run as it stands beside a service that is killed.

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guides/mirror.md'), 'utf8');

onOneEngine('the mirror of the guide', (engine) => {
  const serving = useServing(engine);
  const program = join(serving.folder.path, 'mirror.mjs');
  const file = join(serving.folder.path, 'mirror.json');
  before(() => writeFileSync(program, /```js\n(.*?)```/s.exec(GUIDE)![1]!));
  const key = () => serving.demo.keys.production;
  const client = () => new Hourkeep({ apiKey: key(), baseUrl: serving.service.url });
  const run = () => spawn(process.execPath, [program, file, serving.service.url, key()]);
  const runToTheEnd = async () => assert.deepEqual(await once(run(), 'exit'), [0, null]);
  const mirrored = () => {
    const { bookings } = JSON.parse(readFileSync(file, 'utf8')) as { bookings: Record<string, Booking> };
    return Object.values(bookings).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };
  const stored = async () => {
    const all = await Array.fromAsync(client().bookings.iterate());
    return all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };

  test('has every booking after its first run', async () => {
    await runToTheEnd();
    assert.deepEqual(mirrored(), await stored());
    assert.ok(mirrored().length > 0);
  });

  test('has every change after the next one, though it and the service were killed meanwhile', async () => {
    const [space] = await client().spaces.list();
    const book = (start_hour: number) =>
      client().bookings.create({
        space_id: space!.id,
        date: nextJune(7),
        start_hour,
        end_hour: start_hour + 1,
        guest_name: 'Ada Miller',
        guest_email: `guest-${start_hour}@example.com`,
      });
    const made = [await book(12), await book(13), await book(14)];
    await client().bookings.cancel(made[0]!.id, { reason: 'changed plans' });
    const killed = run();
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await serving.service.end('SIGKILL');
    serving.service = await startProcess('serve', serving.settings);
    await client().bookings.move(made[1]!.id, { start_hour: 15, end_hour: 17 });
    await runToTheEnd();
    assert.deepEqual(mirrored(), await stored());
    assert.ok(!existsSync(`${file}.new`));
  });
});
