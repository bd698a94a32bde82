import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, buildConnector } from 'undici';
import { Exchange, type Answer } from './exchange.ts';
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

export type Outcome = ({ ok: true } & Answer) | { ok: false; error: FailureName; message: string };

/**
 * Sends one request to an address that a customer chose: checked by the guard, limited in time and memory, without
 * redirects or a proxy. It never throws for what the other side does: the outcome tells.
 */
export async function outboundRequest(guard: Guard, request: OutboundRequest): Promise<Outcome> {
  const exchange = new Exchange(request.maxBodyBytes, request.decompress ?? false);
  const abandon = (): void => exchange.end(new OutboundFailure('aborted', 'the request was abandoned'));
  const late = setTimeout(() => {
    exchange.end(new OutboundFailure('timeout', `no complete response within ${request.totalTimeoutMs} ms`));
  }, request.totalTimeoutMs);
  request.signal?.addEventListener('abort', abandon);
  try {
    if (request.signal?.aborted) abandon();
    else send(guard, request, exchange);
    return { ok: true, ...(await exchange.answer) };
  } catch (error) {
    return { ok: false, ...failureOf(error) };
  } finally {
    clearTimeout(late);
    request.signal?.removeEventListener('abort', abandon);
  }
}

function send(guard: Guard, request: OutboundRequest, exchange: Exchange): void {
  const url = new URL(request.url);
  if (url.username !== '' || url.password !== '') {
    throw new OutboundFailure('blocked_address', 'a URL with a user name or password is not used');
  }
  const options = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: request.decompress ? { 'accept-encoding': 'gzip', ...request.headers } : request.headers,
    body: request.body ?? null,
  };
  agentFor(guard, request.connectTimeoutMs).dispatch(options, exchange);
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
  const vet = callbackify(async (url: Pick<URL, 'hostname' | 'protocol'>) => {
    const vetted = await guard.addresses(url);
    if ('refused' in vetted) throw new OutboundFailure('blocked_address', `the URL ${vetted.refused}`);
    if (vetted.allowed.length === 0) throw new OutboundFailure('dns_failure', 'the name has no address');
    return vetted.allowed.map((address) => ({ address, family: isIP(address) }));
  });
  const connectorFor = (protocol: string): buildConnector.connector => {
    const lookup: LookupFunction = (hostname, options, callback) =>
      vet({ hostname, protocol }, (error, all) => {
        if (error !== null) callback(error, []);
        else if (options.all === true) callback(null, all);
        else callback(null, all[0]!.address, all[0]!.family);
      });
    return buildConnector({ timeout, allowH2: false, lookup });
  };
  const connectors = new Map(['https:', 'http:'].map((protocol) => [protocol, connectorFor(protocol)]));
  return (options, callback) => {
    const connect = connectors.get(options.protocol)!;
    if (isIP(options.hostname) === 0) connect(options, callback);
    else vet(options, (error) => (error === null ? connect(options, callback) : callback(error, null)));
  };
}
