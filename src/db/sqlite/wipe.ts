import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { isLocked } from './connection.ts';
import { findDirtyPages, type DirtyPage } from './pages.ts';

export interface Wiped {
  /** False: others were reading or writing all the time, and the log still holds what was there before. */
  logEmptied: boolean;
  /** In how many places of the file one of the texts is left. */
  left: number;
}

interface GuestPage extends DirtyPage {
  place: Place;
}

const ROUNDS = 5;

/**
 * Makes sure that texts which have been deleted are gone from the file and its log, beside a running service. VACUUM
 * would do it too, but keeps others from writing for as long as it takes to copy the whole file.
 *
 * This process must have no connection to the file open.
 */
export async function wipe(file: string, texts: ReadonlySet<string>, pattern?: RegExp): Promise<Wiped> {
  let logEmptied = await emptyLog(file);
  for (let round = 1; ; round++) {
    const dirty = guestsOnly(file, findDirtyPages(file, texts, pattern));
    if (dirty.length === 0 || round === ROUNDS) return { logEmptied, left: dirty.length };
    clean(file, dirty);
    logEmptied = await emptyLog(file);
  }
}

const LOCK_WAIT_MS = 2000;
const TRIES = 5;
const BETWEEN_TRIES_MS = 200;

/** Writes the log into the file and cuts it to nothing. For that nobody may read or write for a moment. */
async function emptyLog(file: string): Promise<boolean> {
  for (let i = 1; i <= TRIES; i++) {
    if (onConnection(file, checkpointed)) return true;
    await delay(BETWEEN_TRIES_MS);
  }
  return false;
}

function checkpointed(db: DatabaseSync): boolean {
  try {
    return db.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0;
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  }
}

/**
 * Makes a row of each page as long as the page has room for, and short again. For the long one SQLite packs the page
 * and fills its unused part with zeros. Nobody sees it: both happen in one transaction.
 */
function clean(file: string, pages: readonly GuestPage[]): void {
  try {
    onConnection(file, (db) => stretchAll(db, pages));
  } catch (error) {
    // Somebody writes for a long time. The next round finds the same pages.
    if (!isLocked(error)) throw error;
  }
}

function stretchAll(db: DatabaseSync, pages: readonly GuestPage[]): void {
  for (const page of pages) {
    db.exec('begin immediate');
    stretch(db, page);
    db.exec('commit');
  }
}

/** Where guests' data stands, and which column is stretched there. */
const PLACES = [
  { owner: 'bookings', table: 'bookings', column: 'guest_name', most: 3500 },
  { owner: 'events', table: 'events', column: 'data', most: 3500 },
  // More than a quarter of a page would go to a page of its own.
  { owner: 'bookings_by_guest', table: 'bookings', column: 'guest_key', most: 600 },
  { owner: 'bookings_by_idempotency_key', table: 'bookings', column: 'idempotency_key', most: 600 },
] as const;

type Place = (typeof PLACES)[number];

/** Bytes by which a cell grows beyond its text. */
const SLACK = 8;

function stretch(db: DatabaseSync, { place: { table, column, most }, free, rowids }: GuestPage): void {
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

/** In the other tables a word of a guest's name is somebody else's. */
function guestsOnly(file: string, dirty: readonly DirtyPage[]): GuestPage[] {
  if (dirty.length === 0) return [];
  return onConnection(file, (db) => {
    const places = PLACES.map((place) => ({ place, pages: pagesOf(db, place.owner) }));
    return dirty.flatMap((page) => {
      const found = places.find(({ pages }) => pages.has(page.number));
      return found === undefined ? [] : [{ ...page, place: found.place }];
    });
  });
}

function pagesOf(db: DatabaseSync, owner: string): Set<number> {
  const rows = db.prepare('select pageno from dbstat where name = ?').all(owner);
  return new Set(rows.map((row) => Number(row['pageno'])));
}

function onConnection<T>(file: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file, { timeout: LOCK_WAIT_MS });
  try {
    db.exec('pragma secure_delete = on; pragma synchronous = full');
    return work(db);
  } finally {
    db.close();
  }
}
