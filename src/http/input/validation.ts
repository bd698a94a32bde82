import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { FieldError } from '../../errors.ts';
import { isCalendarDate } from '../../time/dates.ts';
import { MONTH_PATTERN, NOT_A_MONTH } from '../../time/month.ts';
import { NOT_BLANK, ONE_LINE, SEVERAL_LINES, WEB_ADDRESS, wordLists } from './schemas.ts';
import type { Schema } from './type.ts';

// The one validator of input: request bodies and queries, options of the command line, and the file of `apply`. It reads the JSON
// Schemas that the document shows. It is not Ajv: loading Ajv and compiling a schema with it takes as long as the rest of a
// command, and Ajv cannot stop after the first errors. validation.test.ts compares the two.

/** Enough to correct a request by. Without a limit the response to a hostile body could be longer than the body. */
export const MAX_FIELD_ERRORS = 50;
export const MAX_FIELD_NAME = 200;

/** As a regular expression: from the space to the tilde. */
export const PRINTABLE_ASCII = '^[ -~]+$';

type Path = readonly (string | number)[];

/** Of a schema of objects: what may be left out only beside certain other fields. The document cannot say so. */
export const REQUIRED_UNLESS = Symbol('required unless');

/** What is wrong with a value, up to a limit, and where in it. */
export class Problems {
  readonly found: { readonly path: Path; readonly message: string }[] = [];
  /** Of the value that is being checked. */
  readonly path: (string | number)[] = [];
  readonly #limit: number;

  constructor(limit = MAX_FIELD_ERRORS) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.found.length >= this.#limit;
  }

  add(message: string, ...child: Path): void {
    if (!this.isFull) this.found.push({ path: [...this.path, ...child], message });
  }
}

/** Reports what is wrong with a value, and fills in defaults. */
export type Validator = (value: unknown, problems: Problems) => void;

const known = new WeakMap<Schema, Validator>();

export function validatorOf(schema: Schema): Validator {
  return known.getOrInsertComputed(schema, build);
}

/** The problems of one part of a request; `part` is the name of the value as a whole. */
export function fieldErrors(schema: Schema, value: unknown, part: string): FieldError[] {
  const problems = new Problems();
  validatorOf(schema)(value, problems);
  return problems.found.map(({ path, message }) => ({
    field: path.length === 0 ? part : shortened(path.join('.')),
    message,
  }));
}

/** The name of an unknown field is text from the client, and can be of any length. */
export function shortened(name: string): string {
  return name.length <= MAX_FIELD_NAME ? name : `${name.slice(0, MAX_FIELD_NAME - 1).toWellFormed()}…`;
}

/** The keywords that our schemas use. Another one stops the start: it would not be checked. */
interface Keywords {
  type?: string | readonly string[];
  enum?: readonly (string | null)[];
  const?: unknown;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean;
  minProperties?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  [REQUIRED_UNLESS]?: readonly [name: string, unless: string];
}

const KEYWORDS = new Set(
  `type enum const properties required additionalProperties minProperties items minItems maxItems uniqueItems minLength maxLength
  pattern format minimum maximum description examples default title $schema`.split(/\s+/),
);

function build(schema: Schema): Validator {
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) throw new Error(`a schema has the keyword ${unknown}, which nothing checks`);
  const keywords = schema as Keywords;
  const { const: only, enum: allowed, type = [] } = keywords;
  const types = [type].flat();
  const isOfType = types.map((name) => TYPES[name]!);
  const notOfType = `must be ${types.map((name) => NAMES[name]).join(' or ')}`;
  const text = textValidator(keywords);
  const number = numberValidator(keywords);
  const list = listValidator(keywords);
  const object = objectValidator(keywords);
  return (value, problems) => {
    if (isOfType.length > 0 && !isOfType.some((is) => is(value))) problems.add(notOfType);
    else if ('const' in keywords && value !== only) problems.add(`must be ${JSON.stringify(only)}`);
    else if (allowed !== undefined && !allowed.includes(value as string))
      problems.add(`must be one of ${allowed.filter((each) => each !== null).join(', ')}`);
    else if (typeof value === 'string') text(value, problems);
    else if (typeof value === 'number') number(value, problems);
    else if (Array.isArray(value)) list(value, problems);
    else if (typeof value === 'object' && value !== null) object(value as Record<string, unknown>, problems);
  };
}

const TYPES: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  null: (value) => value === null,
};

const NAMES: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'an array',
  null: 'null',
};

