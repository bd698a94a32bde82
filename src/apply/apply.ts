import * as apiKeys from '../api-keys/api-keys.ts';
import { invite, LINK_MS } from '../api-keys/invitations.ts';
import { SCOPES } from '../api-keys/scopes.ts';
import * as audit from '../audit/audit.ts';
import * as calendars from '../calendars/calendars.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { sayOn, type Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import * as hosts from '../hosts/hosts.ts';
import { change as changeHost } from '../hosts/update.ts';
import { DEFAULT_MILLIONTHS, rateToMillionths } from '../money/commission.ts';
import { toMinor } from '../money/currency.ts';
import * as spaces from '../spaces/spaces.ts';
import { change as changeSpace } from '../spaces/update.ts';
import { check, Problems } from './check.ts';
import { File, type HostEntry, type SpaceEntry } from './file.ts';
import { look, plan, type CalendarStep, type HostStep, type KeyStep, type SpaceStep } from './plan.ts';

type Kind = 'host' | 'space' | 'calendar' | 'key';

/** Something of the file, by the name that it has there. */
interface Thing {
  kind: Kind;
  ref: string;
  id: string;
}

export interface Applied {
  /** Without their ids in a dry run. */
  created: (Omit<Thing, 'id'> & { id?: string })[];
  changed: (Thing & { changes: audit.Changes })[];
  unchanged: number;
  /** The keys that were made. Each is shown only here. */
  keys: { ref: string; id?: string; key?: string }[];
  /** The links that were made. Each is shown only here. */
  invitations: { ref: string; id?: string; url?: string; expires_at?: string }[];
}

/**
 * Makes hosts, spaces, calendars and keys as a file says: what is missing is made, what differs is changed, nothing is deleted. All
 * in one transaction, or nothing. A dry run does the same and takes it back, so it knows every refusal.
 */
export async function apply(
  ctx: Context,
  actor: audit.Actor,
  given: unknown,
  { dryRun = false } = {},
): Promise<Applied> {
  const file = readFile(given);
  const first = await planned(ctx, ctx.db, file);
  if (!first.some(needsWork)) return new Work(actor, ctx).done(first);
  const checked = await checkAddresses(ctx, first);
  try {
    return await ctx.db.transaction(async (tx) => {
      // Two at once would both make what is missing.
      await tx.lock('apply');
      if (ctx.db.engine === 'postgres') await tx.run(oneConnectionPerNode);
      const steps = await planned(ctx, tx, file);
      refuseUnchecked(steps, checked);
      const work = new Work(actor, ctx);
      for (const step of steps) await work.onHost(tx, step);
      if (dryRun) throw new TakenBack(work.done(steps));
      return work.done(steps);
    });
  } catch (error) {
    if (error instanceof TakenBack) return withoutIds(error.applied);
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
class TakenBack extends Error {
  readonly applied: Applied;

  constructor(applied: Applied) {
    super('a dry run');
    this.applied = applied;
  }
}

function withoutIds({ created, keys, invitations, ...rest }: Applied): Applied {
  return {
    created: created.map(({ kind, ref }) => ({ kind, ref })),
    ...rest,
    keys: keys.map(({ ref }) => ({ ref })),
    invitations: invitations.map(({ ref }) => ({ ref })),
  };
}

function readFile(given: unknown): File {
  const problems = new Problems();
  check(File, given, '', problems);
  refuse(problems);
  return given as File;
}

const MOST_TOLD = 20;

function refuse({ found }: Problems): void {
  if (found.length === 0) return;
  const more = found.length > MOST_TOLD ? [`and ${found.length - MOST_TOLD} more`] : [];
  throw new OperatorError([...found.slice(0, MOST_TOLD), ...more].join('\n'));
}

async function planned(ctx: Context, db: Context['db'] | Tx, file: File): Promise<HostStep[]> {
  const problems = new Problems();
  const now = ctx.clock.now();
  const steps = plan(file, { present: await look(db, now), now, canInvite: ctx.config.console, problems });
  refuse(problems);
  return steps;
}

type AnyStep = HostStep | SpaceStep | CalendarStep | KeyStep;

function isSame({ present, differs }: AnyStep): boolean {
  return present !== undefined && differs.length === 0;
}

function* allOf(host: HostStep): Generator<AnyStep> {
  yield host;
  for (const space of host.spaces) {
    yield space;
    yield* space.calendars;
  }
  yield* host.keys;
}

function needsWork(host: HostStep): boolean {
  return [...allOf(host)].some((step) => !isSame(step));
}

function newAddresses(steps: readonly HostStep[]): { place: string; url: string }[] {
  return steps
    .flatMap((host) => host.spaces)
    .flatMap((space) => space.calendars)
    .filter((step) => !isSame(step))
    .map(({ place, entry }) => ({ place: `${place}.url`, url: entry.url! }));
}

const CHECKED_AT_ONCE = 20;

/** Before the transaction: names are looked up on the network. */
async function checkAddresses(ctx: Context, steps: readonly HostStep[]): Promise<ReadonlySet<string>> {
  const problems = new Problems();
  const waiting = newAddresses(steps);
  const checked = new Set(waiting.map(({ url }) => url));
  const place = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { problem } = await calendars.checkAddress(ctx, next.url);
      if (problem !== null) problems.add(next.place, problem);
    }
  };
  await Promise.all(Array.from({ length: CHECKED_AT_ONCE }, place));
  refuse(problems);
  return checked;
}

