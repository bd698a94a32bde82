import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { isLocked } from './connection.ts';

export interface Wiped {
  /** False: others were reading or writing all the time, and the log still holds what was there before. */
  logEmptied: boolean;
  /** In how many places of the file one of the texts is left. */
  left: number;
}

/** Where a text may have stood. The first column that is given of a table is never null. */
export interface TextColumn {
  readonly table: string;
  readonly column: string;
}

/** A table or one of its indexes, and the column whose text is made longer there, by `most` characters. */
interface Tree extends TextColumn {
  readonly name: string;
  readonly most: number;
}

type TreePage = DirtyPage & { readonly tree: Tree };

const ROUNDS = 5;

/**
 * Makes sure that texts which have been deleted from these columns are gone from the file and its log, beside a running
 * service. VACUUM would do it too, but nobody can write while it copies the whole file: docs/decisions/0014-wiping-a-file.md.
 *
 * This process must have no connection to the file open.
 */
export async function wipe(
  file: string,
  columns: readonly TextColumn[],
  texts: ReadonlySet<string>,
  pattern?: RegExp,
): Promise<Wiped> {
  let logEmptied = await emptyLog(file);
  for (let round = 1; ; round++) {
    const dirty = within(file, columns, findDirtyPages(file, texts, pattern));
    const hopeless = dirty.every(({ rowids }) => rowids.length === 0);
    if (hopeless || round === ROUNDS) return { logEmptied, left: dirty.length };
    clean(file, dirty);
    logEmptied = await emptyLog(file);
  }
}

const LOCK_WAIT_MS = 2000;
const TRIES = 5;
const BETWEEN_TRIES_MS = 200;

/** Writes the log into the file and cuts it to nothing. For that nobody may read or write for a moment. */
async function emptyLog(file: string): Promise<boolean> {
  const checkpoint = 'pragma wal_checkpoint(truncate)';
  for (let i = 1; i <= TRIES; i++) {
    if (unlessLocked(file, (db) => db.prepare(checkpoint).get()?.['busy'] === 0) === true) return true;
    await delay(BETWEEN_TRIES_MS);
  }
  return false;
}

/**
 * Makes a row of each page as long as the page has room for, and short again. For the long one SQLite packs the page
 * and fills its unused part with zeros. Nobody sees it: both happen in one transaction. Where somebody writes for a long time,
 * the next round finds the same pages.
 */
function clean(file: string, pages: readonly TreePage[]): void {
  unlessLocked(file, (db) => {
    for (const page of pages) {
      db.exec('begin immediate');
      stretch(db, page);
      db.exec('commit');
    }
  });
}

/** Bytes by which a cell grows beyond its text. */
const SLACK = 8;

function stretch(db: DatabaseSync, { tree: { table, column, most }, free, rowids }: TreePage): void {
  const select = db.prepare(`select ${column} as text from ${table} where rowid = ?`);
  const update = db.prepare(`update ${table} set ${column} = ? where rowid = ?`);
  const before: [text: string, rowid: number][] = [];
  let room = free;
  for (const rowid of rowids) {
    if (room <= SLACK) break;
    const text = select.get(rowid)?.['text'];
    if (typeof text !== 'string') continue;
    const more = Math.min(most, room - SLACK);
    before.push([text, rowid]);
    update.run(text + ' '.repeat(more), rowid);
    room -= more;
  }
  for (const [text, rowid] of before) update.run(text, rowid);
}

/** Only what lies in these columns' tables and indexes: elsewhere a word of a guest's name is somebody else's. */
function within(file: string, columns: readonly TextColumn[], dirty: readonly DirtyPage[]): TreePage[] {
  if (dirty.length === 0) return [];
  return onConnection(file, (db) => {
    const trees = treesOf(db, columns).map((tree) => ({ tree, pages: pagesOf(db, tree.name) }));
    return dirty.flatMap((page) => {
      const found = trees.find(({ pages }) => pages.has(page.number));
      return found === undefined ? [] : [{ ...page, tree: found.tree }];
    });
  });
}

/** What fits into a page of 4 kB with its row. In an index more than a quarter of it would go to a page of its own. */
const MAX_BYTES_IN_PAGE = { table: 3500, index: 600 };

function treesOf(db: DatabaseSync, columns: readonly TextColumn[]): Tree[] {
  const selectIndexes = db.prepare(`
    select list.name from pragma_index_list(?) as list, pragma_index_info(list.name) as part where part.name = ?`);
  const trees = new Map<string, Tree>();
  for (const { table, column } of columns) {
    if (!trees.has(table)) trees.set(table, { name: table, table, column, most: MAX_BYTES_IN_PAGE.table });
    for (const { name } of selectIndexes.all(table, column) as { name: string }[])
      trees.set(name, { name, table, column, most: MAX_BYTES_IN_PAGE.index });
  }
  return [...trees.values()];
}

function pagesOf(db: DatabaseSync, tree: string): Set<number> {
  const rows = db.prepare('select pageno from dbstat where name = ?').all(tree);
  return new Set(rows.map((row) => Number(row['pageno'])));
}

