import type { Actor } from '../caller.ts';
import * as calendars from '../calendars/calendars.ts';
import type { Context } from '../context.ts';
import { engineOnly } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import type { CalendarEntry } from './file.ts';
import { Rejected, within, type Applied, type Step, type Within, type Work } from './kinds.ts';
import { Mistakes, plan, withChildren } from './steps.ts';

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
  const checked = await checkUrls(ctx, await plan(ctx, ctx.db, file, mistakes), mistakes);
  let applied!: Applied;
  try {
    await ctx.db.transaction(async (tx) => {
      // Two at once would both make what is missing.
      await tx.lock('apply');
      if (ctx.db.engine === 'postgres') await tx.run(oneConnectionPerNode);
      const steps = await plan(ctx, tx, file, mistakes);
      if (newCalendars(steps).some(({ url }) => !checked.has(url)))
        throw new OperatorError('calendars changed while this ran; run the command again');
      applied = { created: [], changed: [], unchanged: 0, keys: [], invitations: [] };
      const { config, secrets } = ctx;
      const work = { tx, now: ctx.clock.now(), actor, config, secrets, applied };
      for (const step of steps.flatMap(withChildren)) await applyStep(work, step, mistakes);
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
  const named = <T extends Within & { kind?: string; ref: string }>({ kind, host, space, ref }: T) =>
    ({ ...(kind && { kind }), host, ...(space && { space }), ref }) as T;
  return { ...rest, created: created.map(named), keys: keys.map(named), invitations: invitations.map(named) };
}

/** Those whose URL is new here. */
function newCalendars(steps: readonly Step[]): { place: string; url: string }[] {
  return steps.flatMap(withChildren).flatMap((step) => {
    const { url } = step.entry as Partial<CalendarEntry>;
    const isNew = step.kind.name === 'calendar' && (step.id === undefined || step.differs.length > 0);
    return isNew && url !== undefined ? [{ place: step.place, url }] : [];
  });
}

/** Before the transaction: names are looked up on the network. */
async function checkUrls(ctx: Context, steps: readonly Step[], mistakes: Mistakes): Promise<Set<string>> {
  const found = newCalendars(steps);
  await Promise.all(
    found.map(async ({ place, url }) => {
      const { problem } = await calendars.checkAddress(ctx, url);
      if (problem !== null) mistakes.add(place, 'url', problem);
    }),
  );
  return new Set(found.map(({ url }) => url));
}

async function applyStep(work: Work, step: Step, mistakes: Mistakes): Promise<void> {
  const { kind, entry, parent, place, present, differs } = step;
  // Nothing can be made below what is not there.
  if (parent !== undefined && parent.id === undefined) return;
  const { created, changed } = work.applied;
  let changes = {};
  try {
    if (!mistakes.has(place)) {
      if (present === undefined) step.id = await kind.make(work, step);
      else if (differs.length > 0) changes = await kind.change(work, step, present);
    }
  } catch (error) {
    // Where what the database has rejects it, that is a mistake of the file too.
    if (!(error instanceof Rejected)) throw error;
    mistakes.add(place, error.field, `: ${error.message}`);
  }
  if (step.id === undefined) return;
  const thing = { kind: kind.name, ...within(step), ref: entry.ref, id: step.id };
  if (present === undefined) created.push(thing);
  else if (Object.keys(changes).length > 0) changed.push({ ...thing, changes });
  else work.applied.unchanged++;
}