/** Somebody has changed what is there meanwhile. */
function refuseUnchecked(steps: readonly HostStep[], checked: ReadonlySet<string>): void {
  if (newAddresses(steps).every(({ url }) => checked.has(url))) return;
  throw new OperatorError('calendars have changed meanwhile; say it again');
}

/** One run through the file. */
class Work {
  readonly #actor: audit.Actor;
  readonly #now: number;
  readonly #config: Config;
  readonly #applied: Omit<Applied, 'unchanged'> = { created: [], changed: [], keys: [], invitations: [] };

  constructor(actor: audit.Actor, { clock, config }: Context) {
    this.#actor = actor;
    this.#now = clock.now();
    this.#config = config;
  }

  done(steps: readonly HostStep[]): Applied {
    const all = steps.flatMap((host) => [...allOf(host)]);
    const { created, changed, keys, invitations } = this.#applied;
    return { created, changed, unchanged: all.length - created.length - changed.length, keys, invitations };
  }

  async onHost(tx: Tx, step: HostStep): Promise<void> {
    const { place, entry, present } = step;
    if (present !== undefined && step.differs.includes('email'))
      await at(`${place}.email`, () => hosts.refuseTakenEmail(tx, entry.email, present.id));
    // A new host is refused only for its email.
    const id = present?.id ?? (await at(`${place}.email`, () => this.#makeHost(tx, entry)));
    if (step.differs.length > 0) {
      // Only the currency cannot change at any time.
      const { changes } = await at(`${place}.currency`, () =>
        changeHost(tx, this.#now, this.#actor, id, hostFields(entry)),
      );
      this.#changed('host', entry.ref, id, changes);
    }
    for (const space of step.spaces) await this.#onSpace(tx, id, entry, space);
    for (const key of step.keys) await this.#onKey(tx, id, key);
  }

  async #makeHost(tx: Tx, entry: HostEntry): Promise<string> {
    const { commissionMillionths, settlementModes, maxBookingValue, ...fields } = hostFields(entry);
    const id = await hosts.add(tx, this.#now, {
      ...fields,
      commissionMillionths: commissionMillionths ?? DEFAULT_MILLIONTHS,
      settlementModes: settlementModes ?? hosts.SETTLEMENT_MODES,
      maxBookingValue: maxBookingValue ?? null,
      ref: entry.ref,
    });
    const change = { action: 'host.added', hostId: id, environment: null, subject: id } as const;
    await audit.record(tx, this.#now, this.#actor, change);
    this.#created('host', entry.ref, id);
    return id;
  }

  async #onSpace(tx: Tx, hostId: string, host: HostEntry, step: SpaceStep): Promise<void> {
    const { place, entry, present } = step;
    const { environment = present?.environment ?? 'production' } = entry;
    const id = present?.id ?? (await this.#makeSpace(tx, hostId, host, entry));
    if (step.differs.length > 0) {
      // Only the timezone cannot change at any time.
      const changes = await at(`${place}.timezone`, () =>
        changeSpace(tx, this.#now, this.#actor, id, spaceFields(entry, host.currency)),
      );
      this.#changed('space', entry.ref, id, changes);
    }
    const owner = { hostId, environment: environment as 'production' | 'sandbox' };
    for (const calendar of step.calendars) await this.#onCalendar(tx, { ...owner, id }, calendar);
  }

  async #makeSpace(tx: Tx, hostId: string, host: HostEntry, entry: SpaceEntry): Promise<string> {
    const { environment = 'production' } = entry;
    const fields = spaceFields(entry, host.currency);
    const { id } = await spaces.add(tx, this.#now, {
      hostId,
      environment,
      title: fields.title,
      pricePerHour: fields.pricePerHour,
      timezone: fields.timezone ?? host.timezone,
      openHour: fields.openHour ?? 0,
      closeHour: fields.closeHour ?? 24,
      categorySlug: fields.categorySlug ?? 'space',
      description: fields.description ?? null,
      address: fields.address ?? '',
      area: fields.area ?? '',
      capacity: fields.capacity ?? null,
      cancellationNoticeHours: fields.cancellationNoticeHours ?? 0,
      isActive: fields.isActive ?? true,
      amenities: fields.amenities ?? [],
      photoUrls: fields.photoUrls ?? [],
      ratingHundredths: 0,
      reviewCount: 0,
      ref: entry.ref,
    });
    const change = { action: 'space.added', hostId, environment, subject: id } as const;
    await audit.record(tx, this.#now, this.#actor, change);
    this.#created('space', entry.ref, id);
    return id;
  }

  async #onCalendar(
    tx: Tx,
    space: { hostId: string; environment: 'production' | 'sandbox'; id: string },
    { entry, present, differs }: CalendarStep,
  ): Promise<void> {
    if (present !== undefined) {
      if (differs.includes('ref')) await calendars.name(tx, this.#now, this.#actor, present, entry.ref);
      if (!differs.includes('url')) return;
      const changes = await calendars.readdress(tx, this.#now, this.#actor, present, entry.url!);
      this.#changed('calendar', entry.ref, present.id, changes);
      return;
    }
    const id = await calendars.add(tx, this.#now, space, entry.url!, entry.ref);
    const { hostId, environment } = space;
    const change = { action: 'calendar.added', hostId, environment, subject: id } as const;
    await audit.record(tx, this.#now, this.#actor, change);
    this.#created('calendar', entry.ref, id);
  }

  async #onKey(tx: Tx, hostId: string, { entry, present, differs }: KeyStep): Promise<void> {
    const { ref, name, environment = 'production', scopes = SCOPES } = entry;
    if (present !== undefined) {
      if (differs.length === 0) return;
      const expires = entry.expires_at === undefined ? present.expires_at : entry.expires_at;
      const wanted = { name, expiresAt: expires === null ? null : Date.parse(expires) };
      const changes = await apiKeys.change(tx, this.#now, this.#actor, present, wanted);
      this.#changed('key', ref, present.id, changes);
      return;
    }
    const expiresAt = typeof entry.expires_at === 'string' ? Date.parse(entry.expires_at) : null;
    const wanted = { hostId, environment, name, scopes, expiresAt, ref };
    if (entry.invite === true) {
      const link = { ...wanted, linkMs: LINK_MS };
      const invited = await invite(tx, this.#now, this.#actor, this.#config, link);
      this.#created('key', ref, invited.id);
      this.#applied.invitations.push({ ref, ...invited });
      return;
    }
    const { id, key } = await apiKeys.issue(tx, this.#now, this.#actor, wanted);
    this.#created('key', ref, id);
    this.#applied.keys.push({ ref, id, key });
  }

  #created(kind: Kind, ref: string, id: string): void {
    this.#applied.created.push({ kind, ref, id });
  }

  #changed(kind: Kind, ref: string, id: string, changes: audit.Changes): void {
    if (Object.keys(changes).length > 0) this.#applied.changed.push({ kind, ref, id, changes });
  }
}

/** Names the place in the file where a rule refuses what it says. */
async function at<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OperatorError) throw new OperatorError(`${place}: ${error.message}`);
    throw error;
  }
}

/** Undefined where the file says nothing. Amounts were checked before. */
function hostFields(entry: HostEntry) {
  const { name, email, timezone, currency, commission_rate: rate, max_booking_value: most } = entry;
  return {
    name,
    email,
    timezone,
    currency,
    commissionMillionths: rate === undefined ? undefined : rateToMillionths(rate),
    settlementModes: entry.settlement_modes,
    maxBookingValue: typeof most === 'number' ? toMinor(most, currency)! : most,
  };
}

function spaceFields(entry: SpaceEntry, currency: string) {
  return {
    title: entry.title,
    pricePerHour: toMinor(entry.price_per_hour, currency)!,
    timezone: entry.timezone,
    openHour: entry.operating_hours?.start_hour,
    closeHour: entry.operating_hours?.end_hour,
    categorySlug: entry.category_slug,
    description: entry.description,
    address: entry.address,
    area: entry.area,
    capacity: entry.capacity,
    cancellationNoticeHours: entry.cancellation_notice_hours,
    isActive: entry.is_active,
    amenities: entry.amenities,
    photoUrls: entry.photo_urls,
  };
}
