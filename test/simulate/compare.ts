// What the model expects against what the service did, whole. It learns the values that only the service could choose.
//
// Not compared, because the contract leaves them open: the words of messages (but for the first ones that the specification
// quotes), which fields a rejection of the past, closed or inactive names, the words of `error`, headers that no part names.
import { createHmac } from 'node:crypto';
import { bodyOf, type ExpectedDelivery } from '../model/events.ts';
import type { Entry } from '../model/feed.ts';
import { isObject } from '../model/input.ts';
import type { Expected } from '../model/model.ts';
import { ANY, sortBy, type Emitted, type World } from '../model/world.ts';
import type { Actual, Delivery, ExpectedResponse } from './operation.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const FORMS: Record<string, RegExp> = {
  token: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  key_production: /^hk_live_[0-9A-Za-z]{36}$/,
  key_sandbox: /^hk_test_[0-9A-Za-z]{36}$/,
  secret: /^whsec_[A-Za-z0-9+/]{43}=$/,
  cursor: /^.{1,200}$/,
  uid: /\.hourkeep$/,
  etag: /^"[^"]+"$/,
  synced_to: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};
/** The same value may come again under another name. */
const MAY_REPEAT = /^(cursor|synced_to|etag)$/;
const NAME = /‹(\w+)(?: \d+)?›/g;
const MAX_BEHIND = 30_000;

/** The differences. What the expectation names is bound to what was there. */
export function compare(world: World, expected: Expected, actual: Actual): string[] {
  const found: string[] = [];
  const learned = new Map<string, string>();
  if (expected.response !== undefined) {
    if (actual.response === undefined) found.push('no response');
    else compareResponse(world, expected.response, actual.response, found, learned);
  }
  if (expected.printed !== undefined) {
    const { exit, json } = expected.printed;
    if (!exit.includes(actual.printed?.exit ?? -1))
      found.push(`exit ${exit.join('|')} ≠ ${actual.printed?.exit}`);
    else if (json !== undefined) match(world, json, actual.printed?.json, 'json', found, learned, true);
  }
  bind(world, learned);
  compareEvents(world, expected.events, actual.events, found);
  compareDeliveries(world, expected.deliveries?.() ?? [], actual.deliveries, found);
  return found;
}

function bind(world: World, learned: Map<string, string>): void {
  for (const [name, value] of learned) {
    world.actual.set(name, value);
    world.named.set(value, name);
  }
}

const FIRST_WORDS: Record<string, string> = {
  INVALID_API_KEY: 'Unauthorized',
  NOT_FOUND: 'Not found',
  INVALID_TOKEN: 'Invalid token',
};

