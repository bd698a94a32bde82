import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { listening } from '../support/listening.ts';

interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** On the monotonic clock, in milliseconds. */
  at: number;
}

interface Passed {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** What happens to one request. `pass` hands it to the service; only then is it done. */
export type Act = (response: ServerResponse, pass: () => Promise<Passed>) => unknown;

/** Stands between a client and the service, and misbehaves with the next requests as it is told. Those that follow are passed on. */
export interface Proxy {
  url: string;
  /** What has come since `play`. */
  received: Received[];
  /** Everything that has ever come. */
  all: Received[];
  play(...acts: Act[]): void;
  close(): Promise<void>;
}

export async function startProxy(
  upstream: string,
  certificate?: { cert: string; key: string },
): Promise<Proxy> {
  let acts: Act[] = [];
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const seen = { method, path, headers, body, at: performance.now() };
      proxy.received.push(seen);
      proxy.all.push(seen);
      const kept = ['authorization', 'content-type', 'user-agent'].filter(
        (name) => headers[name] !== undefined,
      );
      const passed = Object.fromEntries(kept.map((name) => [name, String(headers[name])]));
      const pass = async (): Promise<Passed> => {
        const init = { method, headers: passed, ...(body === '' ? {} : { body }) };
        const answer = await fetch(upstream + path, init);
        const { 'content-length': _, connection: __, ...others } = Object.fromEntries(answer.headers);
        return { status: answer.status, headers: others, text: await answer.text() };
      };
      (acts.shift() ?? passOn())(response, pass);
    });
  };
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  const { port, close } = await listening(server);
  const proxy: Proxy = {
    url: `${certificate === undefined ? 'http://127.0.0.1' : 'https://localhost'}:${port}`,
    received: [],
    all: [],
    play: (...next) => {
      proxy.received.length = 0;
      acts = next;
    },
    close,
  };
  return proxy;
}

/** The service's own answer, with other headers. */
export const passOn =
  (headers: Record<string, string> = {}): Act =>
  async (response, pass) => {
    const passed = await pass();
    response.writeHead(passed.status, { ...passed.headers, ...headers }).end(passed.text);
  };

export const answer =
  (status: number, text: string, headers: Record<string, string> = {}): Act =>
  (response) =>
    response.writeHead(status, headers).end(text);

/** As the service succeeds. */
export const succeed = (data: unknown, headers: Record<string, string> = {}): Act =>
  answer(200, JSON.stringify({ success: true, data }), { 'content-type': 'application/json', ...headers });

/** As the service refuses. */
export const refuse = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  outcome?: string,
): Act => {
  const error = { code, message: `${code} happened`, http_status: status, request_id: 'request-1', outcome };
  const json = { 'content-type': 'application/json', ...headers };
  return answer(status, JSON.stringify({ success: false, error }), json);
};

/** Before a byte of the answer. */
export const cut: Act = (response) => response.destroy();

/** In the middle of the answer, which has its length. */
export const cutHalfway: Act = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"success":true,', () => response.destroy());
};

/** In the middle of the answer, which comes in chunks. */
export const cutInChunks: Act = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"success":true,', () => response.destroy());
};

/** Bytes that are not HTTP. */
export const speakSmtp: Act = (response) => response.socket?.end('220 mail.example.com ESMTP\r\n');

export const neverAnswer: Act = () => undefined;

/** Begins to answer and stops. */
export const stall: Act = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"success":');
};

/** A space every 20 milliseconds, for ever. */
export const trickle: Act = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

/** Has it done by the service, keeps the service's answer to itself, and misbehaves then. */
export const doneThen =
  (act: Act): Act =>
  async (response, pass) => {
    await pass();
    act(response, pass);
  };

export const after =
  (ms: number, act: Act): Act =>
  (response, pass) =>
    setTimeout(() => act(response, pass), ms);
