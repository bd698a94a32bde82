import type { Actor } from '../caller.ts';
import * as apiKeys from '../api-keys/api-keys.ts';
import { KEY, type KeyRecord } from '../api-keys/fields.ts';
import { invite, LINK_MS } from '../api-keys/invitations.ts';
import { SCOPES } from '../ids/scopes.ts';
import * as audit from '../audit/audit.ts';
import * as calendars from '../calendars/calendars.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { ApiError, OperatorError } from '../errors.ts';
import { initialValues, onlySettable, type Fields } from '../fields/fields.ts';
import { anyText } from '../fields/kinds.ts';
import { HOST, type HostRecord } from '../hosts/fields.ts';
import * as hosts from '../hosts/hosts.ts';
import { change as changeHost, setActive } from '../accounts/update.ts';
import type { Environment } from '../ids/api-key.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { SPACE, type OperatorSpace } from '../spaces/fields.ts';
import { completeChanges } from '../spaces/opening.ts';
import * as spaces from '../spaces/spaces.ts';
import { change as changeSpace } from '../spaces/update.ts';
import type { CalendarEntry, HostEntry, KeyEntry, SpaceEntry } from './file.ts';

// What a file can name: hosts, their spaces and keys, and the calendars of spaces. The steps of `apply` are the same for each
// (steps.ts, apply.ts); here is what differs.

export interface Entry {
  ref: string;
  environment?: Environment;
}

/** What is there. */
export interface Found {
  readonly id: string;
  readonly ref: string | null;
}

/** An entry of the file and what it stands for. */
export interface Step<E extends Entry = Entry, F extends Found = Found> {
  readonly kind: Kind;
  /** Of what it belongs to; undefined for a host. */
  readonly parent: Step | undefined;
  /** `hosts[3] (h003).spaces[0]` */
  readonly place: string;
  /** With timezones, currencies and URLs as they are kept. */
  readonly entry: E;
  /** Undefined: it is to be made. */
  readonly present: F | undefined;
  /** Undefined until it is made. */
  id: string | undefined;
  /** The fields of the entry that are not as they are kept. */
  readonly differs: readonly string[];
  readonly children: Step[];
}

export interface Within {
  readonly host: string;
  /** Of a calendar. */
  readonly space?: string;
}

/** The refs of what it belongs to; of a host its own. */
export function within({ parent, entry: { ref } }: Step): Within {
  if (parent === undefined) return { host: ref };
  return { ...within(parent), ...(parent.kind === spaceKind && { space: parent.entry.ref }) };
}

/** What is wrong with an entry: the field, or nothing for the entry itself, and what about it. */
type Tell = (field: string, message: string) => void;

export interface Situation {
  readonly now: number;
  /** Whether the console is there, which opens invitations. */
  readonly canInvite: boolean;
}

/** What an entry is checked against. */
interface Around<E, F> extends Situation {
  /** What its owner has. */
  readonly here: readonly F[];
  /** The entries before it in its list. */
  readonly before: readonly E[];
  /** Its fields that are not as they are kept. */
  readonly differs: readonly string[];
}

/** One run through a file, in one transaction. */
export interface Work extends Pick<Context, 'config' | 'secrets'> {
  readonly tx: Tx;
  readonly now: number;
  readonly actor: Actor;
  readonly applied: Applied;
}

/** Something of the file, by the names that it and what it belongs to have there. */
interface Thing extends Within {
  kind: Kind['name'];
  ref: string;
  id: string;
}

/** What would be made in a dry run has no ids. */
export interface Applied {
  created: (Omit<Thing, 'id'> & { id?: string })[];
  changed: (Thing & { changes: audit.Changes })[];
  unchanged: number;
  /** Shown once each. */
  keys: (Within & { ref: string; id?: string; key?: string })[];
  invitations: (Within & { ref: string; id?: string; url?: string; expires_at?: string })[];
}

/** What the database has rejects an entry, for this field. */
export class Rejected extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

