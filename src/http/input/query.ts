import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { validationError, type FieldError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { wordLists } from './schemas.ts';
import { MAX_FIELD_ERRORS, shortened } from './validation.ts';

/** The greatest number that a query parameter may be. */
export const MAX_QUERY_NUMBER = 999_999_999_999_999;

type ReadQuery = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/**
 * What is done with a route's query before it is validated. Parameters that an operation behind a key does not know are refused,
 * so that no filter is dropped in silence; calendar programs add some of their own to the feed's address.
 */
export function queryReader(route: RouteOptions): ReadQuery | undefined {
  const schema = route.schema?.querystring as
    | { properties?: Record<string, { type?: unknown; pattern?: string }> }
    | undefined;
  const properties = schema?.properties ?? {};
  const known = Object.keys(properties);
  const numbers = known.filter((name) => properties[name]!.type === 'integer');
  const lists = known.filter((name) => wordLists.has(properties[name]!.pattern ?? ''));
  const isStrict = route.config?.operation?.scope !== undefined;
  if (!isStrict && numbers.length === 0) return undefined;
  return (request, _reply, done) => {
    if (isStrict && !isDecodable(request.url))
      return done(validationError([{ field: 'query', message: 'must be percent-encoded UTF-8' }]));
    const query = request.query as Record<string, unknown>;
    const unknown = isStrict ? Object.keys(query).filter((name) => !known.includes(name)) : [];
    if (unknown.length > 0) return done(unknownParameters(unknown, known));
    const twice = lists.filter((name) => Array.isArray(query[name]));
    if (twice.length > 0)
      return done(validationError(twice.map((field) => ({ field, message: SEVERAL_BY_COMMAS }))));
    for (const name of numbers) if (query[name] !== undefined) query[name] = toNumber(query[name]);
    done();
  };
}

const SEVERAL_BY_COMMAS = 'is given twice; separate several with commas';

/** Fastify leaves a value that it cannot decode as it was sent, and a filter would look for "%ff". */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.slice(url.indexOf('?')));
    return true;
  } catch {
    return false;
  }
}

/**
 * Query values arrive as texts. Where the schema says integer, a text of plain digits becomes one; anything
 * else stays a text and fails validation. (Ajv's own coercion would take "1e1", "0x10" and true.) One with too many
 * digits becomes a number that is too great for every parameter, so that the answer says so.
 */
function toNumber(value: unknown): unknown {
  const isWhole = typeof value === 'string' && /^-?\d+$/.test(value);
  return isWhole ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : value;
}

function unknownParameters(names: readonly string[], known: readonly string[]): Error {
  return validationError(names.slice(0, MAX_FIELD_ERRORS).map((name) => unknownParameter(name, known)));
}

function unknownParameter(name: string, known: readonly string[]): FieldError {
  const field = shortened(name);
  if (known.length === 0) return { field, message: 'is not known: this endpoint has no query parameters' };
  const meant = nearest(name, known, ({ length }) => length / 2);
  const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
  return { field, message: `is not a known query parameter: ${hint}` };
}
