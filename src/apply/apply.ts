import type { Actor, Changes } from '../audit/audit.ts';
import * as calendars from '../calendars/calendars.ts';
import type { Context } from '../context.ts';
import { sayOn } from '../db/database.ts';
import { ApiError, OperatorError } from '../errors.ts';
import type { CalendarEntry, HostEntry } from './file.ts';
import type { Kind, Owners, Step, Work } from './kinds.ts';
import { Mistakes, plan, readFile, withChildren } from './steps.ts';

/** Something of the file, by the name that it has there. */
interface Thing {
  kind: Kind['name'];
  ref: string;
  id: string;
}

export interface Applied extends Pick<Work, 'keys' | 'invitations'> {
  /** Without their ids in a dry run. */
  created: (Omit<Thing, 'id'> & { id?: string })[];
  changed: (Thing & { changes: Changes })[];
  unchanged: number;
}

/**
 * Makes hosts, spaces, calendars and keys as a file says: what is missing is made, what differs is changed, nothing is deleted. All
 * in one transaction, or nothing. A dry run does the same and takes it back, so it knows every refusal.
 */
export async function apply(
  ctx: Context,
  actor: Actor,
  value: unknown,
  { dryRun = false } = {},
): Promise<Applied> {
  const file = readFile(value);
  const first = (await plan(ctx, ctx.db, file)).flatMap(withChildren);
  if (first.every(isSame))
    return { created: [], changed: [], unchanged: first.length, keys: [], invitations: [] };
  const checked = await checkUrls(ctx, first);
  let applied!: Applied;
  try {
    await ctx.db.transaction(async (tx) => {
      // Two at once would both make what is missing.
      await tx.lock('apply');
      if (ctx.db.engine === 'postgres') await tx.run(oneConnectionPerNode);
      const steps = await plan(ctx, tx, file);
      if (newCalendars(steps.flatMap(withChildren)).some(({ entry }) => !checked.has(entry.url!)))
        throw new OperatorError('calendars changed while this ran; run the command again');
      applied = { created: [], changed: [], unchanged: 0, keys: [], invitations: [] };
      const { keys, invitations } = applied;
      const { config, secrets } = ctx;
      const work = { tx, now: ctx.clock.now(), actor, config, secrets, keys, invitations, at };
      for (const step of steps) await applyStep(work, step, {}, applied);
      if (dryRun) throw ROLL_BACK;
    });
    return applied;
  } catch (error) {
    if (error === ROLL_BACK) return withoutIds(applied);
    throw error;
  }
}

/**
 * Citus reads all shards of a table over several connections to each node, and then lets nobody write hosts or keys, which all shards
 * refer to, in the same transaction. Without Citus it is a setting that nobody reads.
 */
const oneConnectionPerNode = sayOn(
  'postgres',
  `select set_config('citus.multi_shard_modify_mode', 'sequential', true)`,
);

/** Ends the transaction of a dry run. */
const ROLL_BACK = new Error('a dry run');

function withoutIds({ created, keys, invitations, ...rest }: Applied): Applied {
  return {
    created: created.map(({ kind, ref }) => ({ kind, ref })),
    ...rest,
    keys: keys.map(({ ref }) => ({ ref })),
    invitations: invitations.map(({ ref }) => ({ ref })),
  };
}

function isSame({ present, differs }: Step): boolean {
  return present !== undefined && differs.length === 0;
}

type CalendarStep = Step<CalendarEntry>;

/** Those whose URL is new here. */
function newCalendars(steps: readonly Step[]): CalendarStep[] {
  return steps.filter((step): step is CalendarStep => step.kind.name === 'calendar' && !isSame(step));
}

const MAX_CHECKED_AT_ONCE = 20;

/** Before the transaction: names are looked up on the network. */
async function checkUrls(ctx: Context, steps: readonly Step[]): Promise<ReadonlySet<string>> {
  const mistakes = new Mistakes();
  const waiting = newCalendars(steps);
  const checked = new Set(waiting.map(({ entry }) => entry.url!));
  const checkSome = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { problem } = await calendars.checkAddress(ctx, next.entry.url!);
      if (problem !== null) mistakes.add(`${next.place}.url`, problem);
    }
  };
  await Promise.all(Array.from({ length: MAX_CHECKED_AT_ONCE }, checkSome));
  mistakes.refuse();
  return checked;
}

async function applyStep(work: Work, step: Step, owners: Owners, applied: Applied): Promise<void> {
  const { kind, entry, present } = step;
  const id = present?.id ?? (await kind.make(work, step, owners));
  const thing = { kind: kind.name, ref: entry.ref, id };
  const changes = present === undefined || isSame(step) ? {} : await kind.change(work, step, present);
  if (present === undefined) applied.created.push(thing);
  else if (Object.keys(changes).length > 0) applied.changed.push({ ...thing, changes });
  else applied.unchanged++;
  const environment =
    (present as { environment?: 'production' } | undefined)?.environment ?? entry.environment;
  const below =
    kind.name === 'host'
      ? { host: { id, entry: entry as HostEntry } }
      : { ...owners, space: { id, environment: environment ?? 'production' } };
  for (const child of step.children) await applyStep(work, child, below, applied);
}

async function at<T>({ place }: Step, field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OperatorError || error instanceof ApiError)
      throw new OperatorError(`${place}.${field}: ${error.message}`);
    throw error;
  }
}
