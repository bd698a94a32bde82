import { closeSync, existsSync, openSync, readSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { baseUrl, type Config } from '../config.ts';
import type { Db } from '../db/database.ts';
import { lookAtSchema } from '../db/migrate.ts';
import { whoCanRun } from '../db/migrations.ts';
import { DatabaseAway, OperatorError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { checkSecretKey, demandSecretKey } from '../secrets/secret-key.ts';
import { CLOCKS_DIFFER_MS, toTimestamp } from '../time/clock.ts';
import { MINUTE_MS } from '../time/units.ts';
import { countLocked } from '../secrets/sealed-rows.ts';
import { countFailing, MOST_COUNTED, waiting } from '../worker/backlog.ts';
import { selectRuns } from '../worker/runs.ts';
import { loopsFor } from '../worker/tasks.ts';
import * as sql from './sql.ts';

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

export function checkSettings(config: Config): Finding {
  demandSecretKey(config);
  const where = `${config.production ? 'production' : 'not production'}, reached at ${baseUrl(config)}`;
  if (!config.deliveries) return warn(`${where}; DELIVERIES=off: no webhook is sent, no calendar read`);
  return config.production && config.publicUrl === undefined
    ? warn(`${where}; set PUBLIC_URL to the address that clients use`)
    : ok(where);
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
  if (free < LITTLE_SPACE) return fail(`${told}; make room, or bookings will soon be refused`);
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
export const checks = { schema, clock, secret, worker, backlog, calendars };

async function schema({ db }: Patient): Promise<Finding> {
  try {
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
  let told = `it is ${toTimestamp(now())}`;
  if (db.engine === 'postgres') {
    const asked = now();
    const server = (await db.once(sql.selectServerClock))[0]?.now ?? asked;
    const ahead = (asked + now()) / 2 - server;
    const seconds = (Math.abs(ahead) / 1000).toFixed(1);
    told = `this machine’s clock is ${seconds} s ${ahead < 0 ? 'behind' : 'ahead of'} PostgreSQL’s`;
    if (Math.abs(ahead) > CLOCKS_DIFFER_MS) return fail(`${told}; set both by NTP`);
    if (Math.abs(ahead) > CLOCK_WARN_MS) return warn(`${told}; set both by NTP`);
  }
  const last = (await db.get(sql.selectLastChange))?.at ?? 0;
  if (last > now() + CLOCKS_DIFFER_MS)
    return warn(`the last change is of ${toTimestamp(last)}, in the future; correct the clock, or wait`);
  return ok(told);
}

async function secret({ db, config, now }: Patient): Promise<Finding> {
  if (!(await checkSecretKey(db, config)))
    return warn('this database has no key yet; the first start of the service settles it');
  const locked = await countLocked(db, now());
  if (locked === 0) return ok('it is this database’s key');
  return fail(
    `${locked} webhooks and calendars wait: their secrets are encrypted with a key that this database had before; ` +
      'run hourkeep secret rotate with that key as SECRET_KEY_OLD',
  );
}

/** A task notes its runs every quarter of a minute; those that pause longer, after each pause. */
const LATE_MS = 2 * MINUTE_MS;

async function worker({ db, config, now }: Patient): Promise<Finding> {
  const runs = new Map((await db.all(selectRuns)).map(({ task, last_run_at: at }) => [task, at]));
  const newest = Math.max(0, ...runs.values());
  if (newest === 0) return fail('no worker has run yet; start hourkeep serve or hourkeep worker');
  const ago = `the last step was ${duration(now() - newest)} ago`;
  if (now() - newest > LATE_MS) return fail(`${ago}; start hourkeep serve or hourkeep worker`);
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

function counted(count: number): string {
  return count >= MOST_COUNTED ? `${count} or more` : String(count);
}

function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