function compareResponse(
  world: World,
  expected: ExpectedResponse,
  actual: NonNullable<Actual['response']>,
  found: string[],
  learned: Map<string, string>,
): void {
  if (expected.status !== actual.status) found.push(`status ${expected.status} ≠ ${actual.status}`);
  for (const [name, value] of Object.entries(expected.headers))
    if (!(actual.status === 304 && name === 'content-type'))
      match(world, value, actual.headers[name], `header ${name}`, found, learned);
  for (const name of ['idempotent-replayed', 'retry-after'])
    if (expected.headers[name] === undefined && actual.headers[name] !== undefined)
      found.push(`header ${name}: ${actual.headers[name]}`);
  const { body } = expected;
  if (body === undefined) return;
  if (isObject(body) && 'entries' in body) {
    const [wanted, entries] = [body['entries'] as Entry[], entriesIn(String(actual.body))].map(inOrder);
    match(world, wanted, entries, 'feed', found, learned);
    return;
  }
  if (!isObject(body) || body['success'] !== false) {
    match(world, body, actual.body === '' ? null : actual.body, 'body', found, learned);
    return;
  }
  const { details: wanted, ...wantedError } = body['error'] as Record<string, unknown>;
  const error = isObject(actual.body) && isObject(actual.body['error']) ? actual.body['error'] : {};
  const { message, details, ...rest } = error;
  match(world, wantedError, rest, 'error', found, learned);
  if (typeof message !== 'string' || !message.startsWith(FIRST_WORDS[wantedError['code'] as string] ?? ''))
    found.push(`error.message: ${String(message)}`);
  if (wanted === undefined) return;
  if (!isObject(wanted) || !('fields' in wanted)) match(world, wanted, details, 'details', found, learned);
  else {
    // The fields that it names, each as its first part.
    const top = (some: string[]) => [...new Set(some.map((name) => name.split(/[.[/]/)[0]!))].toSorted();
    const named = Array.isArray(details) ? details.map((one: { field: string }) => one.field) : [];
    match(world, top(wanted['fields'] as string[]), top(named), 'details', found, learned);
  }
}

/** The contract leaves open which entry of a feed comes first. */
const inOrder = (entries: Entry[]): Entry[] =>
  sortBy(entries, ({ start, end, summary }) => [start, end, summary]);

function entriesIn(text: string): Entry[] {
  const unfolded = text.replace(/\r\n[ \t]/g, '');
  const entries = unfolded.split('BEGIN:VEVENT').slice(1);
  const time = (value: string) =>
    value.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6.000Z');
  const valueOf = (entry: string, name: string) =>
    new RegExp(`\n${name}[^:\r\n]*:([^\r]*)`).exec(entry)?.[1] ?? '';
  return entries.map((entry) => ({
    uid: valueOf(entry, 'UID'),
    summary: valueOf(entry, 'SUMMARY') as Entry['summary'],
    start: time(valueOf(entry, 'DTSTART')),
    end: time(valueOf(entry, 'DTEND')),
  }));
}

/** Each expected event has been stored, and no other: in any order. */
function compareEvents(world: World, expected: Emitted[], actual: Actual['events'], found: string[]): void {
  const rest = [...actual];
  for (const event of expected) {
    const wanted = { host_id: event.account.host.id, body: bodyOf(event) };
    const tries = rest.map((one) => {
      const differences: string[] = [];
      const learned = new Map<string, string>();
      if (one.body.type === event.type)
        match(world, wanted, one, `event ${event.type}`, differences, learned);
      else differences.push(`event ${event.type}: not stored`);
      return { one, differences, learned };
    });
    const best = tries.toSorted((a, b) => a.differences.length - b.differences.length)[0];
    if (best?.differences.length === 0) {
      bind(world, best.learned);
      rest.splice(rest.indexOf(best.one), 1);
    } else found.push(...(best?.differences ?? [`event ${event.type}: not stored`]));
  }
  for (const { body } of rest) found.push(`unexpected event ${JSON.stringify(body)}`);
}

function compareDeliveries(
  world: World,
  expected: ExpectedDelivery[],
  actual: Delivery[],
  found: string[],
): void {
  const rest = [...actual];
  const timestamp = String(Math.floor(world.now / 1000));
  // What is signed by a secret that no response showed is looked for among what the others leave.
  const byKnownSecrets = sortBy(expected, ({ secrets }) => [
    secrets.filter((secret) => !world.actual.has(secret)).length,
  ]);
  for (const { webhook, event, secrets, isOptional, seen } of byKnownSecrets) {
    const id = world.actual.get(event.id);
    // Several subscriptions may have one URL: the signature tells them apart.
    const one = rest.find(({ url, headers, body }) => {
      if (url !== webhook.url || headers['webhook-id'] !== id) return false;
      const signatures = headers['webhook-signature']!.split(' ');
      const isSignedBy = (secret: string): boolean => {
        const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
        const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
        return signatures.includes(`v1,${signature}`);
      };
      return (
        headers['webhook-timestamp'] === timestamp &&
        signatures.length === secrets.length &&
        secrets.every((secret) => !world.actual.has(secret) || isSignedBy(world.actual.get(secret)!))
      );
    });
    if (one === undefined) {
      if (!isOptional)
        found.push(`no delivery of ${event.type} ${id} to ${webhook.url}, signed as it must be`);
      continue;
    }
    rest.splice(rest.indexOf(one), 1);
    if (isOptional) seen();
    match(world, bodyOf(event), JSON.parse(one.body), `delivery to ${webhook.url}`, found, new Map());
  }
  for (const { webhook, isOptional } of expected)
    if (isOptional && webhook.is_active) found.push(`no delivery to ${webhook.url}`);
  for (const { url, body } of rest) found.push(`unexpected delivery to ${url}: ${body}`);
}

/** `isPart`: fields that are not expected are no difference. */
function match(
  world: World,
  expected: unknown,
  actual: unknown,
  at: string,
  found: string[],
  learned: Map<string, string>,
  isPart = false,
): void {
  if (typeof expected === 'string' && expected.includes('‹')) {
    matchText(world, expected, actual, at, found, learned);
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length)
      found.push(`${at}: ${brief(world, expected)} ≠ ${JSON.stringify(actual)}`);
    const wanted = whereOpenAs(actual, world, expected, at);
    for (let i = 0; i < Math.min(wanted.length, actual.length); i++)
      match(world, wanted[i], actual[i], `${at}[${i}]`, found, learned, isPart);
  } else if (isObject(expected) && isObject(actual)) {
    for (const [name, value] of Object.entries(expected))
      match(world, value, actual[name], `${at}.${name}`, found, learned, isPart);
    for (const name of Object.keys(actual))
      if (!isPart && !Object.hasOwn(expected, name)) found.push(`${at}.${name}: not expected`);
  } else if (expected !== actual) {
    found.push(`${at}: ${brief(world, expected)} ≠ ${JSON.stringify(actual)}`);
  }
}

