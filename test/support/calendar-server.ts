import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, before } from 'node:test';
import { calendarOf } from './busy-hours.ts';
import { listening } from './listening.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Somebody else's calendar server: real, local, and it answers what the test says. */
export interface CalendarServer {
  url: string;
  /** Every request so far. */
  requests: IncomingMessage[];
  /** From now on the answer is this calendar, with status 200. */
  serve(text: string | Buffer, headers?: Record<string, string>): void;
  /** One event a line: `10:00-12:00 on 2027-03-18`, on the space's clock. */
  serveEvents(...events: readonly string[]): void;
  answer(status: number, text?: string, headers?: Record<string, string>): void;
  handle(handler: Handler): void;
}

export function useCalendarServer(): CalendarServer {
  let handler: Handler = (_request, response) => response.writeHead(404).end();
  const answer = (status: number, body: string | Buffer, headers: Record<string, string> = {}): void => {
    handler = (_request, response) => response.writeHead(status, headers).end(body);
  };
  const calendars: CalendarServer = {
    url: '',
    requests: [],
    serve: (text, headers = {}) => answer(200, text, { 'content-type': 'text/calendar', ...headers }),
    serveEvents: (...events) => calendars.serve(calendarOf(...events.map(toLines))),
    answer: (status, text = '', headers = {}) => answer(status, text, headers),
    handle: (next) => {
      handler = next;
    },
  };
  const server = createServer((request, response) => {
    calendars.requests.push(request);
    handler(request, response);
  });
  let close: () => Promise<void>;
  before(async () => {
    const started = await listening(server);
    calendars.url = `http://127.0.0.1:${started.port}/secret-token/calendar.ics`;
    close = started.close;
  });
  after(() => close());
  return calendars;
}

function toLines(event: string): string[] {
  const match = /^(\d\d):00-(\d\d):00 on (\d{4}-\d\d-\d\d)$/.exec(event);
  if (match === null) throw new Error(`not an event: ${event}`);
  const [, from, to, date = ''] = match;
  const day = date.replaceAll('-', '');
  return [`UID:${event.replaceAll(/[^0-9]/g, '')}`, `DTSTART:${day}T${from}0000`, `DTEND:${day}T${to}0000`];
}
