import { closeSync, existsSync, openSync, readSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { baseUrl, misspelt, type Config } from '../config.ts';
import { read, selectBackup, type Db } from '../db/database.ts';
import { lookAtSchema, hasOurTables, whoCanRun } from '../db/migrate.ts';
import { DatabaseAway, OperatorError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { checkSecretKey, demandSecretKey } from '../secret-key/secret-key.ts';
import { CLOCKS_DIFFER_MS } from '../time/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../time/units.ts';
import { countLocked } from '../secret-key/sealed-rows.ts';
import { countFailing, MAX_COUNTED, waiting } from '../worker/backlog.ts';
import { selectRuns } from '../worker/runs.ts';
import { loopsFor } from '../worker/tasks.ts';
import { readClocks } from './clock.ts';

/** What was found, and what to do where something is wrong. */
export interface Finding {
  status: 'ok' | 'warn' | 'fail';
  message: string;
}

interface Patient {
  db: Db;
  config: Config;
  now(): number;
}

const ok = (message: string): Finding => ({ status: 'ok', message });
const warn = (message: string): Finding => ({ status: 'warn', message });
const fail = (message: string): Finding => ({ status: 'fail', message });

export function checkSettings(config: Config, environment: NodeJS.ProcessEnv): Finding {
  demandSecretKey(config);
  const where = `${config.production ? 'production' : 'not production'}, reached at ${baseUrl(config)}`;
  const wrong = misspelt(environment);
  if (!config.deliveries) wrong.push('DELIVERIES=off: no webhook is sent, no calendar read');
  if (config.production && config.publicUrl === undefined)
    wrong.push('set PUBLIC_URL to the address that clients use');
  return wrong.length === 0 ? ok(where) : warn([where, ...wrong].join('; '));
}

const MB = 1_000_000;
const LITTLE_SPACE = 100 * MB;
const SCARCE_SPACE = 1000 * MB;

/** A backup needs as much room as the file has. */
export function checkDisk(config: Config): Finding {
  const { database } = config;
  if (database.engine === 'postgres')
    return ok('the data is on PostgreSQL’s disk, which is not seen from here');
  const folder = dirname(database.file);
  if (!existsSync(folder)) return fail(`there is no folder ${folder}`);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const size = statSync(database.file, { throwIfNoEntry: false })?.size ?? 0;
  const told = `${Math.floor(free / MB)} MB free in ${folder}, the database has ${Math.ceil(size / MB)} MB`;
  if (free < LITTLE_SPACE) return fail(`${told}; free disk space, or bookings will soon be rejected`);
  return free < Math.max(SCARCE_SPACE, 2 * size) ? warn(`${told}; make room in time`) : ok(told);
}

const WAL_MODE = 2;

/** Before it is opened, which would turn an empty file or another program's database into one of ours. */
export function checkFile({ database }: Config): void {
  if (database.engine === 'postgres') return;
  const size = statSync(database.file, { throwIfNoEntry: false })?.size;
  if (size === undefined)
    throw new OperatorError(
      `there is no database at ${database.file}; set DATA_DIR or DATABASE_URL to where it is`,
    );
  const header = Buffer.alloc(100);
  const descriptor = openSync(database.file, 'r');
  readSync(descriptor, header, 0, header.length, 0);
  closeSync(descriptor);
  if (!header.toString('latin1').startsWith('SQLite format 3\0') || header[18] !== WAL_MODE)
    throw new OperatorError(
      `${database.file} is no database of Hourkeep; put a backup in its place, or start anew`,
    );
}

/** What can only be looked at when the database answers, in this order. */
export const checks = { schema, clock, secret, worker, backlog, calendars, backup };

async function schema({ db }: Patient): Promise<Finding> {
  try {
    await hasOurTables((statement) => db.once(statement), db.engine);
    const { pending, newer } = await lookAtSchema(db, db.engine);
    if (pending.length > 0) {
      const names = pending.map(({ name }) => name).join(', ');
      return fail(`${names} not applied yet; run: hourkeep migrate (${whoCanRun(pending)})`);
    }
    if (newer.length === 0) return ok('up to date');
    return ok(`a newer Hourkeep has added ${newer.join(', ')}, and ${VERSION} can run on it`);
  } catch (error) {
    if (error instanceof DatabaseAway || error instanceof OperatorError) throw error;
    return fail('there are no tables of Hourkeep; run: hourkeep migrate');
  }
}

/** What is within this is the network's delay and the usual difference of two machines. */
const CLOCK_WARN_MS = 1000;

async function clock({ db, now }: Patient): Promise<Finding> {
  const { aheadMs, told, future } = await readClocks(db, now);
  if (Math.abs(aheadMs) > CLOCKS_DIFFER_MS) return fail(`${told}; set both by NTP`);
  if (Math.abs(aheadMs) > CLOCK_WARN_MS) return warn(`${told}; set both by NTP`);
  return future === undefined ? ok(told) : warn(future);
}

async function secret({ db, config, now }: Patient): Promise<Finding> {
  if (!(await checkSecretKey(db, config)))
    return warn('this database has no key yet; the first start of the service stores one');
  const locked = await countLocked(db, now());
  if (locked === 0) return ok('it is this database’s key');
  return fail(
    `${locked} webhooks and calendars wait: their secrets are encrypted with a key that this database had before; ` +
      'run hourkeep secret rotate with that key as SECRET_KEY_OLD',
  );
}

/** Twice as long as a worker that is well takes from one note to the next. */
const WORKER_WARN_MS = 30_000;
/** A task notes its runs every quarter of a minute; those that pause longer, after each pause. */
const LATE_MS = 2 * MINUTE_MS;

async function worker({ db, config, now }: Patient): Promise<Finding> {
  const runs = new Map((await db.all(selectRuns)).map(({ task, last_run_at: at }) => [task, at]));
  const newest = Math.max(0, ...runs.values());
  if (newest === 0) return fail('no worker has run yet; start hourkeep serve or hourkeep worker');
  const ago = `the last step was ${duration(now() - newest)} ago`;
  if (now() - newest > WORKER_WARN_MS)
    return (now() - newest > LATE_MS ? fail : warn)(`${ago}; start hourkeep serve or hourkeep worker`);
  const late = loopsFor(config).filter(
    ({ name, everyMs }) => now() - (runs.get(name) ?? 0) > everyMs + LATE_MS,
  );
  if (late.length > 0)
    return warn(`${late.map(({ name }) => name).join(', ')} did not end well lately; look for it in the log`);
  return ok(ago);
}

const BACKLOG_WARN_MS = MINUTE_MS;
const BACKLOG_FAIL_MS = 10 * MINUTE_MS;

async function backlog({ db, config, now }: Patient): Promise<Finding> {
  const [fresh, stuck, again] = await Promise.all([
    db.get(waiting.fresh),
    db.get(waiting.stuck),
    db.get(waiting.again),
  ]);
  const untried = fresh?.count ?? 0;
  const atFailing = (stuck?.count ?? 0) + (again?.count ?? 0);
  const told = `${counted(untried)} deliveries not tried yet, ${counted(atFailing)} at receivers that fail`;
  const age = now() - (fresh?.oldest ?? now());
  if (untried === 0) return ok(told);
  const waits = `${told}; the oldest waits for ${duration(age)}`;
  if (!config.deliveries) return warn(`${waits}, since DELIVERIES is off`);
  if (age < BACKLOG_WARN_MS) return ok(waits);
  return (age > BACKLOG_FAIL_MS ? fail : warn)(`${waits}: start a worker, or more of them`);
}

async function calendars({ db }: Patient): Promise<Finding> {
  const failing = (await db.get(countFailing))?.count ?? 0;
  return failing === 0
    ? ok('none fails')
    : warn(`${counted(failing)} not read at the last try; hourkeep calendar list tells why`);
}

const BACKUP_WARN_MS = 48 * HOUR_MS;

async function backup({ db, now }: Patient): Promise<Finding> {
  const make =
    db.engine === 'sqlite'
      ? 'run hourkeep backup FILE every day'
      : 'run pg_dump every day, and hourkeep backup --record after it';
  const last = await db.get(selectBackup);
  if (last === undefined)
    return (await db.get(selectAnyBooking)) === undefined
      ? ok('none yet, and no bookings to lose')
      : warn(`there are bookings and no backup; ${make}`);
  const age = now() - Number(last.value);
  const told = `the last one is ${duration(age)} old`;
  return age > BACKUP_WARN_MS ? warn(`${told}; ${make}`) : ok(told);
}

const selectAnyBooking = read<{ one: number }>('select 1 as one from bookings limit 1');

function counted(count: number): string {
  return count >= MAX_COUNTED ? `${count} or more` : String(count);
}

function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
