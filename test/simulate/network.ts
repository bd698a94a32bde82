import type { OutboundRequest, Outcome } from '../../src/outbound/request.ts';
import type { BusyTime, Delivery, ExternalCalendar, Receiver } from './operation.ts';
import { replaceModule, source } from './replace.ts';

/** Everything beyond the service: receivers of webhooks and servers of external calendars, as operations left them. */
export interface Network {
  receivers: Map<string, Receiver>;
  calendars: Map<string, ExternalCalendar['serves']>;
  /** The attempts of this operation. */
  deliveries: Delivery[];
  /** What is done with an attempt. */
  deliver(delivery: Delivery): void;
  /** The process that sends has ended: nothing arrives any more. */
  isCut: boolean;
}

export const network: Network = {
  receivers: new Map(),
  calendars: new Map(),
  deliveries: [],
  deliver: (delivery) => network.deliveries.push(delivery),
  isCut: false,
};

/**
 * From now on `src/outbound/request.ts` is this file. Sockets would bring responses in an order that depends on the machine and cost
 * more than the request that caused the delivery. What is sent and how it is signed is the service's own; the sockets have tests of
 * their own beside it.
 */
export function takeOverNetwork(): void {
  replaceModule(source('outbound/request.ts'), import.meta.url);
  replaceModule(source('calendars/read.ts'), new URL('calendar-reader.ts', import.meta.url).href);
}

/** In place of the service's function of this name. */
export async function outboundRequest(_guard: unknown, request: OutboundRequest): Promise<Outcome> {
  if (network.isCut) return LOST;
  return request.method === 'POST' ? deliver(request) : serveCalendar(request.url);
}

function deliver({ url, headers, body = '' }: OutboundRequest): Outcome {
  const signed = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'));
  network.deliver({ url, headers: Object.fromEntries(signed), body: body.toString() });
  const { status, retryAfter } = network.receivers.get(url) ?? { status: 204 };
  if (status === 'lost') return LOST;
  return answer(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
}

function serveCalendar(url: string): Outcome {
  const serves = network.calendars.get(url) ?? 404;
  if (serves === 'lost') return LOST;
  if (typeof serves === 'number') return answer(serves);
  return answer(200, {}, serves === 'broken' ? 'This is no calendar.' : ics(serves));
}

const LOST: Outcome = { ok: false, error: 'connection_reset', message: 'the connection broke off' };

function answer(status: number, headers: Record<string, string> = {}, text = ''): Outcome {
  return { ok: true, status, headers, body: Buffer.from(text), truncated: false };
}

/** The text of a calendar that is busy then. */
function ics(times: BusyTime[]): string {
  const compact = (time: string) => time.replace(/[-:]|\.\d+/g, '');
  const value = (time: string) => (time.length === 10 ? `;VALUE=DATE:${compact(time)}` : `:${compact(time)}`);
  const events = times.flatMap(({ start, end }, i) => [
    'BEGIN:VEVENT',
    `UID:${i}-${compact(start)}@elsewhere.example`,
    'DTSTAMP:20260101T000000Z',
    `DTSTART${value(start)}`,
    `DTEND${value(end)}`,
    'SUMMARY:Busy',
    'END:VEVENT',
  ]);
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//elsewhere//EN', ...events, 'END:VCALENDAR'];
  return `${lines.join('\r\n')}\r\n`;
}
