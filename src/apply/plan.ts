import { isDeepStrictEqual } from 'node:util';
import * as apiKeys from '../api-keys/api-keys.ts';
import * as calendars from '../calendars/calendars.ts';
import type { Sql } from '../db/database.ts';
import * as hosts from '../hosts/hosts.ts';
import { isEmail } from '../http/input/email.ts';
import { RATE_UNIT } from '../money/commission.ts';
import { currencyDecimals, isCurrency, MAX_AMOUNT_MINOR, toMajor, toMinor } from '../money/currency.ts';
import * as spaces from '../spaces/spaces.ts';
import { findTimezone } from '../time/zones.ts';
import type { Problems } from './check.ts';
import type { CalendarEntry, File, HostEntry, KeyEntry, SpaceEntry } from './file.ts';

type Named<Record> = Record & { id: string; ref: string | null };

/** Everything that a file can name, as it is now. */
export interface Present {
  hosts: Named<hosts.HostRecord>[];
  spaces: Map<string, Named<spaces.OperatorSpace>[]>;
  calendars: Map<string, calendars.Named[]>;
  keys: Map<string, Named<apiKeys.KeyRecord>[]>;
}

/** Four statements, however much there is: one by one it would be thousands. */
export async function look(db: Sql, now: number): Promise<Present> {
  const [ofHosts, ofSpaces, ofCalendars, ofKeys] = [
    await hosts.named(db),
    await spaces.named(db),
    await calendars.named(db),
    await apiKeys.named(db, now),
  ];
  return {
    hosts: ofHosts,
    spaces: Map.groupBy(ofSpaces, ({ host_id }) => host_id),
    calendars: Map.groupBy(ofCalendars, ({ space_id }) => space_id),
    keys: Map.groupBy(ofKeys, ({ host_id }) => host_id),
  };
}

/** An entry of the file and what it stands for. */
interface Step<Entry, Row> {
  readonly place: string;
  /** With timezones, currencies and addresses as they are kept. */
  readonly entry: Entry;
  /** Undefined: it is to be made. */
  readonly present: Row | undefined;
  /** The fields of the entry that are not as they are kept. */
  readonly differs: readonly string[];
}

export type KeyStep = Step<KeyEntry, Named<apiKeys.KeyRecord>>;
export type CalendarStep = Step<CalendarEntry, calendars.Named>;
export interface SpaceStep extends Step<SpaceEntry, Named<spaces.OperatorSpace>> {
  readonly calendars: readonly CalendarStep[];
}
export interface HostStep extends Step<HostEntry, Named<hosts.HostRecord>> {
  readonly spaces: readonly SpaceStep[];
  readonly keys: readonly KeyStep[];
}

/** What each entry of a file means for what is there. Changes nothing; whatever is wrong is told to `problems`. */
export function plan({ hosts: entries }: File, situation: Situation): HostStep[] {
  const found = match(entries, situation.present.hosts, 'hosts', situation.problems);
  return entries.map((entry, i) => hostStep(entry, found[i], `hosts[${i}]`, situation));
}

interface Situation {
  present: Present;
  now: number;
  /** Whether the console is there, which opens invitations. */
  canInvite: boolean;
  problems: Problems;
}

/** By the operator's own name; or by id, which is what an export has where there is no name. */
function match<Row extends { id: string; ref: string | null }>(
  entries: readonly { ref: string }[],
  rows: readonly Row[],
  place: string,
  problems: Problems,
): (Row | undefined)[] {
  const byRef = new Map(rows.flatMap((row) => (row.ref === null ? [] : [[row.ref, row]])));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const used = new Set<string>();
  return entries.map(({ ref }, i) => {
    const row = byRef.get(ref) ?? byId.get(ref.toLowerCase());
    const name = row?.id ?? ref;
    if (used.has(name)) problems.add(`${place}[${i}].ref`, 'stands for what an entry before it is about');
    used.add(name);
    return row;
  });
}

