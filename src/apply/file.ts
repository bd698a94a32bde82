import { KEY, type GivenKey } from '../api-keys/fields.ts';
import { newProperties } from '../fields/fields.ts';
import { HOST, type NewHost } from '../hosts/fields.ts';
import { NOT_BLANK } from '../http/input/schemas.ts';
import { Type, type Schema } from '../http/input/type.ts';
import { ENVIRONMENTS, type Environment } from '../ids/api-key.ts';
import { SPACE, type NewSpace } from '../spaces/fields.ts';

// The file that `apply` reads and `export` prints. Its fields are those of the records, under the same names and in the same units.

/** Without fields that are not known: a misspelt one would be dropped in silence. */
const closed = (properties: Record<string, Schema>) =>
  Type.Object(properties, { additionalProperties: false });

const refOf = (what: string, among: string): Schema<string> =>
  Type.String({
    maxLength: 200,
    pattern: NOT_BLANK,
    description: `Your own name for the ${what}, unique among ${among}; or its id, where it has none`,
  });

const environment = Type.Optional(
  Type.Enum(ENVIRONMENTS, { description: 'Cannot change later; production unless given' }),
);

export interface CalendarEntry {
  ref: string;
  url?: string;
}

export interface SpaceEntry extends Mutable<NewSpace> {
  ref: string;
  environment?: Environment;
  calendars?: CalendarEntry[];
}

export interface KeyEntry extends Mutable<GivenKey> {
  ref: string;
  environment?: Environment;
  invite?: boolean;
}

export interface HostEntry extends Mutable<NewHost> {
  ref: string;
  deactivated?: boolean;
  spaces?: SpaceEntry[];
  keys?: KeyEntry[];
}

export interface File {
  hosts: HostEntry[];
}

type Mutable<T> = { -readonly [N in keyof T]: T[N] };

const Calendar = closed({
  ref: refOf('calendar', 'those of its space'),
  url: Type.Optional(
    Type.String({
      maxLength: 2000,
      pattern: NOT_BLANK,
      description: 'The iCal URL; may be left out for a calendar that is there',
    }),
  ),
});

const Key = closed({
  ref: refOf('key', 'those of its host'),
  environment,
  ...newProperties(KEY),
  invite: Type.Optional(
    Type.Boolean({ description: 'The host makes the key from a link that is printed, instead of the key' }),
  ),
});

const spaceWith = (calendar: Schema) =>
  closed({
    ref: refOf('space', 'those of its host'),
    environment,
    ...newProperties(SPACE),
    calendars: Type.Optional(
      Type.Array(calendar, { description: 'External calendars that block its hours' }),
    ),
  });

const hostWith = (space: Schema, key: Schema) =>
  closed({
    ref: refOf('host', 'all hosts'),
    ...newProperties(HOST),
    deactivated: Type.Optional(
      Type.Boolean({
        description: 'Its keys and feeds are rejected, and its invitations, until it is false',
      }),
    ),
    spaces: Type.Optional(Type.Array(space)),
    keys: Type.Optional(Type.Array(key)),
  });

const fileWith = (host: Schema) => closed({ hosts: Type.Array(host) });

const ANY: Schema = {};

/** Each says what something has itself; the entries of its lists are judged one by one. */
export const SCHEMAS = {
  file: fileWith(ANY),
  host: hostWith(ANY, ANY),
  space: spaceWith(ANY),
  calendar: Calendar,
  key: Key,
};

/** For editors and for whoever writes such files by program. */
export const JSON_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'What hourkeep apply reads',
  ...fileWith(hostWith(spaceWith(Calendar), Key)),
};
