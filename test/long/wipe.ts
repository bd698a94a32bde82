import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { openContext } from '../support/context.ts';
import { fillWithGuests } from '../support/fill-with-guests.ts';
import { operator } from '../support/operator.ts';
import { makeFolder, type TestFolder } from '../support/process.ts';
import { TEXT_COLUMNS } from '../../src/guests/guests.ts';
import type { Context } from '../../src/context.ts';
import * as guests from '../../src/guests/guests.ts';
import { write } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { findDirtyPages, wipe } from '../../src/db/sqlite/wipe.ts';

const GUESTS = 24_000;

describe('the SQLite file after guests were erased', () => {
  let folder: TestFolder;
  let file: string;
  before(async () => {
    folder = makeFolder();
    file = join(folder.path, 'test.db');
    await withDatabase((ctx) => fillWithGuests(ctx, GUESTS));
    copyFileSync(file, `${file}.full`);
  });
  after(() => folder.remove());

  async function withDatabase<T>(work: (ctx: Context) => Promise<T>): Promise<T> {
    const ctx = openContext({ DATABASE_URL: `sqlite:${file}`, SECRET_KEY: 'a key for guests alone' });
    try {
      await migrate(ctx.db, ctx.clock);
      return await work(ctx);
    } finally {
      await ctx.db.close();
    }
  }

  const bytes = (): string =>
    [file, `${file}-wal`].map((name) => (existsSync(name) ? readFileSync(name, 'latin1') : '')).join('');

  test('has neither address nor name, though SQLite had left copies in unused parts of pages', async () => {
    const left = findDirtyPages(file, ['@trace.example', '@Trace.Example', '/1', ', ill']);
    const addresses = new Set(left.flatMap((page) => addressesIn(page.number)));
    assert.ok(addresses.size > 0, 'secure_delete left nothing: then this is not needed any more');

    const traces = new Set<string>();
    await withDatabase(async (ctx) => {
      for (const email of addresses) {
        const erased = await guests.erase(ctx, operator, { email, hostId: undefined }, () => undefined);
        for (const text of erased.traces) traces.add(text);
      }
    });
    const atFirst = bytes();
    for (const kind of [/^guest\d+@/, /^Guest\d+$/, /^GUEST\d+$/])
      assert.ok(
        [...traces].some((text) => kind.test(text) && atFirst.includes(text)),
        String(kind),
      );

    assert.deepEqual(await wipe(file, TEXT_COLUMNS, traces), { logEmptied: true, left: 0 });
    const content = bytes();
    assert.deepEqual(
      [...traces].filter((text) => content.includes(text)),
      [],
    );
  });

  test('is sound, and the other guests are there', async () => {
    await withDatabase(async (ctx) => {
      assert.deepEqual(await ctx.db.all({ text: 'pragma integrity_check', name: '', writes: false }), [
        { integrity_check: 'ok' },
      ]);
      const rows = await ctx.db.all<{ guest_name: string; guest_key: string }>({
        text: "select guest_name, guest_key from bookings where guest_key <> 'erased@erased.invalid'",
        name: '',
        writes: false,
      });
      assert.ok(rows.length > GUESTS / 2);
      for (const row of rows) assert.equal(row.guest_key, `${row.guest_name.toLowerCase()}@trace.example`);
    });
  });

  test('has an empty log, beside a connection that is open', async () => {
    await withDatabase(async (ctx) => {
      await ctx.db.once(write("update bookings set guest_name = guest_name || 'x'"));
      assert.equal((await wipe(file, TEXT_COLUMNS, new Set())).logEmptied, true);
      assert.equal(readFileSync(`${file}-wal`).length, 0);
    });
  });

  test('is searched again by a repeated run, which knows only the address, for every spelling of it', async () => {
    copyFileSync(`${file}.full`, file);
    const erase = (email: string) =>
      withDatabase((ctx) => guests.erase(ctx, operator, { email, hostId: undefined }, () => undefined));
    const tagged = (email: string): string => `${email.split('@')[0]!.replace('g', 'G')}+Tag@Trace.Example`;
    const named = findDirtyPages(file, ['+Tag@Trace.Example']).flatMap((page) => addressesIn(page.number));
    // First runs that could not finish with the file.
    for (const email of named) await erase(email);
    const left = named.filter((email) => bytes().includes(tagged(email)));
    assert.ok(left.length > 0, 'SQLite left nothing');
    for (const email of left) {
      const { traces, address } = await erase(email);
      assert.deepEqual(await wipe(file, TEXT_COLUMNS, traces, address), { logEmptied: true, left: 0 });
    }
    const content = bytes();
    assert.deepEqual(
      left.filter((email) => content.includes(tagged(email))),
      [],
    );
  });

  test('is not called clean while an inner page of an index holds a text, which VACUUM removes', async () => {
    const small = join(folder.path, 'small.db');
    const db = new DatabaseSync(small);
    // In small pages, so that an index of few texts has many inner ones.
    db.exec(`
      pragma page_size = 512; pragma journal_mode = wal; pragma secure_delete = on;
      create table notes (text text not null);
      create index notes_by_text on notes (text);
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
      insert into notes select 'note ' || (i * 7919 % 20011) || substr(' and more of it, now and then', 1, i % 29) from n;
      pragma wal_checkpoint(truncate)`);
    db.close();
    const [inner] = findDirtyPages(small, ['note ']).filter(({ rowids }) => rowids.length === 0);
    assert.ok(inner, 'SQLite left nothing');
    const [text] = /note \d+/.exec(unusedIn(inner.number, small, 512))!;
    const columns = [{ table: 'notes', column: 'text' }];
    assert.deepEqual(await wipe(small, columns, new Set([text])), { logEmptied: true, left: 1 });
    const vacuumed = new DatabaseSync(small);
    vacuumed.exec('vacuum');
    vacuumed.close();
    assert.deepEqual(await wipe(small, columns, new Set([text])), { logEmptied: true, left: 0 });
  });

  /** Addresses of guests who are named in the unused part of a page. */
  function addressesIn(page: number): string[] {
    const names = unusedIn(page).match(/guest\d+(?=[+@]|\/1|, ill)/gi) ?? [];
    return names.map((name) => `${name.toLowerCase()}@trace.example`);
  }

  function unusedIn(page: number, name = file, size = 4096): string {
    const content = readFileSync(name).subarray((page - 1) * size, page * size);
    return content.toString('latin1', 8 + 2 * content.readUInt16BE(3), content.readUInt16BE(5));
  }
});
