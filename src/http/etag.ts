import type { Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface Tagged {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** A strong tag, of a SHA-256: two answers have the same one only if they are equal byte by byte. */
export function strongTag(hash: Hash): string {
  return `"${hash.digest('base64url').slice(0, 27)}"`;
}

export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

/**
 * Answers 304 without a body, and without the type and length of one: a cache would take those for news of what it holds.
 * An empty stream, because Fastify gives every other empty answer to HEAD a `Content-Length: 0`.
 */
export function sendNotModified(reply: FastifyReply): FastifyReply {
  return reply.code(304).send(Readable.from([]));
}

export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  { bytes, etag }: Tagged,
): FastifyReply {
  reply.header('etag', etag);
  if (matches(request.headers['if-none-match'], etag)) return sendNotModified(reply);
  return reply.type(type).send(bytes);
}
