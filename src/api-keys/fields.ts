import type { Fields, Kind, NewOf, RecordOf, RowOf } from '../fields/fields.ts';
import { anyText, id, instant, nullable, oneOf, plain, someOf, text } from '../fields/kinds.ts';
import { Type } from '../http/input/type.ts';
import { ENVIRONMENTS } from '../ids/api-key.ts';
import { ALL_SCOPES, SCOPES, type Scope } from '../ids/scopes.ts';

const STATUSES = ['active', 'expired', 'revoked', 'invited'] as const;

/** Null: the host has not made it yet. */
const SHOWN: Kind<string | null, string> & { columns: readonly ['prefix', 'last4'] } = {
  schema: Type.Nullable(Type.String({ description: 'What can be shown of it: `hk_live_…ab12`' })),
  columns: ['prefix', 'last4'],
  load: (row) => (row['prefix'] === undefined ? null : `${row['prefix']}…${row['last4']}`),
  store: (value) => value!.split('…'),
  print: (value) => value ?? 'not made yet',
};

/** Every field of a key. Operators read it; hosts see some of them in the console. */
export const KEY = {
  id: id('the key'),
  host_id: id('the host'),
  host_name: { ...text('Name of the host', 200), from: 'h.name' },
  environment: oneOf('What it sees', ENVIRONMENTS),
  name: {
    ...anyText('What it is for', 200),
    setBy: 'operator',
    flag: '--name <name>',
    help: 'what it is for',
  },
  key: SHOWN,
  scopes: {
    ...someOf('What it may do', ALL_SCOPES),
    setBy: 'operator',
    initial: [...SCOPES] as Scope[],
    flag: '--scopes <list>',
    help: 'comma-separated',
    print: (value) => printScopes(value as Scope[]),
  },
  /** `invited`: an open invitation, of which the key will be made. */
  status: {
    ...oneOf('Whether it works', STATUSES),
    columns: [],
    load: (row) => row['status'],
  },
  created_at: instant('When it was made'),
  last_used_at: nullable(instant('When it was last used, give or take a minute')),
  expires_at: {
    ...nullable(instant('When it expires; null: never')),
    setBy: 'operator',
    initial: null,
    flag: '--expires <when>',
    help: 'a duration such as 90d or 12h, a date, or a time',
  },
  revoked_at: nullable(instant('When it was revoked')),
  replaced_by: nullable(id('the key that was made in its place')),
  invitation_expires_at: {
    ...nullable(instant('Until when the host can make it; null for a key that is made')),
    columns: [],
  },
  ref: nullable(text('The operator’s own name for it', 200)),
} as const satisfies Fields;

/** What a host sees of a key. */
export const OWN_KEY = {
  id: KEY.id,
  name: KEY.name,
  scopes: KEY.scopes,
  prefix: plain(Type.String()),
  last4: plain(Type.String()),
  created_at: KEY.created_at,
  last_used_at: KEY.last_used_at,
  expires_at: KEY.expires_at,
} as const satisfies Fields;

function printScopes(scopes: readonly Scope[]): string {
  if (!SCOPES.every((scope) => scopes.includes(scope))) return scopes.join(',');
  return scopes.includes('keys:write') ? 'all and keys:write' : 'all';
}

export type KeyRow = RowOf<typeof KEY>;
export type KeyRecord = RecordOf<typeof KEY>;
/** What is given for a new key. */
export type GivenKey = NewOf<typeof KEY>;
