import type { ErrorAnswer } from './document.ts';
import { HourkeepError, type ErrorCode } from './error.ts';

export interface HourkeepOptions {
  /** `hk_live_…` sees the host's production spaces, `hk_test_…` the sandbox. */
  apiKey: string;
  /** Where the service is, such as `https://api.example.com`. */
  baseUrl: string;
  /** How often a call may be repeated when that is safe. Default: 2. */
  maxRetries?: number | undefined;
  /** How long one attempt may take until its whole answer is there; 0 is for ever. Default: 30 000. */
  timeoutMs?: number | undefined;
  /** Instead of the platform's own. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: object | undefined;
  body?: object | undefined;
  /** Whether a second attempt does nothing that the first has not done, and is answered as the first would be. */
  repeatable?: boolean;
}

/** Answers with `data`. */
export type Send = <T>(call: Call, options: CallOptions | undefined) => Promise<T>;

/** As long as the window of the rate limit: whoever exceeds it is told to wait no longer than this. */
const LONGEST_WAIT_SECONDS = 60;

export function createSend(options: HourkeepOptions): Send {
  const { apiKey, baseUrl, maxRetries = 2, timeoutMs = 30_000 } = options;
  if (!apiKey || !baseUrl) throw new TypeError('Hourkeep needs an apiKey and a baseUrl');
  const base = new URL(baseUrl).href.replace(/\/+$/, '');
  const headers = { authorization: `Bearer ${apiKey}` };
  // A key that cannot stand in a header fails here, not as a connection that is lost again and again.
  void new Headers(headers);
  // Looked up at every call, and never called as a method: browsers refuse that.
  const doFetch = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));

  return async <T>(call: Call, { signal }: CallOptions = {}) => {
    const url = base + call.path + queryOf(call.query);
    const init: RequestInit = { method: call.method, headers, redirect: 'manual' };
    if (call.body !== undefined) {
      init.headers = { ...headers, 'content-type': 'application/json' };
      init.body = JSON.stringify(call.body);
    }
    for (let attempt = 0; ; attempt += 1) {
      try {
        return (await once(doFetch, url, init, timeoutMs, signal)) as T;
      } catch (error) {
        const wait = attempt < maxRetries ? waitAfter(error, call.repeatable === true, attempt) : undefined;
        if (wait === undefined) throw error;
        await sleep(wait * 1000, signal);
      }
    }
  };
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** One attempt. Whatever ends it first decides: the answer, the signal, the clock or the connection. */
async function once(
  doFetch: NonNullable<HourkeepOptions['fetch']>,
  url: string,
  init: RequestInit,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const controller = new AbortController();
  const work = (): Promise<unknown> => exchange(doFetch, url, { ...init, signal: controller.signal });
  const late = async (): Promise<never> => {
    throw new HourkeepError('TIMEOUT', `No answer within ${timeoutMs} ms`);
  };
  try {
    return await within(timeoutMs || Infinity, signal, late, work);
  } finally {
    // Lets go of a connection on which an answer may still be under way.
    controller.abort();
  }
}

async function exchange(
  doFetch: NonNullable<HourkeepOptions['fetch']>,
  url: string,
  init: RequestInit,
): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await doFetch(url, init);
    text = await response.text();
  } catch (cause) {
    throw new HourkeepError('CONNECTION_LOST', 'The connection to the service was lost', { cause });
  }
  return dataOf(response, text);
}

function dataOf({ status, ok, headers }: Response, text: string): unknown {
  const answer = parsed(text);
  if (ok && answer?.success === true) return answer.data;
  const error = answer?.success === false ? answer.error : undefined;
  const message = error?.message ?? `Not an answer of the Hourkeep API (status ${status}): is baseUrl right?`;
  throw new HourkeepError((error?.code as ErrorCode | undefined) ?? 'UNEXPECTED_ANSWER', message, {
    status,
    requestId: error?.request_id ?? headers.get('x-request-id') ?? undefined,
    details: error?.details,
    retryAfter: secondsOf(headers.get('retry-after')),
  });
}

function parsed(text: string): { success: true; data: unknown } | ErrorAnswer | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds, or a date as HTTP also allows. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.max(0, (Date.parse(retryAfter) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** In seconds; undefined where repeating would not be right. */
function waitAfter(error: unknown, repeatable: boolean, attempt: number): number | undefined {
  if (!(error instanceof HourkeepError)) return undefined;
  const { code, status, retryAfter } = error;
  // From a quarter of a second on, doubled each time; by chance, so that many clients do not come back at once.
  const backOff = 0.25 * 2 ** attempt * (1 + Math.random());
  if (code === 'CONNECTION_LOST') return repeatable ? backOff : undefined;
  // Velocity is a rule about one guest: waiting in line for it would only hide the refusal.
  if ((status !== 429 && status !== 503) || code === 'GUEST_BOOKING_VELOCITY') return undefined;
  const wait = retryAfter ?? backOff;
  return wait <= LONGEST_WAIT_SECONDS ? wait : undefined;
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const over = async (): Promise<void> => undefined;
  await within(ms, signal, over, () => new Promise(() => undefined));
}

/** What comes first: the end of the work, what `late` says when the time is over, or the signal's reason. */
async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  late: () => Promise<T>,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = (): void => undefined;
  const other = new Promise<T>((resolve, reject) => {
    // Timers count in 32 bits: a longer one would be over at once.
    if (ms < 2 ** 31) timer = setTimeout(() => resolve(late()), ms);
    abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([work(), other]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
