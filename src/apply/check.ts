import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../http/input/type.ts';

/** What is wrong with a file, each with its place: `hosts[3].spaces[0].title must not be blank`. */
export class Problems {
  readonly #found: string[] = [];

  add(place: string, message: string): void {
    this.#found.push(`${place === '' ? 'the file' : place} ${message}`);
  }

  get found(): readonly string[] {
    return this.#found;
  }
}

/** Of a schema, those that are known here. */
interface Keywords {
  readonly type: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/**
 * Holds a value to a schema of file.ts, with the words that an operator needs: Ajv, which the API uses, takes as long to load as
 * the rest of a command. Knows the keywords that stand there; a test compares it with Ajv.
 */
export function check(schema: Schema, value: unknown, place: string, problems: Problems): void {
  const { type, enum: allowed, ...rest } = schema as unknown as Keywords;
  const types = [type].flat();
  if (!types.some((name) => isOfType(value, name)))
    problems.add(place, `must be ${types.map((name) => NAMES[name]).join(' or ')}`);
  else if (allowed !== undefined && !allowed.includes(value))
    problems.add(place, `must be one of ${allowed.join(', ')}`);
  else if (typeof value === 'string') checkText(rest, value, place, problems);
  else if (typeof value === 'number') checkNumber(rest, value, place, problems);
  else if (Array.isArray(value)) checkList(rest, value, place, problems);
  else if (typeof value === 'object' && value !== null) checkFields(rest, value, place, problems);
}

const NAMES: Record<string, string> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function isOfType(value: unknown, name: string): boolean {
  if (name === 'null') return value === null;
  if (name === 'array') return Array.isArray(value);
  if (name === 'integer') return Number.isInteger(value);
  return typeof value === name && value !== null && !Array.isArray(value);
}

type Rest = Omit<Keywords, 'type' | 'enum'>;

function checkText({ pattern, maxLength }: Rest, value: string, place: string, problems: Problems): void {
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    problems.add(place, 'must not be blank');
  else if (maxLength !== undefined && Array.from(value).length > maxLength)
    problems.add(place, `must have at most ${maxLength} characters`);
}

function checkNumber({ minimum, maximum }: Rest, value: number, place: string, problems: Problems): void {
  if (minimum !== undefined && value < minimum) problems.add(place, `must be ${minimum} or more`);
  if (maximum !== undefined && value > maximum) problems.add(place, `must be ${maximum} or less`);
}

function checkList(rest: Rest, value: readonly unknown[], place: string, problems: Problems): void {
  const { items, minItems = 0, maxItems = Infinity, uniqueItems } = rest;
  if (value.length < minItems) problems.add(place, 'must not be empty');
  if (value.length > maxItems) problems.add(place, `must have at most ${maxItems} entries`);
  const isTwin = (one: unknown, i: number) =>
    value.slice(0, i).some((other) => isDeepStrictEqual(one, other));
  if (uniqueItems === true && value.some(isTwin)) problems.add(place, 'must not have an entry twice');
  for (const [i, item] of value.entries()) check(items!, item, `${place}[${i}]`, problems);
}

function checkFields(rest: Rest, value: object, place: string, problems: Problems): void {
  const { properties = {}, required = [] } = rest;
  const at = (name: string): string => (place === '' ? name : `${place}.${name}`);
  for (const name of required) if (!Object.hasOwn(value, name)) problems.add(at(name), 'is required');
  for (const [name, field] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) check(properties[name]!, field, at(name), problems);
    else problems.add(at(name), 'is not a known field');
  }
}