async function at<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OperatorError || error instanceof ApiError) throw new Rejected(field, error.message);
    throw error;
  }
}

/** Entries of a kind stand in the list of its name in the plural. */
export interface Kind<E extends Entry = Entry, F extends Found = Found> {
  readonly name: 'host' | 'space' | 'calendar' | 'key';
  readonly fields: Fields;
  readonly children: readonly Kind[];
  /** All there are, the oldest first. */
  all(db: Sql, now: number, secrets: Secrets): Promise<F[]>;
  /** The id of what it belongs to. */
  ownerOf(found: F): string;
  /** In an export. */
  isExported?(found: F): boolean;
  /** Fields of an export that are not in the table. */
  moreFields?(found: F): Partial<E>;
  /** What an entry without a match by its name is about, of those that no entry names. */
  adopt?(entry: E, nameless: readonly F[]): F | undefined;
  /** Fields that differ and are not in the table. */
  moreDiffers?(entry: E, present: F): string[];
  /** The entry with the values that follow from those it gives. */
  complete?(entry: E, present: F | undefined, tell: Tell): E;
  check?(entry: E, present: F | undefined, tell: Tell, around: Around<E, F>): void;
  make(work: Work, step: Step<E, F>): Promise<string>;
  change(work: Work, step: Step<E, F>, present: F): Promise<audit.Changes>;
}

const calendarKind: Kind<CalendarEntry, calendars.Named> = {
  name: 'calendar',
  fields: { url: { ...anyText('The iCal URL', 2000), setBy: 'operator', normal: calendars.asHttps } },
  children: [],
  all: (db, _now, secrets) => calendars.named(db, secrets),
  ownerOf: ({ space_id }) => space_id,
  // A host can disconnect a calendar and connect its URL again, or connect it first: that must not get the file rejected.
  adopt: ({ url }, nameless) => nameless.find((row) => row.url === url),
  moreDiffers: ({ ref }, present) =>
    present.ref === null && present.id !== ref.toLowerCase() ? ['ref'] : [],
  check: ({ url }, present, tell, { here, before }) => {
    if (present === undefined && url === undefined)
      tell('url', 'is required for a calendar that is not there');
    if (url !== undefined && before.some((entry) => entry.url === url))
      tell('url', 'is that of an entry before it');
    const twin = here.find((row) => row.url === url && row.id !== present?.id);
    if (twin !== undefined) tell('url', `is that of a calendar which the space has: ${twin.ref ?? twin.id}`);
  },
  make: async ({ tx, now, secrets, actor }, { entry, parent }) => {
    const space = parent as Step<SpaceEntry, OperatorSpace>;
    const environment = space.present?.environment ?? space.entry.environment ?? 'production';
    const hostId = space.parent!.id!;
    const place = { id: space.id!, hostId, environment };
    const id = await calendars.add(tx, now, secrets, place, entry.url!, entry.ref);
    await audit.record(tx, now, actor, { action: 'calendar.added', hostId, environment, subject: id });
    return id;
  },
  change: async ({ tx, now, secrets, actor }, { entry, differs }, present) => {
    if (differs.includes('ref')) await calendars.name(tx, now, actor, present, entry.ref);
    return differs.includes('url') ? calendars.readdress(tx, now, secrets, actor, present, entry.url!) : {};
  },
};

const NEW_SPACE = initialValues(SPACE) as unknown as OperatorSpace;

