import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { openContext } from '../support/context.ts';
import { operator } from '../support/operator.ts';
import { makeFolder, type TestFolder } from '../support/process.ts';
import { TEXT_COLUMNS } from '../../src/guests/guests.ts';
import type { Context } from '../../src/context.ts';
import * as guests from '../../src/guests/guests.ts';
import { write, type Tx } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { findDirtyPages, wipe } from '../../src/db/sqlite/wipe.ts';
import { newId } from '../../src/ids/uuid.ts';

const GUESTS = 24_000;
const IN_ONE_TRANSACTION = 12_000;

describe('the SQLite file after guests were erased', () => {
  let folder: TestFolder;
  let file: string;
  before(async () => {
    folder = makeFolder();
    file = join(folder.path, 'test.db');
    await withDatabase((ctx) => fillWithGuests(ctx));
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

/** Bookings of many guests, some of which grow afterwards: that splits pages. */
async function fillWithGuests(ctx: Context): Promise<void> {
  const [hostId, spaceId] = [newId(), newId()];
  await ctx.db.transaction(async (tx) => {
    await tx.run(insertHost, [hostId]);
    await tx.run(insertSpace, [hostId, spaceId]);
  });
  const ids: string[] = [];
  let seed = 5;
  // The same numbers at every run: a linear congruential generator.
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const add = async (tx: Tx, from: number, to: number): Promise<void> => {
    for (let i = from; i < to; i++) {
      const name = `Guest${random(100_000_000)}0${i}`;
      ids.push(newId());
      await tx.run(insertBooking, [hostId, ids[i]!, spaceId, name, `${name.toLowerCase()}@trace.example`]);
      if (i > 300 && i % 3 === 0) await tx.run(grow, [ids[i - 1 - random(300)]!, 'x'.repeat(random(300))]);
    }
  };
  for (let i = 0; i < GUESTS; i += IN_ONE_TRANSACTION)
    await ctx.db.transaction((tx) => add(tx, i, i + IN_ONE_TRANSACTION));
}

const insertHost = write(`
  insert into hosts (id, name, email, timezone, currency, commission_millionths, settlement_modes, created_at)
  values ($1, 'Host', 'host@example.com', 'UTC', 'USD', 0, 'host_settled', 0)`);

const insertSpace = write(`
  insert into spaces (host_id, environment, id, title, category_slug, address, area, price_per_hour, timezone, open_hour,
    close_hour, cancellation_notice_hours, rating_hundredths, review_count, is_active, amenities, photo_urls, created_at,
    updated_at)
  values ($1, 'production', $2, 'Space', 'studio', '', '', 0, 'UTC', 0, 24, 0, 0, 0, 1, '[]', '[]', 0, 0)`);

const insertBooking = write(`
  insert into bookings (host_id, id, environment, space_id, status, source, date, start_hour, end_hour, timezone,
    starts_at, ends_at, guest_name, guest_email, guest_key, idempotency_key, request_hash, cancellation_reason, price_per_hour, total_price, currency,
    commission_millionths, settlement_mode, payment_status, created_at, updated_at)
  values ($1, $2, 'production', $3, 'confirmed', 'api', '2027-06-01', 1, 2, 'UTC', 1, 2, $4, $4 || '+Tag@Trace.Example', $5, $4 || '/1', 'x', upper($4) || ', ill', 0, 0, 'USD', 0,
    'host_settled', 'host_collected', 0, 0)`);

const grow = write('update bookings set payment_reference = $2 where id = $1');
