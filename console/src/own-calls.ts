import { HourkeepError, type ErrorCode } from '@hourkeep/client';

// The console's own addresses, beside the API: its session, its keys, invitations.

/** No other site can make a browser send it: with the cookie alone nothing is answered. */
const OWN_HEADER = 'x-hourkeep-console';

/** Sends a request of the API's client with the session instead of a key. */
export function sendWithSession(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete('authorization');
  headers.set(OWN_HEADER, '1');
  return fetch(url, { ...init, headers });
}

export async function ask<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  timeoutMs = 20_000,
): Promise<T> {
  const answer = await fetch(new URL(path, document.baseURI), {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    headers: { [OWN_HEADER]: '1', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new HourkeepError('CONNECTION_LOST', 'The connection to the service was lost', { cause });
  });
  const { data, error } = (await answer.json().catch(() => ({}))) as Answer<T>;
  if (answer.ok && data !== undefined) return data;
  throw new HourkeepError(
    (error?.code as ErrorCode | undefined) ?? 'UNEXPECTED_ANSWER',
    error?.message ?? `HTTP ${answer.status}`,
    {
      status: answer.status,
      requestId: error?.request_id,
      details: error?.details,
      outcome: error?.outcome,
      retryAfter: Number(answer.headers.get('retry-after') ?? 1),
    },
  );
}

interface Answer<T> {
  data?: T;
  error?: { code: string; message: string; request_id: string; details?: never; outcome?: never };
}
