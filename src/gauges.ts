import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Gauge, type GaugeConfiguration, type Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { selectBackup } from './db/database.ts';
import { DatabaseAway } from './errors.ts';
import { logTrouble } from './log.ts';
import { VERSION } from './version.ts';
import { countDisabled, countFailing, countFailingWebhooks, MAX_COUNTED, waiting } from './worker/backlog.ts';
import { selectRuns } from './worker/runs.ts';
import { loopsFor } from './worker/tasks.ts';

/** Scrapes that come closer together than this share one reading. */
const FRESH_MS = 5000;
/** Prometheus gives up a scrape after ten seconds, and would then miss the other figures too. */
const READING_MS = 2000;

/**
 * What warns an operator: how far the worker is behind, what has been given up, and whether there is a worker. Read from
 * the database when somebody scrapes, so every process tells the same. A figure that cannot be read is missing from the
 * scrape; the others are there.
 */
export function addGauges(ctx: Context, registry: Registry): void {
  // First: before this scrape itself uses a connection.
  addGaugesOfTheProcess(ctx, registry);
  const figures = shared(() => readFigures(ctx));
  const gauge = (name: string, help: string, value: (figures: Figures) => number | undefined): void =>
    addNumber(registry, name, help, async () => value(await figures()));
  gauge(
    'hourkeep_deliveries_pending',
    `Deliveries that wait, counted up to ${MAX_COUNTED} of each kind (new, new at a failing receiver, retries), without those of inactive subscriptions or hosts`,
    ({ fresh, stuck, again }) => fresh && stuck && again && fresh.count + stuck.count + again.count,
  );
  gauge(
    'hourkeep_deliveries_oldest_seconds',
    'Age of the oldest event among those that hourkeep_deliveries_pending counts; 0 when there is none',
    ({ at, fresh, stuck, again }) =>
      fresh && stuck && again && ageOf(at, [fresh.oldest, stuck.oldest, again.oldest]),
  );
  gauge(
    'hourkeep_deliveries_overdue_seconds',
    'Age of the oldest event that has not been tried yet, at receivers that are not failing; 0 when there is none, absent with DELIVERIES=off',
    ({ at, fresh }) => (ctx.config.deliveries && fresh ? ageOf(at, [fresh.oldest]) : undefined),
  );
  gauge(
    'hourkeep_webhooks_disabled',
    `Subscriptions that were disabled by failures or by the operator, counted up to ${MAX_COUNTED}`,
    ({ disabled }) => disabled?.count,
  );
  gauge(
    'hourkeep_webhooks_failing',
    `Active subscriptions with nothing but failed attempts for an hour or more, counted up to ${MAX_COUNTED}`,
    ({ failingWebhooks }) => failingWebhooks?.count,
  );
  gauge(
    'hourkeep_calendars_failing',
    `External calendars of active hosts whose last poll failed, counted up to ${MAX_COUNTED}`,
    ({ failing }) => failing?.count,
  );
  gauge(
    'hourkeep_backup_age_seconds',
    'Since the last backup that "hourkeep backup" made, or recorded with --record; absent where there is none',
    ({ at, backup }) => (backup === undefined ? undefined : Math.max(0, at - Number(backup.value)) / 1000),
  );
  add(registry, {
    name: 'hourkeep_worker_last_run_timestamp_seconds',
    help: 'When a worker last finished a step of this task, noted every 15 seconds or so; 0 when it never did',
    labelNames: ['task'],
    async collect() {
      const { runs } = await figures();
      this.reset();
      const at = new Map(runs?.map(({ task, last_run_at }) => [task, last_run_at]));
      // Former versions may have left notes of tasks that this one does not have: they would look like tasks that hang.
      if (runs !== undefined)
        for (const { name: task } of loopsFor(ctx.config)) this.set({ task }, (at.get(task) ?? 0) / 1000);
    },
  });
}