function textValidator({ minLength = 0, maxLength = Infinity, pattern, format }: Keywords) {
  const form = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const words = wordLists.get(pattern ?? '');
  const otherWords = words && `must be one of ${words.join(', ')}, or several separated by commas`;
  const isOfFormat = format === undefined ? undefined : FORMATS[format]!.is;
  return (value: string, problems: Problems): void => {
    // A length is never below the number of characters, so that most texts need not be counted.
    if (value.length > maxLength && hasMoreThan(value, maxLength))
      problems.add(`must have at most ${maxLength} characters`);
    else if (value.length < 2 * minLength && !hasMoreThan(value, minLength - 1))
      problems.add(minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`);
    else if (form?.test(value) === false) problems.add(otherWords ?? PATTERNS[pattern!] ?? 'is not valid');
    else if (words !== undefined && hasTwice(value.split(','))) problems.add(NAMED_TWICE);
    else if (isOfFormat?.(value) === false) problems.add(FORMATS[format!]!.message);
    // PostgreSQL cannot store NUL, and UTF-8 cannot write half a character.
    else if (value.includes('\0') || !value.isWellFormed())
      problems.add('must not contain NUL characters or lone surrogates');
  };
}

/** In code points. Stops there: splitting a text of 256 KiB into characters takes ten times as long as parsing it. */
function hasMoreThan(text: string, limit: number): boolean {
  let count = 0;
  for (const _ of text) if (++count > limit) return true;
  return false;
}

const NAMED_TWICE = 'must not name anything twice';

function hasTwice(list: readonly unknown[]): boolean {
  return new Set(list).size < list.length;
}

function numberValidator({ minimum = -Infinity, maximum = Infinity }: Keywords) {
  return (value: number, problems: Problems): void => {
    if (value < minimum) problems.add(`must be ${minimum} or more`);
    else if (value > maximum) problems.add(`must be ${maximum} or less`);
  };
}

/** The number of entries comes first: those of a list that is too long are not looked at. */
function listValidator({ items, minItems = 0, maxItems = Infinity, uniqueItems }: Keywords) {
  const each = items === undefined ? undefined : validatorOf(items);
  return (value: readonly unknown[], problems: Problems): void => {
    if (value.length < minItems) problems.add('must not be empty');
    else if (value.length > maxItems) problems.add(`must have at most ${maxItems} entries`);
    else if (uniqueItems === true && hasTwice(value)) problems.add(NAMED_TWICE);
    else if (each !== undefined)
      for (let i = 0; i < value.length && !problems.isFull; i++) {
        problems.path.push(i);
        each(value[i], problems);
        problems.path.pop();
      }
  };
}

function objectValidator({ properties = {}, required = [], minProperties = 0, ...keywords }: Keywords) {
  const isClosed = keywords.additionalProperties === false;
  const [conditional, unless] = keywords[REQUIRED_UNLESS] ?? [];
  const fields = Object.entries(properties).map(([name, schema]) => [name, validatorOf(schema)] as const);
  const defaults = Object.entries(properties).filter(([, schema]) => 'default' in schema);
  return (value: Record<string, unknown>, problems: Problems): void => {
    for (const [name, schema] of defaults) value[name] ??= schema['default'];
    for (const name of required) if (!Object.hasOwn(value, name)) problems.add('is required', name);
    if (unless !== undefined && value[unless] !== true && !Object.hasOwn(value, conditional!))
      problems.add('is required', conditional!);
    if (isClosed)
      for (const name in value) {
        if (problems.isFull) return;
        if (!Object.hasOwn(properties, name)) problems.add('is not a known field', name);
      }
    if (minProperties > 0 && Object.keys(value).length < minProperties)
      problems.add('must have at least one field');
    for (const [name, validate] of fields) {
      if (problems.isFull) return;
      if (!Object.hasOwn(value, name) || value[name] === undefined) continue;
      problems.path.push(name);
      validate(value[name], problems);
      problems.path.pop();
    }
  };
}

const EMAIL = fullFormats.email as RegExp;
const UUID = fullFormats.uuid as RegExp;
const { validate: isDateTime } = fullFormats['date-time'] as { validate: (text: string) => boolean };

const FORMATS: Record<string, { is: (text: string) => boolean; message: string }> = {
  // Not ajv-formats' own, which takes the year 0000 for a date; PostgreSQL does not.
  date: { is: isCalendarDate, message: 'must be a calendar date in the form YYYY-MM-DD' },
  'date-time': {
    is: isDateTime,
    message: 'must be a time with a zone, such as 2027-03-01T12:00:00Z (in a URL a + is written %2B)',
  },
  uuid: { is: (text) => UUID.test(text), message: 'must be a uuid' },
  email: { is: (text) => EMAIL.test(text), message: 'must be an email address' },
};

const PATTERNS: Record<string, string> = {
  [MONTH_PATTERN]: NOT_A_MONTH,
  [NOT_BLANK]: 'must not be blank',
  [ONE_LINE]: 'must not be blank or contain control characters',
  [SEVERAL_LINES]: 'must not be blank or contain control characters other than line breaks and tabs',
  [WEB_ADDRESS]: 'must be a URL such as https://images.example.com/1.jpg',
  [PRINTABLE_ASCII]: 'must be printable ASCII: letters, digits, punctuation and spaces',
};