function hostStep(
  given: HostEntry,
  present: HostStep['present'],
  place: string,
  situation: Situation,
): HostStep {
  const { problems } = situation;
  const entry = {
    ...given,
    timezone: zone(given.timezone, `${place}.timezone`, problems),
    currency: given.currency.toUpperCase(),
    ...(given.settlement_modes && { settlement_modes: sameModes(given.settlement_modes, present) }),
  };
  if (!isEmail(entry.email)) problems.add(`${place}.email`, 'must be an email address');
  if (!isCurrency(entry.currency)) problems.add(`${place}.currency`, 'must be an ISO 4217 code such as USD');
  const { commission_rate: rate, max_booking_value: most } = entry;
  if (rate !== undefined && !Number.isInteger(Number((rate * RATE_UNIT).toFixed(6))))
    problems.add(`${place}.commission_rate`, 'must have at most six decimals');
  if (most !== undefined && most !== null)
    money(most, entry.currency, `${place}.max_booking_value`, problems);
  const { spaces: ofSpaces = [], keys: ofKeys = [], ref: _ref, ...fields } = entry;
  const here = { spaces: situation.present.spaces, keys: situation.present.keys };
  const foundSpaces = match(ofSpaces, here.spaces.get(present?.id ?? '') ?? [], `${place}.spaces`, problems);
  const foundKeys = match(ofKeys, here.keys.get(present?.id ?? '') ?? [], `${place}.keys`, problems);
  return {
    place,
    entry,
    present,
    differs: different(fields, present),
    spaces: ofSpaces.map((space, i) =>
      spaceStep(space, entry, foundSpaces[i], `${place}.spaces[${i}]`, situation),
    ),
    keys: ofKeys.map((key, i) => keyStep(key, foundKeys[i], `${place}.keys[${i}]`, situation)),
  };
}

/** The order of modes says nothing. */
function sameModes(wanted: hosts.SettlementMode[], present: HostStep['present']): hosts.SettlementMode[] {
  const kept = (present?.settlement_modes ?? []) as hosts.SettlementMode[];
  return isDeepStrictEqual(new Set(kept), new Set(wanted)) ? kept : wanted;
}

function spaceStep(
  given: SpaceEntry,
  host: HostEntry,
  present: SpaceStep['present'],
  place: string,
  situation: Situation,
): SpaceStep {
  const { problems } = situation;
  const entry = {
    ...given,
    ...(given.timezone !== undefined && { timezone: zone(given.timezone, `${place}.timezone`, problems) }),
  };
  money(entry.price_per_hour, host.currency, `${place}.price_per_hour`, problems);
  const { operating_hours: hours } = entry;
  if (hours !== undefined && hours.start_hour >= hours.end_hour)
    problems.add(`${place}.operating_hours`, 'must end after they begin');
  refuseMove(entry, present, place, problems);
  const { calendars: ofCalendars = [], ref: _ref, environment: _environment, ...fields } = entry;
  const here = situation.present.calendars.get(present?.id ?? '') ?? [];
  const found = adopted(ofCalendars, here, match(ofCalendars, here, `${place}.calendars`, problems));
  const urls = ofCalendars.map(({ url }) => url);
  for (const [i, url] of urls.entries())
    if (url !== undefined && urls.indexOf(url) < i)
      problems.add(`${place}.calendars[${i}].url`, 'is that of an entry before it');
  return {
    place,
    entry,
    present,
    differs: different(fields, present),
    calendars: ofCalendars.map((calendar, i) =>
      calendarStep(calendar, found[i], here, `${place}.calendars[${i}]`, problems),
    ),
  };
}

/**
 * A host can disconnect a calendar and connect its address again, or connect it first. What has no name then is what an entry with
 * its address is about: one host must not get the file refused.
 */
