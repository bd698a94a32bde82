import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { longReads } from '../db/long-reads.ts';
import { serviceUnavailable } from '../errors.ts';
import { refusedRequests } from '../metrics.ts';
import { hasKey, isAlwaysServed } from './callers.ts';
import { isArriving } from './input/json-body.ts';
import { Limiter, LOOK_MS } from './limiter.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Admitted, and not answered yet. */
    inFlight: boolean;
    /** Is not counted any more, though it has not been answered. */
    leaveLimiter(): void;
  }
}

/** Rejects with 503 what the limiter does not admit. What has no key, or is still arriving, takes no place (callers.ts). */
export function shedOverload(app: FastifyInstance, { log }: Pick<Context, 'log'>): void {
  const limiter = new Limiter();
  const refusals = new Refusals();
  const look = setInterval(() => {
    const was = limiter.isOverloaded;
    limiter.look(refusals.waiting);
    if (was && !limiter.isOverloaded) log.warn('overload is over');
    if (!was && limiter.isOverloaded)
      log.warn(
        { in_flight: limiter.inFlight },
        'overloaded: requests that cannot be served immediately are rejected',
      );
  }, LOOK_MS).unref();
  app.addHook('onClose', async () => clearInterval(look));

  app.server.on('connection', (socket) => socket.once('end', () => refusals.abandon(socket)));
  // A mark on each reply, not a set of replies: keeping the set took a sixth of a small request's time.
  app.decorateReply('inFlight', false);
  app.decorateReply('leaveLimiter', function () {
    if (this.inFlight) limiter.end();
    this.inFlight = false;
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (isAlwaysServed(request)) return done();
    const takesPlace = hasKey(request) && !isArriving(request);
    // "close" also comes when the client has hung up.
    if (takesPlace ? !limiter.begin() : limiter.isFull) {
      reply.raw.once('close', () => refusals.forget(request.raw.socket, done));
      return refusals.add(request.raw.socket, done);
    }
    longReads.makeWay();
    reply.inFlight = takesPlace;
    reply.raw.once('close', () => reply.leaveLimiter());
    done();
  });
  app.addHook('preValidation', (request, reply, done) => {
    if (reply.inFlight || reply.raw.destroyed || isAlwaysServed(request) || !hasKey(request)) return done();
    reply.inFlight = limiter.begin();
    done(reply.inFlight ? undefined : serviceUnavailable());
  });
  // A request ends when its answer is ready, not when it has been read: clients that never read their answers would
  // otherwise keep everybody else out.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.leaveLimiter();
    done();
  });
}

/**
 * Refusals get 7 % of the time: REFUSING_MS in every REFUSE_EVERY_MS. Whoever is refused asks again at once: with 0.7 ms in every 10
 * they came in larger bursts, and an eighth less was served.
 */
const REFUSE_EVERY_MS = 3;
const REFUSING_MS = 0.2;

/**
 * Reading and refusing a request costs about 0.1 ms, serving one 0.2 to 1 ms: at ten times the load, refusing alone would
 * take all the time there is. So refusals wait for their turn, which also keeps their clients from asking again. When
 * there are few, each is sent within REFUSE_EVERY_MS.
 */
class Refusals {
  readonly #error = serviceUnavailable();
  readonly #waiting = new Map<Socket, (error: Error) => void>();
  #pace: NodeJS.Timeout | undefined;

  get waiting(): number {
    return this.#waiting.size;
  }

  add(socket: Socket, refuse: (error: Error) => void): void {
    refusedRequests.inc();
    if (this.#waiting.has(socket)) {
      // One for each connection: a client that sends requests without waiting for answers could pile up any number.
      socket.destroy();
      return;
    }
    this.#waiting.set(socket, refuse);
    this.#pace ??= setInterval(() => this.#refuseSome(), REFUSE_EVERY_MS);
  }

  /** A client that closes its side while it waits here has most likely given up. Those would pile up if they were kept. */
  abandon(socket: Socket): void {
    if (this.#waiting.has(socket)) socket.destroy();
  }

  forget(socket: Socket, refuse: (error: Error) => void): void {
    if (this.#waiting.get(socket) === refuse) this.#waiting.delete(socket);
  }

  #refuseSome(): void {
    const end = performance.now() + REFUSING_MS;
    for (const [socket, refuse] of this.#waiting) {
      if (performance.now() > end) return;
      this.#waiting.delete(socket);
      refuse(this.#error);
    }
    clearInterval(this.#pace);
    this.#pace = undefined;
  }
}