function unlessLocked<T>(file: string, work: (db: DatabaseSync) => T): T | undefined {
  try {
    return onConnection(file, work);
  } catch (error) {
    if (isLocked(error)) return undefined;
    throw error;
  }
}

function onConnection<T>(file: string, work: (db: DatabaseSync) => T): T {
  using db = new DatabaseSync(file, { timeout: LOCK_WAIT_MS });
  db.exec('pragma secure_delete = on; pragma synchronous = full');
  return work(db);
}

/** A page with one of the texts in a part that no row uses. */
export interface DirtyPage {
  readonly number: number;
  /** Bytes that no row uses. */
  readonly free: number;
  /**
   * The table's rows with a cell on this page, those first whose cells are not next to the unused part. None for an inner
   * page of an index: changing its rows changes the leaves below it.
   */
  readonly rowids: readonly number[];
}

// https://www.sqlite.org/fileformat2.html
const TABLE_LEAF = 13;
const INDEX_LEAF = 10;
const INDEX_INNER = 2;
const FILE_HEADER = 100;
const LEAF_HEADER = 8;
/** The inner pages of a table hold no text. */
const PAGE_HEADERS: Record<number, number> = {
  [TABLE_LEAF]: LEAF_HEADER,
  [INDEX_LEAF]: LEAF_HEADER,
  [INDEX_INNER]: 12,
};
const PAGES_PER_STEP = 1024;

/**
 * Looks through the unused part of every page, where SQLite leaves copies of rows in spite of secure_delete: when it
 * moves cells of a page to a new one and packs the rest together, the part that has become free is not overwritten.
 * The pattern is for bytes, read as Latin-1.
 *
 * This process must have no connection to the file open: closing a file drops the locks that SQLite has on it.
 */
export function findDirtyPages(file: string, texts: Iterable<string>, pattern?: RegExp): DirtyPage[] {
  const wanted = Array.from(texts, (text) => Buffer.from(text));
  if (!existsSync(file)) return [];
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(FILE_HEADER);
    readSync(descriptor, header, 0, FILE_HEADER, 0);
    const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    if (pageSize === 0) return [];
    const found: DirtyPage[] = [];
    const chunk = Buffer.alloc(pageSize * PAGES_PER_STEP);
    const { size } = fstatSync(descriptor);
    for (let at = 0; at < size; at += chunk.length) {
      const count = Math.floor(readSync(descriptor, chunk, 0, chunk.length, at) / pageSize);
      for (let i = 0; i < count; i++) {
        const page = chunk.subarray(i * pageSize, (i + 1) * pageSize);
        if (isDirty(page, wanted, pattern)) found.push(describe(page, at / pageSize + i + 1));
      }
    }
    return found;
  } finally {
    closeSync(descriptor);
  }
}

/** The first page begins with the file's header and holds the schema alone: no guests. */
function isDirty(page: Buffer, wanted: readonly Buffer[], pattern: RegExp | undefined): boolean {
  const header = PAGE_HEADERS[page[0]!];
  if (header === undefined) return false;
  const unused = page.subarray(header + 2 * page.readUInt16BE(3), page.readUInt16BE(5));
  return wanted.some((text) => unused.includes(text)) || pattern?.test(unused.toString('latin1')) === true;
}

function describe(page: Buffer, number: number): DirtyPage {
  if (page[0] === INDEX_INNER) return { number, free: 0, rowids: [] };
  const cells = page.readUInt16BE(3);
  const contentStart = page.readUInt16BE(5);
  let free = contentStart - LEAF_HEADER - 2 * cells;
  for (let block = page.readUInt16BE(1); block !== 0; block = page.readUInt16BE(block))
    free += page.readUInt16BE(block + 2);
  const offsets = Array.from({ length: cells }, (_, i) => page.readUInt16BE(LEAF_HEADER + 2 * i));
  const ordered = offsets.sort((a, b) => Number(a === contentStart) - Number(b === contentStart));
  const rowid = page[0] === TABLE_LEAF ? rowidOfTableCell : rowidOfIndexCell;
  return { number, free, rowids: ordered.flatMap((at) => rowid(page, at) ?? []) };
}

function rowidOfTableCell(page: Buffer, at: number): number {
  return varint(page, varint(page, at).next).value;
}

/** The row's id is the last column of the index. Undefined where the cell goes on in another page. */
function rowidOfIndexCell(page: Buffer, at: number): number | undefined {
  const payload = varint(page, at);
  const end = payload.next + payload.value;
  const last = page[payload.next + varint(page, payload.next).value - 1];
  const bytes = last === undefined ? undefined : INTEGER_BYTES[last];
  return bytes === undefined || end > page.length ? undefined : page.readUIntBE(end - bytes, bytes);
}

/** By the record's type of the column. */
const INTEGER_BYTES: Record<number, number> = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 6 };

function varint(page: Buffer, at: number): { value: number; next: number } {
  let value = 0;
  let next = at;
  for (;;) {
    const byte = page[next++] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, next };
  }
}
