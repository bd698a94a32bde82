/**
 * What the load generator asks for, by number, so that a request is computed where it is sent and a million
 * distinct ones need no memory. The same number gives the same request in every process.
 */
export type Work = {
  /** Ask this path instead, with the same bodies: the bare route. */
  readonly path?: string;
} & (
  | { readonly kind: 'paths'; readonly paths: readonly { path: string; key: string }[] }
  | { readonly kind: 'read'; readonly callers: readonly Caller[]; readonly dates: readonly string[] }
  | {
      readonly kind: 'create';
      readonly callers: readonly Caller[];
      readonly dates: readonly string[];
      /** So many at a time want the same hour: one gets it, the others are refused. */
      readonly crowd?: number;
    }
);

export interface Caller {
  readonly key: string;
  readonly spaces: readonly string[];
}

const CREATE_PATH = '/api-create-booking/api/v1/bookings';

export function availabilityPath(space: string, date: string): string {
  return `/api-availability/api/v1/spaces/${space}/availability?date=${date}`;
}

/** Asks for these paths in turns. */
export function asking(key: string, ...paths: readonly string[]): Work {
  return { kind: 'paths', paths: paths.map((path) => ({ path, key })) };
}

export function feedPaths({
  spaces,
  feedTokens,
}: Caller & { readonly feedTokens: readonly string[] }): string[] {
  return spaces.map((space, i) => `/api-ical-feed?space_id=${space}&token=${feedTokens[i]}`);
}

/** The bytes of request number n. */
export function requestText(work: Work, n: number): string {
  if (work.kind === 'paths') {
    const { path, key } = work.paths[n % work.paths.length]!;
    return `${head('GET', work.path ?? path, key)}\r\n`;
  }
  if (work.kind === 'read') {
    const { caller, space } = place(work.callers, n);
    // A prime step: neighbouring requests read days far apart.
    const date = work.dates[(n * 7919) % work.dates.length]!;
    return `${head('GET', work.path ?? availabilityPath(space, date), caller.key)}\r\n`;
  }
  return createText(work, n);
}

/** Booking number n has a guest of its own, and without a crowd an hour; neighbours lie in different spaces. */
function createText({ callers, dates, crowd, path }: Extract<Work, { kind: 'create' }>, n: number): string {
  const { caller, space, round } = place(callers, Math.floor(n / (crowd ?? 1)));
  const startHour = Math.floor(round / dates.length) % 24;
  const body = JSON.stringify({
    space_id: space,
    date: dates[round % dates.length]!,
    start_hour: startHour,
    end_hour: startHour + 1,
    guest_email: `guest-${n}@example.com`,
    guest_name: 'Ada Miller',
    guest_phone: '+1 212 555 0142',
    settlement_mode: 'host_settled',
    idempotency_key: `${crowd === undefined ? 'order' : 'crowd'}-${n}`,
  });
  const bodyHead = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return head('POST', path ?? CREATE_PATH, caller.key) + bodyHead + body;
}

function place(callers: readonly Caller[], n: number): { caller: Caller; space: string; round: number } {
  const caller = callers[n % callers.length]!;
  const rest = Math.floor(n / callers.length);
  const { spaces } = caller;
  return { caller, space: spaces[rest % spaces.length]!, round: Math.floor(rest / spaces.length) };
}

function head(method: string, path: string, key: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n`;
}
