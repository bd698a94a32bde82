import { isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unsupportedMediaType, invalid } from '../../errors.ts';

/**
 * Accepts JSON in UTF-8 and nothing else. Whatever would have to be guessed at, converted or repaired is refused, so
 * that nothing is stored as something else than what was sent.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, payload, done) => {
    const bytes = payload as Buffer;
    if (bytes.length === 0) return done(null, undefined);
    const refusal = undecodable(request, bytes);
    if (refusal !== undefined) return done(refusal);
    const text = bytes.toString().replace(/^\ufeff/, '');
    if (text.trim() === '') return done(null, undefined);
    let value: unknown;
    try {
      // Not Fastify's parser: a field "constructor" makes it search the whole value, which takes ten times as long as parsing.
      // It searches for __proto__, which the validator rejects like every other unknown field.
      value = JSON.parse(text);
    } catch {
      return done(invalid('body', 'must be valid JSON'));
    }
    return done(null, value);
  });
  // Node knows only after its event whether the body came together with the headers. A client that has gone by then is forgotten.
  app.addHook('onRequest', (request, reply, done) => {
    if (isArriving(request)) setImmediate(() => reply.raw.destroyed || done());
    else done();
  });
  // No body counts as an empty object, so that the answer names the fields that are missing.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {};
    done();
  });
}

/** Whether the client has not sent all of the body yet. */
export function isArriving({ raw, headers }: FastifyRequest): boolean {
  return !raw.complete && (headers['content-length'] ?? headers['transfer-encoding']) !== undefined;
}

function undecodable({ headers }: FastifyRequest, bytes: Buffer): Error | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '')
    return unsupportedMediaType('Send the request body without a Content-Encoding');
  if (!UTF8_NAMES.includes(declaredCharset(headers['content-type'])))
    return unsupportedMediaType('Send the request body in UTF-8, and declare no other charset');
  return isUtf8(bytes) ? undefined : invalid('body', 'must be UTF-8');
}

const UTF8_NAMES = ['utf-8', 'utf8'];

/** UTF-8 where none is declared: JSON has no other encoding (RFC 8259). */
function declaredCharset(contentType = ''): string {
  if (!contentType.includes(';')) return 'utf-8';
  try {
    return new MIMEType(contentType).params.get('charset')?.toLowerCase() ?? 'utf-8';
  } catch {
    return 'unknown';
  }
}
