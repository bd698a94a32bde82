import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { invalid, validationError, type FieldError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { MAX_FIELD_ERRORS, shortened } from './validation.ts';

/** The greatest number that a query parameter may be. */
export const MAX_QUERY_NUMBER = 999_999_999_999_999;

type ReadQuery = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/**
 * What is done with a route's query before it is validated. Parameters that an operation behind a key does not know are refused,
 * so that no filter is dropped in silence; calendar programs add some of their own to the feed's address.
 */
export function queryReader(route: RouteOptions): ReadQuery | undefined {
  if (route.config?.operation?.scope === undefined) return undefined;
  const schema = route.schema?.querystring as { properties?: Record<string, { type?: unknown }> } | undefined;
  const properties = schema?.properties ?? {};
  const known = Object.keys(properties);
  const numbers = known.filter((name) => properties[name]!.type === 'integer');
  return (request, _reply, done) => {
    if (!isDecodable(request.url)) return done(invalid('query', 'must be percent-encoded UTF-8'));
    const query = request.query as Record<string, unknown>;
    const unknown = Object.keys(query).filter((name) => !known.includes(name));
    if (unknown.length > 0)
      return done(
        validationError(unknown.slice(0, MAX_FIELD_ERRORS).map((name) => unknownParameter(name, known))),
      );
    for (const name of numbers) if (query[name] !== undefined) query[name] = toNumber(query[name]);
    done();
  };
}

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

function unknownParameter(name: string, known: readonly string[]): FieldError {
  const field = shortened(name);
  if (known.length === 0) return { field, message: 'is not known: this endpoint has no query parameters' };
  const meant = nearest(name, known, ({ length }) => length / 2);
  const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
  return { field, message: `is not a known query parameter: ${hint}` };
}
