/** Why a request to somebody else's server failed. Callers get it as a value, not as an exception. */
export type FailureName =
  | 'blocked_address'
  | 'dns_failure'
  | 'connect_timeout'
  | 'timeout'
  | 'connection_refused'
  | 'connection_reset'
  | 'unreachable'
  | 'tls_error'
  | 'invalid_response'
  | 'too_large'
  | 'aborted'
  | 'network_error';

/** Carries a failure's name through code that can only throw, such as undici's connector. `failureOf` reads it again. */
export class OutboundFailure extends Error {
  readonly failure: FailureName;

  constructor(failure: FailureName, message: string) {
    super(message);
    this.failure = failure;
  }
}

export function failureOf(error: unknown): { error: FailureName; message: string } {
  const found = causes(error);
  const named = found.find((cause) => cause instanceof OutboundFailure);
  if (named !== undefined) return { error: named.failure, message: named.message };
  for (const cause of found) {
    const name = nameOf(cause);
    if (name !== undefined) return { error: name, message: cause.message || name };
  }
  return { error: 'network_error', message: found[0]?.message ?? 'the request failed' };
}

/** The error and all its causes. An AggregateError has one for each address that was tried. */
function causes(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const parts = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...parts, error.cause].flatMap(causes)];
}

const BY_CODE: Record<string, FailureName> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ETIMEDOUT: 'connect_timeout',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EPROTO: 'tls_error',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'invalid_response',
};
const TLS_CODE = /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|HOSTNAME_)/;

function nameOf(error: Error): FailureName | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (BY_CODE[code] !== undefined) return BY_CODE[code];
  if (TLS_CODE.test(code)) return 'tls_error';
  // Errors of zlib, and of undici's parser, most of which have no code.
  if (code.startsWith('Z_') || error.name === 'HTTPParserError') return 'invalid_response';
  // undici has one code for a socket that closed early and for answers that it cannot parse.
  if (code === 'UND_ERR_SOCKET') {
    return /^bad (?:upgrade|response)/.test(error.message) ? 'invalid_response' : 'connection_reset';
  }
  return undefined;
}
