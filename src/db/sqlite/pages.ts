import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

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
const PAGES_AT_ONCE = 1024;

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
    const chunk = Buffer.alloc(pageSize * PAGES_AT_ONCE);
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
  const ordered = [
    ...offsets.filter((at) => at !== contentStart),
    ...offsets.filter((at) => at === contentStart),
  ];
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
