import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { notHttp, type ApiError } from '../errors.ts';
import { failure } from './envelope.ts';
import { headersOfAll } from './headers.ts';

/**
 * Answers bytes that Node could not read as an HTTP request. No request and no reply exist for them, so the envelope is
 * written straight to the socket, and the connection is closed.
 */
export function answerBrokenHttp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { _httpMessage: current } = socket as SocketOfServer;
  if (current && (current.req.complete || current.headersSent)) {
    // The broken bytes follow a request that is still being answered. Let that answer go out, and say nothing more:
    // a client would take whatever is written now for the answer to its request.
    current.shouldKeepAlive = false;
    current.once('finish', () => socket.destroySoon());
    return;
  }
  const answer = toAnswer(error.code);
  const id = randomUUID();
  const body = JSON.stringify(failure(answer, id));
  const headers = {
    ...headersOfAll(id),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...answer.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${answer.httpStatus} ${STATUS_CODES[answer.httpStatus]}\r\n${lines.join('')}\r\n${body}`,
  );
}

/**
 * Closes a connection on which nothing moves, such as one whose client has stopped reading its answer; but not while an answer
 * is being made, however long a long read has to wait for its turns.
 */
export function closeIdle(socket: Socket): void {
  const { _httpMessage: current } = socket as SocketOfServer;
  if (!current?.req.complete || current.headersSent) socket.destroy();
}

/** Node keeps the answer that is being written in this field, for its own use; its own error handling asks it too. */
type SocketOfServer = Socket & { _httpMessage?: ServerResponse | null };

function toAnswer(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return notHttp(431, 'The request headers are too large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return notHttp(408, 'The request took too long to arrive');
  return notHttp(400, 'The request is not valid HTTP');
}

/**
 * HTTP/1.1 requires exactly one Host (RFC 9112, 3.2). Node can check that too, but answers without our envelope, and
 * takes the first of two.
 */
export function hostProblem(request: IncomingMessage): ApiError | undefined {
  const { rawHeaders, httpVersion } = request;
  const hosts = rawHeaders.filter((text, at) => at % 2 === 0 && /^host$/i.test(text)).length;
  if (hosts > 1) return notHttp(400, 'The request has more than one Host header');
  if (hosts === 0 && httpVersion === '1.1') return notHttp(400, 'The request has no Host header');
  return undefined;
}
