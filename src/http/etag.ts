import { hash } from 'node:crypto';

export interface Tagged {
  readonly text: string;
  readonly etag: string;
}

/** A strong tag: the same text, and only that, has the same one. */
export function withEtag(text: string): Tagged {
  return { text, etag: `"${hash('sha256', text, 'base64url').slice(0, 27)}"` };
}

export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
