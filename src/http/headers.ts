/** On every response of whatever kind. */
export function headersOfAll(requestId: string) {
  // A browser that guesses a type might run what a guest has written.
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' };
}

/** On every page: only files of this service run in it, no other page may frame it, and no other site learns its URL. */
export function headersOfPage(own: Readonly<Record<string, string>> = {}) {
  const policy = {
    'default-src': "'self'",
    'script-src': "'self'",
    'style-src': "'self'",
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'self'",
    ...own,
    'frame-ancestors': "'none'",
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join('; '),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}
