import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { TEXT_COLUMNS } from '../../src/guests/guests.ts';
import { migrate } from '../../src/db/migrate.ts';
import { findDirtyPages, wipe } from '../../src/db/sqlite/wipe.ts';
import { openContext } from '../support/context.ts';
import { fillWithGuests } from '../support/fill-with-guests.ts';
import { makeFolder } from '../support/process.ts';

// How long a writer waits while a guest's last traces are removed from an SQLite file of so many megabytes:
//   node test/proof/erase-pauses.ts 100 1000

const GUESTS_A_MEGABYTE = 1020;
const TEXTS = ['@trace.example', '@Trace.Example', '/1'];

const [writerOf, ...sizes] = process.argv.slice(2);
if (writerOf?.endsWith('.db')) await writeUntilTold(writerOf);
else for (const megabytes of [writerOf, ...sizes]) await measure(Number(megabytes));

async function measure(megabytes: number): Promise<void> {
  const folder = makeFolder();
  try {
    const file = join(folder.path, 'full.db');
    const ctx = openContext({ DATABASE_URL: `sqlite:${file}` });
    await migrate(ctx.db, ctx.clock);
    await fillWithGuests(ctx, megabytes * GUESTS_A_MEGABYTE);
    await ctx.db.close();
    const names = namesInUnusedParts(file);
    print(`${Math.round(statSync(file).size / 1e6)} MB, with names in unused parts of ${names.length} pages`);
    await beside(file, 'nothing', () => delay(3000));
    await beside(file, 'wipe', async (copy) => {
      const { left } = await wipe(copy, TEXT_COLUMNS, new Set([names[0]!, names.at(-1)!]));
      if (left > 0) throw new Error(`${left} pages were not wiped`);
    });
    for (const statement of ['vacuum', 'reindex bookings_by_guest'])
      await beside(file, statement, (copy) => {
        const db = new DatabaseSync(copy, { timeout: 60_000 });
        db.exec(
          `pragma secure_delete = on; pragma synchronous = full; ${statement}; pragma wal_checkpoint(truncate)`,
        );
        db.close();
      });
  } finally {
    folder.remove();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One name of each page. */
function namesInUnusedParts(file: string): string[] {
  const bytes = readFileSync(file);
  return findDirtyPages(file, TEXTS)
    .filter(({ rowids }) => rowids.length > 0)
    .flatMap(({ number }) => {
      const page = bytes.subarray((number - 1) * 4096, number * 4096);
      const unused = page.toString('latin1', 8 + 2 * page.readUInt16BE(3), page.readUInt16BE(5));
      return /guest\d{8,}/i.exec(unused) ?? [];
    });
}

async function beside(file: string, what: string, work: (copy: string) => unknown): Promise<void> {
  const copy = `${file}.copy.db`;
  for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true });
  copyFileSync(file, copy);
  const writer = fork(import.meta.filename, [copy]);
  await once(writer, 'message');
  const start = performance.now();
  await work(copy);
  const seconds = (performance.now() - start) / 1000;
  writer.send('enough');
  const [waits] = (await once(writer, 'message')) as [number[]];
  await once(writer, 'exit');
  const long = waits.filter((wait) => wait > 50);
  const total = long.reduce((sum, wait) => sum + wait, 0);
  print(
    `  ${what}: ${seconds.toFixed(1)} s; a writer waited ${Math.round(Math.max(...waits))} ms at most, ` +
      `${Math.round(total)} ms in waits of more than 50 ms, ${waits.length} commits`,
  );
}

/** In a process of its own, with the settings of the service's writer. Only what is done after the first commit counts. */
async function writeUntilTold(file: string): Promise<void> {
  const db = new DatabaseSync(file, { timeout: 120_000 });
  db.exec('pragma synchronous = full; pragma secure_delete = on; pragma wal_autocheckpoint = 4000');
  const write = db.prepare("insert or replace into worker_runs values ('pause', ?)");
  write.run(0);
  const told = new AbortController();
  process.once('message', () => told.abort());
  process.send!('ready');
  const waits: number[] = [];
  while (!told.signal.aborted) {
    const start = performance.now();
    write.run(waits.length);
    waits.push(performance.now() - start);
    await delay(2);
  }
  db.close();
  process.send!(waits, () => process.disconnect?.());
}
