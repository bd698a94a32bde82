import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { network } from './network.ts';
import type { Phase } from './operation.ts';

/** What goes wrong in one operation. */
export type Fault = Crash | { readonly kind: 'restart' } | { readonly kind: 'disk full' } | Trouble;

/** On PostgreSQL, this long after the operation has begun. */
export interface Trouble {
  /** kill: -9 of the process that does the operation. cut: all connections. outage: the server crashes. clock: the server's steps. */
  readonly kind: 'kill' | 'cut' | 'outage' | 'clock';
  readonly afterMs: number;
  /** By how much the server's clock is ahead of the machine's from then on. */
  readonly seconds: number;
  /** What the worker is doing then. */
  readonly phase: Phase;
}

/** The process ends: at the commit of this number, or after the operation if it has fewer. */
export interface Crash {
  readonly kind: 'crash';
  readonly commit: number;
  /** 'during': this share of what the commit writes has reached the disk. */
  readonly when: 'before' | 'during' | 'after';
  readonly share: number;
  /** The caller has got a response, if the operation came to its end. */
  readonly isAnswered: boolean;
}

const ENDS = ['', '-wal'];
const KEPT = '.crash';
/** SQLite's own default. */
const NO_LIMIT = 4_294_967_294;

const state = {
  fault: undefined as Fault | undefined,
  file: '',
  commits: 0,
  hasCrashed: false,
  /** Polls of calendars hold leases that outlast a crash by minutes: no process ends in the midst of one. */
  isSpared: false,
};

/** From now on every commit of this process can be one at which it ends, and every transaction one that finds the disk full. */
export function takeOverCommits(): void {
  const { exec }: { exec: (this: DatabaseSync, text: string) => void } = DatabaseSync.prototype;
  const writing = new WeakSet<DatabaseSync>();
  DatabaseSync.prototype.exec = function (this: DatabaseSync, text: string): void {
    if (text === 'begin immediate') {
      writing.add(this);
      const isFull = state.fault?.kind === 'disk full';
      exec.call(this, `pragma max_page_count = ${isFull ? 1 : NO_LIMIT}`);
    }
    const isCommit = text === 'commit' && writing.delete(this);
    if (isCommit && endsHere()) crashAt(state.fault as Crash, () => exec.call(this, text));
    else exec.call(this, text);
  };
}

function endsHere(): boolean {
  const { fault, isSpared, hasCrashed } = state;
  return fault?.kind === 'crash' && !isSpared && !hasCrashed && ++state.commits === fault.commit;
}

/** Keeps the files as the process leaves them that ends here. What it does from now on, nobody sees. */
function crashAt({ when, share }: Crash, commit: () => void): void {
  const before = files();
  commit();
  const after = files();
  state.hasCrashed = true;
  network.isCut = true;
  // The log is whole before anything of it goes into the database.
  const [database, log] =
    when === 'after' ? after : [before[0]!, mixed(before[1]!, after[1]!, when === 'before' ? 0 : share)];
  writeFileSync(state.file + KEPT, database!);
  writeFileSync(`${state.file}-wal${KEPT}`, log!);
}

function files(): Buffer[] {
  return ENDS.map((end) => (existsSync(state.file + end) ? readFileSync(state.file + end) : Buffer.alloc(0)));
}

/** The new bytes up to some place among those that differ, the old ones after it. */
function mixed(before: Buffer, after: Buffer, share: number): Buffer {
  const old = Buffer.concat([before], Math.max(before.length, after.length));
  let from = 0;
  while (from < after.length && from < before.length && before[from] === after[from]) from++;
  let to = after.length;
  while (to > from && old[to - 1] === after[to - 1] && to <= before.length) to--;
  const place = from + Math.round((to - from) * share);
  return Buffer.concat([after.subarray(0, place), before.subarray(place)]);
}

export function arm(fault: Fault | undefined, file: string): void {
  Object.assign(state, { fault, file, commits: 0, hasCrashed: false });
}

/** Whether the process ended within the operation. */
export function disarm(): boolean {
  state.fault = undefined;
  network.isCut = false;
  return state.hasCrashed;
}

export async function spared<T>(work: () => Promise<T>): Promise<T> {
  state.isSpared = true;
  try {
    return await work();
  } finally {
    state.isSpared = false;
  }
}

/** Call it when nobody has the file open: it becomes what the crash left. */
export function leaveAsCrashed(file: string): void {
  for (const end of [...ENDS, '-shm']) rmSync(file + end, { force: true });
  for (const end of ENDS) renameSync(file + end + KEPT, file + end);
}

/** A process that ends between two operations leaves the files as they are: a log that nobody has written back. */
export function keepAsIs(file: string): void {
  for (const end of ENDS) copyFileSync(file + end, file + end + KEPT);
}
