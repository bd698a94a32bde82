import type { FailureName } from '../outbound/failure.ts';
import type { Guard } from '../outbound/guard.ts';
import { outboundRequest } from '../outbound/request.ts';
import { MAX_BYTES } from './parse/limits.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** For all of it, redirects included. */
const TOTAL_TIMEOUT_MS = 20_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** A mark longer than this is not worth keeping. */
const MAX_MARK_LENGTH = 1000;

/** What the other side said about this version of the calendar. */
export interface Marks {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export type Fetched =
  | { readonly kind: 'content'; readonly bytes: Uint8Array; readonly marks: Marks }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly error: string; readonly retryAfterMs: number };

/**
 * Downloads a calendar unless it still is what the marks say. Exporters move their addresses, so redirects are
 * followed, each under the same guard. Whatever goes wrong is told without the address: it may hold a secret.
 */
export async function fetchCalendar(
  guard: Guard,
  address: string,
  known: Marks,
  signal: AbortSignal,
): Promise<Fetched> {
  const deadline = performance.now() + TOTAL_TIMEOUT_MS;
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await outboundRequest(guard, {
      url,
      method: 'GET',
      headers: requestHeaders(known),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      totalTimeoutMs: Math.max(1, Math.ceil(deadline - performance.now())),
      maxBodyBytes: MAX_BYTES,
      decompress: true,
      signal,
    });
    if (!answer.ok) return failed(WORDS[answer.error] ?? answer.message);
    const { status, headers } = answer;
    if (status === 304 && (known.etag !== null || known.lastModified !== null)) return { kind: 'unchanged' };
    if (status === 200) {
      if (answer.truncated) return failed(`the calendar is larger than ${MAX_BYTES / 1024 / 1024} MB`);
      return { kind: 'content', bytes: answer.body, marks: marksOf(headers) };
    }
    const { location } = headers;
    const target = REDIRECTS.has(status) && location !== undefined ? URL.parse(asHttps(location), url) : null;
    if (target === null) return failed(`the server returned status ${status}`, headers['retry-after']);
    if (!/^https?:$/.test(target.protocol)) return failed('the server redirects to what is no https address');
    url = target.href;
  }
  return failed('the server redirects too often');
}

/** Calendar programs write `webcal:` for "subscribe to this". */
export function asHttps(address: string): string {
  return address.replace(/^webcals?:/i, 'https:');
}

/** Where the message of the network names addresses or times that differ from poll to poll. */
const WORDS: Partial<Record<FailureName, string>> = {
  connect_timeout: `no connection within ${CONNECT_TIMEOUT_MS / 1000} s`,
  timeout: `no complete response within ${TOTAL_TIMEOUT_MS / 1000} s`,
  connection_refused: 'connection refused',
  connection_reset: 'the connection broke off',
  unreachable: 'the server cannot be reached',
};

function requestHeaders(known: Marks): Record<string, string> {
  return {
    accept: 'text/calendar, */*;q=0.1',
    'user-agent': 'Hourkeep calendar import',
    ...(known.etag === null ? {} : { 'if-none-match': known.etag }),
    ...(known.lastModified === null ? {} : { 'if-modified-since': known.lastModified }),
  };
}

function marksOf(headers: Record<string, string>): Marks {
  return { etag: mark(headers['etag']), lastModified: mark(headers['last-modified']) };
}

/** Only what can be sent back and stored as it is. */
function mark(value: string | undefined): string | null {
  return value !== undefined && value.length <= MAX_MARK_LENGTH && /^[\x20-\x7e]+$/.test(value)
    ? value
    : null;
}

function failed(error: string, retryAfter = ''): Fetched {
  const seconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : 0;
  return { kind: 'failed', error, retryAfterMs: seconds * 1000 };
}