function adopted(
  entries: readonly CalendarEntry[],
  here: readonly calendars.Named[],
  found: readonly (calendars.Named | undefined)[],
): (calendars.Named | undefined)[] {
  const nameless = here.filter((row) => row.ref === null && !found.includes(row));
  return entries.map(({ url }, i) => found[i] ?? nameless.find((row) => isAt(row, url)));
}

function isAt(row: calendars.Named, url: string | undefined): boolean {
  return url !== undefined && row.url === calendars.asHttps(url);
}

function calendarStep(
  given: CalendarEntry,
  present: CalendarStep['present'],
  beside: readonly calendars.Named[],
  place: string,
  problems: Problems,
): CalendarStep {
  const entry = { ...given, ...(given.url !== undefined && { url: calendars.asHttps(given.url) }) };
  if (present === undefined && entry.url === undefined)
    problems.add(`${place}.url`, 'is required for a calendar that is not there');
  const twin = beside.find(({ id, url }) => url === entry.url && id !== present?.id);
  if (twin !== undefined)
    problems.add(`${place}.url`, `is that of a calendar which the space has: ${twin.ref ?? twin.id}`);
  const { ref, ...fields } = entry;
  const isNameless = present !== undefined && present.ref === null && present.id !== ref.toLowerCase();
  const differs = [...(isNameless ? ['ref'] : []), ...different(fields, present)];
  return { place, entry, present, differs };
}

function keyStep(
  given: KeyEntry,
  present: KeyStep['present'],
  place: string,
  { now, canInvite, problems }: Situation,
): KeyStep {
  const expires = given.expires_at;
  const at = typeof expires === 'string' ? instant(expires) : undefined;
  if (typeof expires === 'string' && at === undefined)
    problems.add(`${place}.expires_at`, 'must be a time such as 2027-12-31T18:00:00Z');
  const entry = { ...given, ...(at !== undefined && { expires_at: new Date(at).toISOString() }) };
  refuseMove(entry, present, place, problems);
  if (present === undefined) {
    if (at !== undefined && at <= now) problems.add(`${place}.expires_at`, 'must lie in the future');
    if (entry.invite === true && !canInvite)
      problems.add(
        `${place}.invite`,
        'cannot be true with CONSOLE=off: invitations are links to the console',
      );
  } else if (entry.scopes !== undefined && !isDeepStrictEqual(new Set(entry.scopes), new Set(present.scopes)))
    problems.add(`${place}.scopes`, 'cannot change: make another key, and revoke this one');
  const { ref: _ref, environment: _environment, scopes: _scopes, invite: _invite, ...fields } = entry;
  return { place, entry, present, differs: different(fields, present) };
}

function refuseMove(
  entry: { environment?: string },
  present: { environment: string } | undefined,
  place: string,
  problems: Problems,
): void {
  if (present !== undefined && (entry.environment ?? present.environment) !== present.environment)
    problems.add(`${place}.environment`, `cannot change: it is ${present.environment}`);
}

/** What is not there differs in nothing: it is to be made. */
function different(fields: object, present: object | undefined): string[] {
  if (present === undefined) return [];
  const kept = present as Record<string, unknown>;
  return Object.entries(fields).flatMap(([name, value]) =>
    isDeepStrictEqual(kept[name], value) ? [] : [name],
  );
}

function zone(text: string, place: string, problems: Problems): string {
  const found = findTimezone(text);
  if (found === undefined) problems.add(place, 'must be an IANA timezone such as Asia/Seoul');
  return found ?? text;
}

function money(amount: number, currency: string, place: string, problems: Problems): void {
  if (!isCurrency(currency)) return;
  const greatest = toMajor(MAX_AMOUNT_MINOR, currency);
  if (amount > greatest) problems.add(place, `must be ${greatest} or less`);
  else if (toMinor(amount, currency) === undefined)
    problems.add(
      place,
      `must be an amount in ${currency} with at most ${currencyDecimals(currency)} decimals`,
    );
}

function instant(text: string): number | undefined {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return undefined;
  }
}
