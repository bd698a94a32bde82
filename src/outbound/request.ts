import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { failureOf, OutboundFailure, type FailureName } from './failure.ts';
import type { Guard } from './guard.ts';

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer;
  connectTimeoutMs: number;
  /** From looking up the name to the last byte of the answer. */
  totalTimeoutMs: number;
  /** Reading stops here. Counted after decompression. */
  maxBodyBytes: number;
  /** Ask for gzip, and unpack it. */
  decompress?: boolean;
  /** Ends it early, with the outcome `aborted`. */
  signal?: AbortSignal;
}

export type Outcome =
  | { ok: true; status: number; headers: Record<string, string>; body: Buffer; truncated: boolean }
  | { ok: false; error: FailureName; message: string };

/**
 * Sends one request to an address that a customer chose: checked by the guard, limited in time and memory, without
 * redirects or a proxy. It never throws for what the other side does: the outcome tells.
 */
export async function outboundRequest(guard: Guard, request: OutboundRequest): Promise<Outcome> {
  const end = new AbortController();
  const late = new OutboundFailure('timeout', `no complete answer within ${request.totalTimeoutMs} ms`);
  const timer = setTimeout(() => end.abort(late), request.totalTimeoutMs);
  const abandon = (): void => end.abort(new OutboundFailure('aborted', 'the request was abandoned'));
  request.signal?.addEventListener('abort', abandon);
  try {
    if (request.signal?.aborted) abandon();
    const answer = await send(guard, request, end.signal);
    const headers = flatHeaders(answer.headers);
    const { body, truncated } = await readBody(answer.body, headers, request);
    return { ok: true, status: answer.statusCode, headers, body, truncated };
  } catch (error) {
    return { ok: false, ...failureOf(end.signal.aborted ? end.signal.reason : error) };
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', abandon);
  }
}

async function send(
  guard: Guard,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const url = new URL(request.url);
  if (url.username !== '' || url.password !== '') {
    throw new OutboundFailure('blocked_address', 'a URL with a user name or password is not used');
  }
  return agentFor(guard, request.connectTimeoutMs).request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: request.decompress ? { 'accept-encoding': 'gzip', ...request.headers } : request.headers,
    body: request.body ?? null,
    signal,
  });
}

/** Less than most servers keep an idle connection open, so that few requests go out on one that is being closed. */
const KEEP_ALIVE_MS = 2000;
const MAX_HEADER_BYTES = 16 * 1024;

const agents = new WeakMap<Guard, Map<number, Agent>>();

/** One pool of connections for each guard and connect timeout: undici sets that timeout for a whole pool. */
function agentFor(guard: Guard, connectTimeoutMs: number): Agent {
  const ofGuard = agents.getOrInsertComputed(guard, () => new Map<number, Agent>());
  return ofGuard.getOrInsertComputed(
    connectTimeoutMs,
    () =>
      new Agent({
        connect: guardedConnector(guard, connectTimeoutMs),
        allowH2: false,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
  );
}

/**
 * Asks the guard when it connects, and connects to the addresses that the guard has checked: a name that resolves to
 * something else a moment later gains nothing. Node looks up names only, so a literal address is checked here.
 */
function guardedConnector(guard: Guard, timeout: number): buildConnector.connector {
  const vet = callbackify(guard.addresses);
  const connectorFor = (protocol: string) =>
    buildConnector({ timeout, allowH2: false, lookup: vettedLookup(guard, protocol) });
  const connectors = { 'https:': connectorFor('https:'), 'http:': connectorFor('http:') };
  return (options, callback) => {
    const connect = options.protocol === 'https:' ? connectors['https:'] : connectors['http:'];
    if (isIP(options.hostname) === 0) {
      connect(options, callback);
      return;
    }
    vet(options, (error: Error | null, vetted) => {
      if (error !== null) callback(error, null);
      else if ('refused' in vetted) callback(blocked(vetted.refused), null);
      else connect(options, callback);
    });
  };
}

function vettedLookup(guard: Guard, protocol: string): LookupFunction {
  const vet = callbackify(guard.addresses);
  return (hostname, options, callback) => {
    vet({ hostname, protocol }, (error: Error | null, vetted) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      if ('refused' in vetted) {
        callback(blocked(vetted.refused), []);
        return;
      }
      const all = vetted.allowed.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const [first] = all;
      if (first === undefined) callback(new OutboundFailure('dns_failure', 'the name has no address'), []);
      else if (options.all === true) callback(null, all);
      else callback(null, first.address, first.family);
    });
  };
}

function blocked(reason: string): OutboundFailure {
  return new OutboundFailure('blocked_address', `the URL ${reason}`);
}

function flatHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** Stops reading at the limit; leaving the loop destroys the streams, and with them the connection. */
async function readBody(
  source: Readable,
  headers: Record<string, string>,
  { maxBodyBytes, decompress }: OutboundRequest,
): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decompress ? unpacked(source, headers) : source) {
    const bytes = chunk as Buffer;
    chunks.push(bytes.subarray(0, maxBodyBytes - size));
    size += bytes.length;
    if (size > maxBodyBytes) return { body: Buffer.concat(chunks), truncated: true };
  }
  return { body: Buffer.concat(chunks), truncated: false };
}

function unpacked(source: Readable, headers: Record<string, string>): Readable {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return source;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    source.on('error', () => undefined).destroy();
    throw new OutboundFailure('invalid_response', `the answer is in the encoding "${encoding.slice(0, 40)}"`);
  }
  // When one of the two streams ends or fails, so does the other.
  return pipeline(source, createGunzip(), () => undefined);
}
