import { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { serviceUnavailable } from '../errors.ts';
import { hashOfKey } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { isArriving } from './input/json-body.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Where the request is counted; undefined before it is. */
    counted: Counts | undefined;
  }
}

/** Of one key, or of one address without a key: from the end of the body to the end of the response. */
const MAX_IN_PROGRESS = 100;
const MAX_WITHOUT_KEY = 256;
const WITHOUT_KEY = 'without a key';
/** A body that is still arriving holds up nobody, but up to 256 KiB of memory: so many times as many may arrive at a time. */
const ARRIVING_TIMES = 10;

/**
 * Rejects with 503 what one caller has in progress beyond a limit, so that it takes no place from others. Callers without a key
 * share a limit beside the places of those with one (overload.ts).
 */
export function limitCallers(app: FastifyInstance): void {
  const inProgress = new Counts(1);
  const arriving = new Counts(ARRIVING_TIMES);
  app.decorateReply('counted', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    // An agent's call is one request: what it asks of the API (mcp/route.ts) has no socket and is not counted again.
    if (isAlwaysServed(request) || !(request.raw.socket instanceof Socket)) return done();
    const callers = callersOf(request);
    const counts = isArriving(request) ? arriving : inProgress;
    if (!inProgress.haveRoom(callers) || !counts.haveRoom(callers)) return done(serviceUnavailable());
    counts.add(callers, 1);
    reply.counted = counts;
    // "close" also comes when the client has hung up.
    reply.raw.once('close', () => reply.counted!.add(callers, -1));
    done();
  });
  app.addHook('preValidation', (request, reply, done) => {
    if (reply.counted !== arriving || reply.raw.destroyed) return done();
    const callers = callersOf(request);
    if (!inProgress.haveRoom(callers)) return done(serviceUnavailable());
    arriving.add(callers, -1);
    inProgress.add(callers, 1);
    reply.counted = inProgress;
    done();
  });
}

export function hasKey({ headers }: FastifyRequest): boolean {
  return hashOfKey(headers.authorization ?? '') !== undefined;
}

export function isAlwaysServed({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.alwaysServed === true;
}

function callersOf({ raw, headers }: FastifyRequest): readonly string[] {
  const key = hashOfKey(headers.authorization ?? '');
  return key === undefined ? [clientAddress(raw), WITHOUT_KEY] : [key];
}

class Counts {
  readonly #counts = new Map<string, number>();
  readonly #times: number;

  constructor(times: number) {
    this.#times = times;
  }

  haveRoom(callers: readonly string[]): boolean {
    return callers.every((caller) => {
      const max = caller === WITHOUT_KEY ? MAX_WITHOUT_KEY : MAX_IN_PROGRESS;
      return (this.#counts.get(caller) ?? 0) < max * this.#times;
    });
  }

  add(callers: readonly string[], by: 1 | -1): void {
    for (const caller of callers) {
      const count = (this.#counts.get(caller) ?? 0) + by;
      if (count === 0) this.#counts.delete(caller);
      else this.#counts.set(caller, count);
    }
  }
}
