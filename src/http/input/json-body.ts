import type { FastifyInstance } from 'fastify';
import { validationError } from '../../errors.ts';

/**
 * JSON and nothing else. An empty body counts as none, so that the schema says what is missing; a body that
 * does not parse is bad input like any other.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    const body = text as string;
    if (body.trim() === '') return done(null, undefined);
    void parse(request, body, (error, value: unknown) => {
      if (error !== null) return done(invalidJson());
      if (body.includes('\\u') && holdsUnstorableText(value)) return done(unstorableText());
      done(null, value);
    });
    return undefined;
  });
}

function invalidJson(): Error {
  return validationError([{ field: 'body', message: 'must be valid JSON' }]);
}

function unstorableText(): Error {
  return validationError([{ field: 'body', message: 'must not contain NUL characters or lone surrogates' }]);
}

/** NUL (which PostgreSQL refuses) and lone surrogates (no UTF-8) reach JSON only as \u escapes. */
function holdsUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => holdsUnstorableText(key) || holdsUnstorableText(item));
}
