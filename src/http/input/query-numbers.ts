import type { FastifyRequest, RouteOptions } from 'fastify';

/** The greatest number that a query parameter may be. */
export const MAX_QUERY_NUMBER = 999_999_999_999_999;

/**
 * Query values arrive as texts. Where the schema says integer, a text of plain digits becomes one; anything
 * else stays a text and fails validation. (Ajv's own coercion would take "1e1", "0x10" and true.) One with too many
 * digits becomes a number that is too great for every parameter, so that the answer says so.
 */
export function numberParser(route: RouteOptions): ((request: FastifyRequest) => Promise<void>) | undefined {
  const schema = route.schema?.querystring as { properties?: Record<string, { type?: unknown }> } | undefined;
  const names = Object.entries(schema?.properties ?? {})
    .filter(([, property]) => property.type === 'integer')
    .map(([name]) => name);
  if (names.length === 0) return undefined;
  return async (request) => {
    const query = request.query as Record<string, unknown>;
    for (const name of names) {
      const value = query[name];
      if (typeof value === 'string' && /^-?\d+$/.test(value))
        query[name] = Math.min(Number(value), Number.MAX_SAFE_INTEGER);
    }
  };
}