/** The contract leaves the order of what has changed open, and that of adjustments that were recorded at the same instant. */
function whereOpenAs(actual: unknown[], world: World, expected: unknown[], at: string): unknown[] {
  if (at.endsWith('.changed')) return sortBy(expected, (name) => [actual.indexOf(name)]);
  if (!at.endsWith('.adjustments')) return expected;
  const order = (actual as Adjusted[]).map(({ kind, booking_id }) => `${kind} ${booking_id}`);
  return sortBy(expected as Adjusted[], ({ kind, booking_id, recorded_at }) => [
    recorded_at,
    order.indexOf(`${kind} ${world.actual.get(booking_id)}`),
  ]);
}

interface Adjusted {
  kind: string;
  booking_id: string;
  recorded_at: string;
}

/** A text with names in it. */
function matchText(
  world: World,
  expected: string,
  actual: unknown,
  at: string,
  found: string[],
  learned: Map<string, string>,
): void {
  if (expected === ANY) return;
  const names = [...expected.matchAll(NAME)];
  const parts = expected.split(/‹[^›]*›/).map((part) => RegExp.escape(part));
  const values = typeof actual === 'string' ? new RegExp(`^${parts.join('(.+)')}$`, 's').exec(actual) : null;
  if (values === null) {
    found.push(`${at}: ${brief(world, expected)} ≠ ${JSON.stringify(actual)}`);
    return;
  }
  for (const [i, [name, kind]] of names.entries()) {
    const value = values[i + 1]!;
    const known = world.actual.get(name) ?? learned.get(name);
    const form = FORMS[kind!] ?? UUID_V7;
    if (known !== undefined) {
      if (known !== value) found.push(`${at}: ${known} ≠ ${value}`);
    } else if (!form.test(value)) found.push(`${at}: ${value} is no ${kind}`);
    else if (world.named.has(value) && !MAY_REPEAT.test(kind!)) found.push(`${at}: ${value} was used before`);
    else if (
      kind === 'synced_to' &&
      (Date.parse(value) > world.now || Date.parse(value) < world.now - MAX_BEHIND)
    )
      found.push(`${at}: ${value} is not of the last 30 s`);
    else learned.set(name, value);
  }
}

function brief(world: World, value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').replace(/‹[^›]*›/g, (name) => world.actual.get(name) ?? name);
}
