import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Hourkeep, type Booking } from '../../client/src/index.ts';
import type { DemoFile } from '../../src/demo/demo.ts';
import { readDemo } from '../support/demo.ts';
import { makeFolder, startProcess, type Running } from '../support/process.ts';
import { nextJune } from '../support/clock.ts';

// The program in docs/guides/mirror.md, run as it stands beside a service that is killed.

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guides/mirror.md'), 'utf8');

describe('the mirror of the guide', () => {
  const folder = makeFolder();
  const program = join(folder.path, 'mirror.mjs');
  const file = join(folder.path, 'mirror.json');
  let service: Running;
  let demo: DemoFile;
  const start = async () => {
    service = await startProcess('serve', { DATA_DIR: folder.path, RATE_LIMIT_PRODUCTION: '0' });
  };
  before(async () => {
    writeFileSync(program, /```js\n(.*?)```/s.exec(GUIDE)![1]!);
    await start();
    demo = readDemo(folder.path);
  });
  after(async () => {
    await service.end();
    folder.remove();
  });
  const client = () => new Hourkeep({ apiKey: demo.keys.production, baseUrl: service.url });
  const run = () => spawn(process.execPath, [program, file, service.url, demo.keys.production]);
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
    await service.end('SIGKILL');
    await start();
    await client().bookings.move(made[1]!.id, { start_hour: 15, end_hour: 17 });
    await runToTheEnd();
    assert.deepEqual(mirrored(), await stored());
    assert.ok(!existsSync(`${file}.new`));
  });
});
