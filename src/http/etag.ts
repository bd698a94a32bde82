import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export interface Tagged {
  readonly text: string;
  readonly etag: string;
}

/** A strong tag: two texts have the same one only if they are equal byte by byte. */
export function withEtag(text: string): Tagged {
  return { text, etag: `"${hash('sha256', text, 'base64url').slice(0, 27)}"` };
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
