import type { ErrorAnswer } from './document.ts';
import { HourkeepError, type ErrorCode } from './error.ts';
import { Pace } from './pace.ts';
import { VERSION } from './version.ts';
import { sleep, within } from './within.ts';

export interface HourkeepOptions {
  /** `hk_live_…` sees the host's production spaces, `hk_test_…` the sandbox. */
  apiKey: string;
  /** Where the service is, such as `https://api.example.com`. */
  baseUrl: string;
  /** How often a call may be repeated when that is safe. Default: 2. */
  maxRetries?: number | undefined;
  /** How long one attempt may take until its whole answer is there; 0 is for ever. Default: 30 000. */
  timeoutMs?: number | undefined;
  /**
   * How long a call may wait for its turn when the key's requests are used up; beyond, it is refused with `RATE_LIMIT_EXCEEDED`.
   * Default: 90 000.
   */
  maxWaitMs?: number | undefined;
  /** Is called with every response, for logs. What it throws is ignored. */
  onResponse?: ((answer: AnswerSeen) => void) | undefined;
  /** Instead of the platform's own. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

export interface AnswerSeen {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  /** From 1 on: which attempt of its call this was. */
  attempt: number;
  durationMs: number;
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
  /** Whether it is harmless to do it again, not knowing whether it was done. */
  repeatable?: boolean;
  /** Of a deletion: its answer when a repeated attempt finds nothing, because one before has done it. */
  whenGone?: object;
}

/** Answers with `data`. */
export type Send = <T>(call: Call, options: CallOptions | undefined) => Promise<T>;

export function createSend(options: HourkeepOptions): Send {
  const { apiKey, baseUrl, maxRetries = 2, timeoutMs = 30_000, maxWaitMs = 90_000, onResponse } = options;
  if (!apiKey || !baseUrl) throw new TypeError('Hourkeep needs an apiKey and a baseUrl');
  const base = addressOf(baseUrl);
  // Pages may not name themselves; elsewhere the service's log shows who asks.
  const headers = { authorization: `Bearer ${apiKey}`, 'user-agent': `hourkeep-client/${VERSION}` };
  // A key that cannot stand in a header fails here, not as a connection that is lost again and again.
  void new Headers(headers);
  // Looked up at every call, and never called as a method: browsers refuse that.
  const doFetch = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
  const pace = new Pace(maxWaitMs);

  return async <T>(call: Call, { signal }: CallOptions = {}) => {
    const url = base + call.path + queryOf(call.query);
    const init: RequestInit = { method: call.method, headers, redirect: 'manual' };
    if (call.body !== undefined) {
      init.headers = { ...headers, 'content-type': 'application/json' };
      init.body = JSON.stringify(call.body);
    }
    let mayBeDone = false;
    for (let attempt = 0; ; attempt += 1) {
      const ask = async (turn: number, sent: RequestInit): Promise<Response> => {
        const sentAt = Date.now();
        const answer = await doFetch(url, sent);
        pace.learn(turn, answer.headers);
        const { status, headers: answered } = answer;
        const seen = { method: call.method, path: call.path, status, headers: answered };
        tell(onResponse, { ...seen, attempt: attempt + 1, durationMs: Date.now() - sentAt });
        return answer;
      };
      try {
        const work = (turn: number) => once((sent) => ask(turn, sent), init, timeoutMs, signal);
        return (await pace.send(signal, work)) as T;
      } catch (error) {
        if (mayBeDone && call.whenGone !== undefined && isNotFound(error)) return call.whenGone as T;
        mayBeDone ||= !wasNotDone(error);
        const mayAgain = attempt < maxRetries && mayRepeat(error, call.repeatable === true);
        const wait = mayAgain ? waitAfter(error, attempt) : Infinity;
        if (wait * 1000 > maxWaitMs) throw error;
        await sleep(wait * 1000, signal);
      }
    }
  };
}

/** Without a scheme `localhost:3000` would be an address of the scheme `localhost`. */
function addressOf(baseUrl: string): string {
  const { protocol, href } = new URL(baseUrl);
  if (!/^https?:$/.test(protocol))
    throw new TypeError(`baseUrl must begin with https:// or http://: ${baseUrl}`);
  return href.replace(/\/+$/, '');
}

function tell(onResponse: HourkeepOptions['onResponse'], seen: AnswerSeen): void {
  try {
    onResponse?.(seen);
  } catch {
    // Whoever looks on does not decide how a call ends.
  }
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** One attempt. Whatever ends it first decides: the answer, the signal, the clock or the connection. */
async function once(
  ask: (init: RequestInit) => Promise<Response>,
  init: RequestInit,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const controller = new AbortController();
  const work = (): Promise<unknown> => exchange(() => ask({ ...init, signal: controller.signal }));
  const late = (): never => {
    throw new HourkeepError('TIMEOUT', `No answer within ${timeoutMs} ms`);
  };
  try {
    return await within(timeoutMs || Infinity, signal, late, work);
  } finally {
    // Lets go of a connection on which an answer may still be under way.
    controller.abort();
  }
}

async function exchange(ask: () => Promise<Response>): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await ask();
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
    outcome: error?.outcome,
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

function isNotFound(error: unknown): boolean {
  return error instanceof HourkeepError && error.code === 'NOT_FOUND';
}

function wasNotDone(error: unknown): boolean {
  return error instanceof HourkeepError && (error.status === 429 || error.outcome === 'not_done');
}

/** What was certainly not done may always be repeated; what may have been done, where repeating is harmless. */
function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (!(error instanceof HourkeepError)) return false;
  const { code, status } = error;
  // Velocity is a rule about one guest: waiting in line for it would only hide the refusal.
  if (code === 'GUEST_BOOKING_VELOCITY') return false;
  if (wasNotDone(error)) return true;
  const isUnknown = code === 'TIMEOUT' || code === 'CONNECTION_LOST' || [500, 502, 503, 504].includes(status);
  return isUnknown && repeatable;
}

/** In seconds: what the service asks for, or from a quarter of a second on, doubled each time; by chance more, so that many do not come back at once. */
function waitAfter(error: unknown, attempt: number): number {
  const { retryAfter } = error as HourkeepError;
  return retryAfter === undefined
    ? 0.25 * 2 ** attempt * (1 + Math.random())
    : retryAfter + 0.25 * Math.random();
}
