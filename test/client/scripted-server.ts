import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach } from 'node:test';

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** On the monotonic clock, in milliseconds. */
  at: number;
}

export type Act = (response: ServerResponse) => void;

/** A real server that does what it is told with one request after the other; the last act is for all that follow. */
export function useScriptedServer(): {
  url(): string;
  received: Received[];
  /** Starts anew: what was received before is forgotten. */
  play(...acts: Act[]): void;
} {
  const received: Received[] = [];
  let acts: Act[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      received.push({ method, path, headers, body, at: performance.now() });
      (acts.length > 1 ? acts.shift() : acts[0])?.(response);
    });
  });
  beforeEach(async () => {
    if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    play: (...next) => {
      received.length = 0;
      acts = next;
    },
  };
}

export const succeed =
  (data: unknown, headers: Record<string, string> = {}): Act =>
  (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ success: true, data }));

export const refuse =
  (status: number, code: string, headers: Record<string, string> = {}, outcome?: string): Act =>
  (response) => {
    const message = `${code} happened`;
    const error = { code, message, http_status: status, request_id: 'request-1', outcome };
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ success: false, error }));
  };

/** Before a byte of the answer. */
export const cut: Act = (response) => response.destroy();

export const neverAnswer: Act = () => undefined;

/** Begins to answer and stops. */
export const stall: Act = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"success":');
};
