import type { Context } from '../context.ts';
import type { EventType } from '../events/events.ts';
import type { Environment } from '../ids/api-key.ts';
import type { FailureName } from '../outbound/failure.ts';
import { outboundRequest } from '../outbound/request.ts';
import { toTimestamp } from '../time/clock.ts';
import { parseRetryAfter } from './schedule.ts';
import { signedHeaders } from './signature.ts';
import { validSecrets } from '../secrets/signing-secrets.ts';

/** A delivery that this worker has leased, with all it needs to send it. */
export interface Claimed {
  host_id: string;
  webhook_id: string;
  event_id: string;
  attempts: number;
  lease_token: string;
  /** When the lease ends. */
  due_at: number;
  type: EventType;
  data: string;
  created_at: number;
  request_id: string | null;
  traceparent: string | null;
  environment: Environment;
  url: string;
  secret: string;
  old_secrets: string;
  failing_since: number | null;
}

type AttemptError = FailureName | 'unsuccessful_status' | 'redirect' | 'internal_error';

const IN_WORDS: Record<AttemptError, string> = {
  unsuccessful_status: 'returned',
  redirect: 'redirects, which are not followed:',
  timeout: 'no complete response within 15 seconds',
  connect_timeout: 'no connection within 5 seconds',
  connection_refused: 'connection refused',
  connection_reset: 'breaks the connection off',
  unreachable: 'cannot be reached',
  dns_failure: 'its name has no address',
  blocked_address: 'its address is not public',
  tls_error: 'its certificate is wrong, expired or not trusted',
  invalid_response: 'does not speak HTTP',
  too_large: 'response headers too large',
  network_error: 'the network failed',
  aborted: 'broken off by us',
  internal_error: 'could not be sent: see the log',
};

/** What came back from a receiver: an error's name as the database has it, or null for a success. */
export function inWords(error: string | null, responseStatus: number | null): string {
  const words = error === null ? 'returned' : (IN_WORDS[error as AttemptError] ?? error);
  return responseStatus === null ? words : `${words} ${responseStatus}`;
}

export interface Attempt {
  /** When its result was known. */
  at: number;
  /** Null on success. */
  error: AttemptError | null;
  responseStatus: number | null;
  /** What the receiver asked for, in milliseconds. */
  retryAfter: number;
}

/** A leased delivery and the result of its attempt. */
export interface Finished {
  delivery: Claimed;
  /** Undefined when it has none; then it is due again after `waitMs`, and nothing is counted. */
  attempt: Attempt | undefined;
  waitMs?: number;
}

const CONNECT_TIMEOUT_MS = 5000;
const TOTAL_TIMEOUT_MS = 15_000;
/** The answer's body is not used; a small one is read so that its connection can be reused. */
const MAX_ANSWER_BYTES = 16 * 1024;

/**
 * Sends one event to one subscription, once. Failures are returned, not thrown. Undefined when nothing was sent because
 * this process lacks the key to the subscription's secret.
 */
export async function attempt(ctx: Context, row: Claimed, signal: AbortSignal): Promise<Attempt | undefined> {
  const body = deliveryBody(row);
  const sentAt = ctx.clock.now();
  const secrets = validSecrets(ctx.secrets, row.webhook_id, row, sentAt);
  if (secrets === undefined) return undefined;
  const outcome = await outboundRequest(ctx.guard, {
    url: row.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Hourkeep-Webhooks/1',
      ...signedHeaders(secrets, row.event_id, sentAt, body),
      ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
    },
    body,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    totalTimeoutMs: TOTAL_TIMEOUT_MS,
    maxBodyBytes: MAX_ANSWER_BYTES,
    signal,
  });
  const at = ctx.clock.now();
  if (!outcome.ok) return { at, error: outcome.error, responseStatus: null, retryAfter: 0 };
  return {
    at,
    error: statusError(outcome.status),
    responseStatus: outcome.status,
    retryAfter: parseRetryAfter(outcome.headers['retry-after'], at),
  };
}

/** The same bytes at every attempt. */
function deliveryBody(row: Claimed): string {
  const head = {
    id: row.event_id,
    type: row.type,
    timestamp: toTimestamp(row.created_at),
    api_version: 'v1',
    environment: row.environment,
    request_id: row.request_id,
  };
  return `${JSON.stringify(head).slice(0, -1)},"data":${row.data}}`;
}

function statusError(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'unsuccessful_status';
}
