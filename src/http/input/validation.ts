import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import type { FieldError } from '../../errors.ts';
import { MONTH_PATTERN, NOT_A_MONTH } from '../../time/month.ts';
import { NOT_BLANK, WEB_ADDRESS } from './schemas.ts';

/** Enough to correct a request by. Without a limit the answer to a hostile body could be longer than the body. */
export const MAX_FIELD_ERRORS = 50;
export const MAX_FIELD_NAME = 200;

/** As a regular expression: from the space to the tilde. */
export const PRINTABLE_ASCII = '^[ -~]+$';

/** Ajv's errors as {field, message}, in words for somebody who has sent a request and knows nothing of JSON Schema. */
export function fieldErrors(errors: readonly FastifySchemaValidationError[], part: string): FieldError[] {
  const seen = new Map<string, FieldError>();
  for (const error of errors) {
    const { field, message } = describe(error, part);
    if (seen.size < MAX_FIELD_ERRORS && !seen.has(field))
      seen.set(field, { field: shortened(field), message });
  }
  return [...seen.values()];
}

/** The name of an unknown field is text from the client, and can be of any length. */
export function shortened(name: string): string {
  return name.length <= MAX_FIELD_NAME ? name : `${name.slice(0, MAX_FIELD_NAME - 1).toWellFormed()}…`;
}

function describe(error: FastifySchemaValidationError, part: string): FieldError {
  const { keyword, instancePath, params } = error;
  const path = instancePath.split('/').slice(1).map(unescapePointer);
  const at = path.length === 0 ? part : path.join('.');
  const child = (name: unknown): string => [...path, String(name)].join('.');
  switch (keyword) {
    case 'required':
      return { field: child(params['missingProperty']), message: 'is required' };
    case 'additionalProperties':
      return { field: child(params['additionalProperty']), message: 'is not a known field' };
    case 'type':
      return { field: at, message: `must be ${typeNames(params['type'])}` };
    case 'enum':
      return { field: at, message: `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}` };
    case 'format':
      return {
        field: at,
        message: FORMATS[String(params['format'])] ?? `must be a valid ${String(params['format'])}`,
      };
    case 'pattern':
      return { field: at, message: PATTERNS[String(params['pattern'])] ?? 'is not valid' };
    case 'minLength':
      return {
        field: at,
        message:
          params['limit'] === 1
            ? 'must not be empty'
            : `must have at least ${String(params['limit'])} characters`,
      };
    case 'maxLength':
      return { field: at, message: `must have at most ${String(params['limit'])} characters` };
    case 'minimum':
      return { field: at, message: `must be ${String(params['limit'])} or more` };
    case 'maximum':
      return { field: at, message: `must be ${String(params['limit'])} or less` };
    case 'minProperties':
      return { field: at, message: 'must have at least one field' };
    case 'minItems':
      return { field: at, message: 'must not be empty' };
    case 'maxItems':
      return { field: at, message: `must have at most ${String(params['limit'])} entries` };
    case 'uniqueItems':
      return { field: at, message: 'must not name anything twice' };
    case 'const':
      return { field: at, message: `must be ${JSON.stringify(params['allowedValue'])}` };
    default:
      return { field: at, message: error.message ?? 'is not valid' };
  }
}

const FORMATS: Record<string, string> = {
  date: 'must be a calendar date in the form YYYY-MM-DD',
  'date-time': 'must be a time with a zone, such as 2027-03-01T12:00:00Z (a + is written %2B)',
  uuid: 'must be a uuid',
  email: 'must be an email address',
};

const PATTERNS: Record<string, string> = {
  [MONTH_PATTERN]: NOT_A_MONTH,
  [NOT_BLANK]: 'must not be blank',
  [WEB_ADDRESS]: 'must be an address such as https://images.example.com/1.jpg',
  [PRINTABLE_ASCII]: 'must be printable ASCII: letters, digits, punctuation and spaces',
};

function typeNames(type: unknown): string {
  const names = (Array.isArray(type) ? type : String(type).split(',')) as string[];
  return names.map((name) => ARTICLES[name] ?? name).join(' or ');
}

const ARTICLES: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'an array',
  null: 'null',
};

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
