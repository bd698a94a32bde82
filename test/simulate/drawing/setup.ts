import type { Operation } from '../operation.ts';
import { command, ZONES, type Account, type Drawing, type Host } from './drawing.ts';
import { subscribe } from './webhooks.ts';

const CURRENCIES = ['USD', 'KRW', 'KWD', 'EUR'];
const SCOPES = [
  'spaces:read',
  'availability:read',
  'bookings:read',
  'bookings:write',
  'settlement:read',
  'earnings:read',
  'blocks:write',
  'spaces:write',
  'webhooks:read',
  'webhooks:write',
];

export function addHost(g: Drawing, i: number, zone: string): void {
  const random = g.random;
  const host: Host = { id: '', email: `host${i}@example.com`, currency: random.one(CURRENCIES) };
  g.queue.push(() => {
    host.id = `{{${g.index}:id}}`;
    const argv = ['--name', `Host ${i}`];
    if (random.chance(0.5)) argv.push('--commission', random.one(['0.125', '0.033333', '0', '0.15']));
    if (random.chance(0.2)) argv.push('--settlement-modes', 'host_settled');
    if (random.chance(0.3)) argv.push('--max-booking-value', g.amount(host.currency, 60));
    return command(`host add --email ${host.email} --timezone ${zone} --currency ${host.currency}`, ...argv);
  });
  for (const environment of ['production', 'sandbox'] as const) {
    const account: Account = {
      host,
      environment,
      keys: [],
      spaces: [],
      bookings: [],
      webhooks: [],
      calendars: [],
      keyed: [],
    };
    g.accounts.push(account);
    for (let n = environment === 'production' ? 2 : 1; n > 0; n--)
      g.queue.push(() => addSpace(g, account, n === 2 ? zone : random.one(ZONES)));
    g.queue.push(() => addKey(g, account));
    if (environment === 'production') {
      g.queue.push(() => addKey(g, account));
      g.queue.push(() => addKey(g, account, [random.one(SCOPES), 'bookings:read']));
      g.queue.push(() => addKey(g, account, SCOPES));
      g.queue.push(() => command(`key revoke ${g.keyIds.at(-1)!}`));
    }
    for (let n = random.between(1, 2); n > 0; n--) g.queue.push(() => subscribe(g, account));
  }
}

function addSpace(g: Drawing, account: Account, zone: string): Operation {
  const random = g.random;
  const at = g.index;
  account.spaces.push(`{{${at}:id}}`);
  g.feeds.push({ space: `{{${at}:id}}`, token: `{{${at}:ical_token}}` });
  const argv = ['--title', random.one(['Loft', '😀 Studio', 'ﬀ Room', '=1+1'])];
  argv.push('--price', g.amount(account.host.currency, 20), '--timezone', zone);
  if (random.chance(0.3)) argv.push('--hours', '9-22');
  if (random.chance(0.3))
    argv.push('--weekly-hours', random.one(['mon-fri=9-22,sat=11-20', 'mon=0-24,tue=0-24,sun=6-12']));
  if (random.chance(0.3))
    argv.push(
      '--booking-rules',
      random.one([
        'min_hours=2',
        'lead_hours=3,horizon_days=20',
        'max_hours=3',
        'min_hours=2,max_hours=4,lead_hours=1',
      ]),
    );
  if (random.chance(0.3)) argv.push('--cancellation-notice', random.one(['1', '24']));
  if (random.chance(0.5)) argv.push('--capacity', '4');
  return command(`space add --host ${account.host.id} --env ${account.environment}`, ...argv);
}

export function addKey(g: Drawing, account: Account, scopes?: readonly string[]): Operation {
  const at = g.index;
  if (scopes === undefined) account.keys.push(`{{${at}:key}}`);
  else g.otherKeys.push(`{{${at}:key}}`);
  g.keyIds.push(`{{${at}:id}}`);
  const argv = ['--name', `key ${at}`];
  if (scopes !== undefined) argv.push('--scopes', [...new Set(scopes)].join(','));
  return command(`key create --host ${account.host.id} --env ${account.environment}`, ...argv);
}