function add<Label extends string>(registry: Registry, gauge: GaugeConfiguration<Label>): void {
  registry.registerMetric(new Gauge({ ...gauge, registers: [] }));
}

/** A gauge without labels; absent while its number is undefined. */
function addNumber(
  registry: Registry,
  name: string,
  help: string,
  read: () => Promise<number | undefined>,
): void {
  add(registry, {
    name,
    help,
    async collect() {
      const found = await read();
      if (found === undefined) this.remove();
      else this.set(found);
    },
  });
}

function addGaugesOfTheProcess(ctx: Context, registry: Registry): void {
  add(registry, {
    name: 'hourkeep_build_info',
    help: 'Always 1; the version of this process',
    labelNames: ['version'],
    collect() {
      this.set({ version: VERSION }, 1);
    },
  });
  addNumber(
    registry,
    'hourkeep_disk_free_bytes',
    'Free on the disk of the SQLite file; absent on PostgreSQL, whose disk is not seen from here',
    () => freeBytes(ctx.config),
  );
  add(registry, {
    name: 'hourkeep_database_pool',
    help: 'Connections of this process to its database (total, idle), and requests and tasks that wait for one (waiting). SQLite: one that reads and one that writes; waiting are those that the next commit cannot take along',
    labelNames: ['state'],
    collect() {
      for (const [state, count] of Object.entries(ctx.db.pool())) this.set({ state }, count);
    },
  });
  addNumber(
    registry,
    'hourkeep_clock_timestamp_seconds',
    'What time it is for this process, to be compared with the time of the scrape',
    async () => ctx.clock.now() / 1000,
  );
}

async function freeBytes({ database }: Config): Promise<number | undefined> {
  const disk =
    database.engine === 'sqlite' ? await statfs(dirname(database.file)).catch(() => undefined) : undefined;
  return disk && disk.bavail * disk.bsize;
}

type Figures = Awaited<ReturnType<typeof readFigures>>;

/** One after the other: a scrape takes one connection, not six at once. */
async function readFigures(ctx: Context) {
  const end = performance.now() + READING_MS;
  let isAway = false;
  const attempt = async <T>(query: () => Promise<T>): Promise<T | undefined> => {
    if (isAway) return undefined;
    try {
      return await within(end - performance.now(), query);
    } catch (error) {
      isAway = error instanceof DatabaseAway;
      logTrouble(ctx.log, error, {}, 'a metric could not be read');
      return undefined;
    }
  };
  const at = ctx.clock.now();
  return {
    at,
    fresh: await attempt(() => ctx.db.get(waiting.fresh)),
    stuck: await attempt(() => ctx.db.get(waiting.stuck)),
    again: await attempt(() => ctx.db.get(waiting.again)),
    disabled: await attempt(() => ctx.db.get(countDisabled)),
    failingWebhooks: await attempt(() => ctx.db.get(countFailingWebhooks, [at])),
    failing: await attempt(() => ctx.db.get(countFailing)),
    backup: await attempt(() => ctx.db.get(selectBackup)),
    runs: await attempt(() => ctx.db.all(selectRuns)),
  };
}

async function within<T>(milliseconds: number, query: () => Promise<T>): Promise<T> {
  const late = () => {
    throw new DatabaseAway(new Error('no response in time'));
  };
  return Promise.race([query(), setTimeout(milliseconds, undefined, { ref: false }).then(late)]);
}

/** One reading at a time, and for a while the same one for everybody. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  let freshUntil = 0;
  return () => {
    if (reading === undefined || performance.now() >= freshUntil) {
      freshUntil = Infinity;
      reading = look().finally(() => {
        freshUntil = performance.now() + FRESH_MS;
      });
    }
    return reading;
  };
}

/** In seconds. */
function ageOf(now: number, instants: readonly (number | null)[]): number {
  const oldest = Math.min(now, ...instants.filter((instant) => instant !== null));
  return (now - oldest) / 1000;
}