const spaceKind: Kind<SpaceEntry, OperatorSpace> = {
  name: 'space',
  fields: SPACE,
  children: [calendarKind],
  all: async (db) => (await spaces.listForOperator(db)).toReversed(),
  ownerOf: ({ host_id }) => host_id,
  complete: (entry, present = NEW_SPACE, tell) => {
    const { changes, problems } = completeChanges(present, onlySettable(SPACE, entry));
    for (const { field, message } of problems) tell(field, message);
    return { ...entry, ...changes };
  },
  check: checkEnvironment,
  make: async ({ tx, now, actor }, { entry, parent }) => {
    const { environment = 'production', ref } = entry;
    const { currency, timezone } = parent!.entry as HostEntry;
    const place = { host: { id: parent!.id!, currency, timezone }, environment, ref };
    return (await spaces.addForOperator(tx, now, actor, place, onlySettable(SPACE, entry))).id;
  },
  // Only the timezone cannot change at any time.
  change: ({ tx, now, actor }, { entry }, present) =>
    at('timezone', () => changeSpace(tx, now, actor, present.id, onlySettable(SPACE, entry))),
};

const keyKind: Kind<KeyEntry, KeyRecord> = {
  name: 'key',
  fields: KEY,
  children: [],
  all: async (db, now) => (await apiKeys.list(db, now)).toReversed(),
  ownerOf: ({ host_id }) => host_id,
  isExported: ({ status }) => status !== 'revoked' && status !== 'invited',
  check: (entry, present, tell, { now, canInvite, differs }) => {
    checkEnvironment(entry, present, tell);
    if (differs.includes('scopes')) tell('scopes', 'cannot change: make another key, and revoke this one');
    if (present !== undefined) return;
    if (typeof entry.expires_at === 'string' && Date.parse(entry.expires_at) <= now)
      tell('expires_at', 'must lie in the future');
    if (entry.invite === true && !canInvite)
      tell('invite', 'cannot be true with CONSOLE=off: invitations are links to the console');
  },
  make: async ({ tx, now, actor, config, applied }, { entry, parent }) => {
    const { ref, environment = 'production', name, scopes = SCOPES, expires_at } = entry;
    const wanted = { hostId: parent!.id!, environment, name, scopes, expires_at, ref };
    if (entry.invite === true) {
      const invited = await invite(tx, now, actor, config, { ...wanted, linkMs: LINK_MS });
      applied.invitations.push({ ...within(parent!), ref, ...invited });
      return invited.id;
    }
    const { id, key } = await apiKeys.issue(tx, now, actor, wanted);
    applied.keys.push({ ...within(parent!), ref, id, key });
    return id;
  },
  change: ({ tx, now, actor }, { entry }, present) => {
    const { name, expires_at } = entry;
    return apiKeys.change(tx, now, actor, present, { name, expires_at });
  },
};

export const hostKind: Kind<HostEntry, HostRecord> = {
  name: 'host',
  fields: HOST,
  children: [spaceKind, keyKind],
  all: async (db) => (await hosts.list(db)).toReversed(),
  ownerOf: () => '',
  moreFields: ({ deactivated_at }) => ({ deactivated: deactivated_at !== null }),
  moreDiffers: ({ deactivated }, { deactivated_at }) =>
    deactivated === undefined || deactivated === (deactivated_at !== null) ? [] : ['deactivated'],
  // A new host is rejected only for its email.
  make: ({ tx, now, actor }, { entry }) =>
    at('email', async () => {
      const { id } = await hosts.addForOperator(tx, now, actor, onlySettable(HOST, entry), entry.ref);
      if (entry.deactivated === true) await setActive(tx, now, actor, id, false);
      return id;
    }),
  change: async ({ tx, now, actor }, { entry, differs }, { id }) => {
    if (differs.includes('email')) await at('email', () => hosts.refuseTakenEmail(tx, entry.email, id));
    // Only the currency cannot change at any time.
    const { changes } = await at('currency', () => changeHost(tx, now, actor, id, onlySettable(HOST, entry)));
    if (!differs.includes('deactivated')) return changes;
    await setActive(tx, now, actor, id, entry.deactivated === false);
    return { ...changes, deactivated: [!entry.deactivated, entry.deactivated] };
  },
};

function checkEnvironment(
  { environment }: Entry,
  present: { environment: Environment } | undefined,
  tell: Tell,
): void {
  if (present !== undefined && environment !== undefined && environment !== present.environment)
    tell('environment', `cannot change: it is ${present.environment}`);
}
