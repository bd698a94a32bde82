import type { Actor, Changes } from '../audit/audit.ts';
import * as calendars from '../calendars/calendars.ts';
import type { Context } from '../context.ts';
import { engineOnly } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import type { CalendarEntry, HostEntry } from './file.ts';
import { Rejected, type Kind, type Owners, type Step, type Within, type Work } from './kinds.ts';
import { Mistakes, plan, withChildren } from './steps.ts';

/** Something of the file, by the names that it and what it belongs to have there. */
interface Thing extends Within {
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
 * in one transaction, or nothing. A dry run does the same and takes it back, so it knows every refusal. So is done with a file
 * that has mistakes, without the entries that have them: what only the database knows to be wrong is found in the same run.
 */
export async function apply(
  ctx: Context,
  actor: Actor,
  file: unknown,
  { dryRun = false } = {},
): Promise<Applied> {
  const mistakes = new Mistakes();
  const first = (await plan(ctx, ctx.db, file, mistakes)).flatMap(withChildren);
  if (mistakes.isEmpty && first.every(isSame))
    return { created: [], changed: [], unchanged: first.length, keys: [], invitations: [] };
  const checked = await checkUrls(ctx, first, mistakes);
  let applied!: Applied;
  try {
    await ctx.db.transaction(async (tx) => {
      // Two at once would both make what is missing.
      await tx.lock('apply');
      if (ctx.db.engine === 'postgres') await tx.run(oneConnectionPerNode);
      const steps = await plan(ctx, tx, file, mistakes);
      if (newCalendars(steps.flatMap(withChildren)).some(({ url }) => !checked.has(url)))
        throw new OperatorError('calendars changed while this ran; run the command again');
      applied = { created: [], changed: [], unchanged: 0, keys: [], invitations: [] };
      const { keys, invitations } = applied;
      const { config, secrets } = ctx;
      const work = { tx, now: ctx.clock.now(), actor, config, secrets, keys, invitations };
      for (const step of steps) await applyStep(work, step, {}, applied, mistakes);
      mistakes.refuse();
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
const oneConnectionPerNode = engineOnly(
  'postgres',
  `select set_config('citus.multi_shard_modify_mode', 'sequential', true)`,
);

/** Ends the transaction of a dry run. */
const ROLL_BACK = new Error('a dry run');

function withoutIds({ created, keys, invitations, ...rest }: Applied): Applied {
  return {
    created: created.map((made) => ({ kind: made.kind, ...namesOf(made) })),
    ...rest,
    keys: keys.map(namesOf),
    invitations: invitations.map(namesOf),
  };
}

function namesOf({ host, space, ref }: Within & { ref: string }): Within & { ref: string } {
  return { host, ...(space !== undefined && { space }), ref };
}

function isSame({ present, differs }: Step): boolean {
  return present !== undefined && differs.length === 0;
}

/** Those whose URL is new here. */
function newCalendars(steps: readonly Step[]): { place: string; url: string }[] {
  const changed = steps.filter((step) => step.kind.name === 'calendar' && !isSame(step));
  return changed.flatMap(({ place, entry }) => {
    const { url } = entry as CalendarEntry;
    return url === undefined ? [] : [{ place, url }];
  });
}

const MAX_CHECKS_IN_FLIGHT = 20;

/** Before the transaction: names are looked up on the network. */
async function checkUrls(
  ctx: Context,
  steps: readonly Step[],
  mistakes: Mistakes,
): Promise<ReadonlySet<string>> {
  const waiting = newCalendars(steps);
  const checked = new Set(waiting.map(({ url }) => url));
  const checkSome = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { problem } = await calendars.checkAddress(ctx, next.url);
      if (problem !== null) mistakes.add(next.place, 'url', problem);
    }
  };
  await Promise.all(Array.from({ length: MAX_CHECKS_IN_FLIGHT }, checkSome));
  return checked;
}

async function applyStep(
  work: Work,
  step: Step,
  owners: Owners,
  applied: Applied,
  mistakes: Mistakes,
): Promise<void> {
  const { kind, entry, present, within } = step;
  const done = mistakes.has(step.place) ? undefined : await attempt(work, step, owners, mistakes);
  const id = present?.id ?? done?.id;
  // Nothing can be made below what is not there.
  if (id === undefined) return;
  const thing = { kind: kind.name, ...within, ref: entry.ref, id };
  const changes = done?.changes ?? {};
  if (present === undefined) applied.created.push(thing);
  else if (Object.keys(changes).length > 0) applied.changed.push({ ...thing, changes });
  else applied.unchanged++;
  const environment =
    (present as { environment?: 'production' } | undefined)?.environment ?? entry.environment;
  const below =
    kind.name === 'host'
      ? { host: { id, entry: entry as HostEntry } }
      : { ...owners, space: { id, environment: environment ?? 'production' } };
  for (const child of step.children) await applyStep(work, child, below, applied, mistakes);
}

/** Undefined where what the database has rejects it, which is a mistake of the file too. */
async function attempt(
  work: Work,
  step: Step,
  owners: Owners,
  mistakes: Mistakes,
): Promise<{ id: string; changes: Changes } | undefined> {
  const { kind, place, present } = step;
  try {
    if (present === undefined) return { id: await kind.make(work, step, owners), changes: {} };
    return { id: present.id, changes: isSame(step) ? {} : await kind.change(work, step, present) };
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    mistakes.add(place, error.field, `: ${error.message}`);
    return undefined;
  }
}
