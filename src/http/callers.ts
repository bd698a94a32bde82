import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serviceUnavailable } from '../errors.ts';
import { presumedKeyHash } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { isArriving } from './input/json-body.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Where the request is counted; undefined before it is. */
    counted: Counts | undefined;
  }
}

/** Of one key: from the end of the body to the end of the response. */
const MAX_OF_KEY = 100;
/** Without a key, until the response is ready. */
const MAX_OF_ADDRESS = 256;
const MAX_WITHOUT_KEY = 512;
/** A body that is still arriving holds up nobody, but up to 256 KiB of memory: so many times as many may arrive at a time. */
const ARRIVING_TIMES = 10;

/** Before everything that goes by who asks. */
export function recognizeCallers(app: FastifyInstance): void {
  app.decorateRequest('keyHash', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    request.keyHash = presumedKeyHash(request);
    done();
  });
}

/**
 * Rejects with 503 what one caller has in progress beyond a limit, so that it takes no place from others. Callers without a key
 * share a limit beside the places of those with one (overload.ts).
 */
export function limitCallers(app: FastifyInstance): void {
  const inProgress = new Counts(1);
  const arriving = new Counts(ARRIVING_TIMES);
  const end = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.counted?.add(callersOf(request), -1);
    reply.counted = undefined;
  };
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
    reply.raw.once('close', () => end(request, reply));
    done();
  });
  // Without a key it is enough that the response is ready: whoever shares an address must not wait for a slow reader.
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (!hasKey(request)) end(request, reply);
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

export function hasKey({ keyHash }: FastifyRequest): boolean {
  return keyHash !== undefined;
}

export function isAlwaysServed({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.alwaysServed === true;
}

/** As whom the request is counted, with the limit of each. */
type Callers = readonly (readonly [name: string, max: number])[];

function callersOf({ raw, keyHash }: FastifyRequest): Callers {
  if (keyHash !== undefined) return [[keyHash, MAX_OF_KEY]];
  return [
    [clientAddress(raw), MAX_OF_ADDRESS],
    ['without a key', MAX_WITHOUT_KEY],
  ];
}

class Counts {
  readonly #counts = new Map<string, number>();
  readonly #times: number;

  constructor(times: number) {
    this.#times = times;
  }

  haveRoom(callers: Callers): boolean {
    return callers.every(([name, max]) => (this.#counts.get(name) ?? 0) < max * this.#times);
  }

  add(callers: Callers, by: 1 | -1): void {
    for (const [name] of callers) {
      const count = (this.#counts.get(name) ?? 0) + by;
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, count);
    }
  }
}
