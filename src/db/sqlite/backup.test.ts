import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { openContext } from '../../../test/support/context.ts';
import { makeFolder, type TestFolder } from '../../../test/support/process.ts';
import { migrate } from '../migrate.ts';
import { copyDatabase } from './backup.ts';

describe('a copy of an SQLite file', () => {
  let folder: TestFolder;
  let copies: TestFolder;
  let file: string;
  let target: string;
  before(async () => {
    folder = makeFolder();
    file = join(folder.path, 'test.db');
    const { db, clock } = openContext({ DATABASE_URL: `sqlite:${file}` });
    await migrate(db, clock);
    await db.close();
  });
  beforeEach(() => {
    copies = makeFolder();
    target = join(copies.path, 'copy.db');
  });
  afterEach(() => copies.remove());
  after(() => folder.remove());

  const silent = (): void => undefined;
  const copy = (look = silent) => copyDatabase(file, target, silent, async () => look());
  const isThere = { message: /copy\.db is there already; choose another name$/ };

  test('has its name only when it is complete and checked: a killed command leaves no file of that name', async () => {
    const seen: string[] = [];
    const { bytes } = await copy(() => seen.push(...readdirSync(copies.path)));
    assert.ok(seen.includes('copy.db.part') && !seen.includes('copy.db'), seen.join());
    assert.deepEqual(readdirSync(copies.path), ['copy.db']);
    assert.deepEqual([statSync(target).size, statSync(target).mode & 0o777], [bytes, 0o600]);
  });

  test('never replaces a file, not even one that was made meanwhile', async () => {
    await assert.rejects(
      copy(() => writeFileSync(target, 'mine')),
      isThere,
    );
    assert.deepEqual(readdirSync(copies.path), ['copy.db']);
    let looked = false;
    await assert.rejects(
      copy(() => (looked = true)),
      isThere,
    );
    assert.equal(looked, false);
    assert.equal(readFileSync(target, 'utf8'), 'mine');
  });

  test('is refused beside the part of another one, which may be removed if no backup runs', async () => {
    writeFileSync(`${target}.part`, 'half');
    await assert.rejects(copy(), {
      message: `${target}.part is there already: another backup is writing it, or was killed; if none runs, remove it`,
    });
    assert.equal(readFileSync(`${target}.part`, 'utf8'), 'half');
    rmSync(`${target}.part`);
    await copy();
    assert.ok(existsSync(target));
  });
});
