import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import { serviceUnavailable } from '../errors.ts';
import { refusedRequests } from '../metrics.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Let in, and not answered yet. */
    inFlight: boolean;
  }
}

/** So many may be in flight for as long as they like: four times the connections that keep a process busy. */
const ORDINARY = 256;
/** A crowd may come on top of it. 500 who want the same hour are one; what goes on beyond that is overload. */
const CROWD = 500;
/**
 * While overload lasts, so long may a request take on average. With 5 ms SQLite served more, but its p99 was up to six
 * times what it is without load; with 2 ms it is up to four times.
 */
const BRISK_MS = 2;
/** Let in even when nothing was served lately, or it would stay so. */
const FEWEST = 2;
const LOOK_MS = 100;

/**
 * Serves crowds and sheds overload. A crowd ends: everybody is served, the last one later. Overload does not end,
 * and a line that stays makes everybody wait; so then only as many are let in as are served within BRISK_MS,
 * whatever this machine and its database can do (by Little's law those are what takes BRISK_MS). The others are
 * told to come back. It is over when nobody had to be refused for one look.
 */
export function shedOverload(app: FastifyInstance, { log }: Pick<Context, 'log'>): void {
  const refusals = new Refusals();
  let inFlight = 0;
  let served = 0;
  let limit = ORDINARY;
  let crowd = CROWD;
  let crowded = false;
  let overloaded = false;

  const isLetIn = (): boolean => {
    if (inFlight < limit) return true;
    crowded = true;
    if (crowd === 0) return false;
    crowd--;
    return true;
  };
  const leave = (reply: FastifyReply): void => {
    if (!reply.inFlight) return;
    reply.inFlight = false;
    inFlight--;
    served++;
  };
  const look = setInterval(() => {
    if (!crowded && refusals.areDone && inFlight < ORDINARY) {
      if (overloaded) log.warn('overload is over');
      overloaded = false;
      limit = ORDINARY;
      crowd = CROWD;
    } else if (crowd === 0) {
      if (!overloaded)
        log.warn({ in_flight: inFlight }, 'overloaded: refusing what cannot be served at once');
      overloaded = true;
      // When nobody met the limit, what was served tells what was asked for, not what could be done.
      const next = crowded ? (served / LOOK_MS) * BRISK_MS : limit * 2;
      limit = Math.min(ORDINARY, Math.max(FEWEST, next));
    }
    served = 0;
    crowded = false;
  }, LOOK_MS).unref();
  app.addHook('onClose', async () => clearInterval(look));

  // A mark on each, not a set of them: keeping the set took a sixth of a small request's time.
  app.decorateReply('inFlight', false);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.alwaysServed === true) return done();
    // "close" comes in every case, also when the client has hung up.
    if (!isLetIn()) {
      reply.raw.once('close', () => refusals.forget(request.raw.socket, done));
      return refusals.add(request.raw.socket, done);
    }
    reply.inFlight = true;
    inFlight++;
    reply.raw.once('close', () => leave(reply));
    done();
  });
  // Served when there is an answer: how long its reader takes says nothing about us, and those who never read theirs
  // would otherwise keep everybody else out.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    leave(reply);
    done();
  });
}

/** A tenth of the time is for refusals. */
const PACE_MS = 10;
const BUDGET_MS = 1;

/**
 * To read and to refuse a request costs about 0.1 ms, to serve one between 0.2 and 1: of ten times the load,
 * refusing alone would take all the time there is. So it gets a share of it, and whoever is refused waits for its
 * turn, which keeps it from asking again meanwhile. A few are gone within PACE_MS.
 */
class Refusals {
  readonly #error = serviceUnavailable();
  readonly #waiting = new Map<Socket, (error: Error) => void>();
  #pace: NodeJS.Timeout | undefined;

  get areDone(): boolean {
    return this.#waiting.size === 0;
  }

  add(socket: Socket, refuse: (error: Error) => void): void {
    refusedRequests.inc();
    // One a connection, or whoever does not wait for answers could have any number of them kept here.
    if (this.#waiting.has(socket)) socket.destroy();
    else this.#waiting.set(socket, refuse);
    this.#pace ??= setInterval(() => this.#refuseSome(), PACE_MS);
  }

  forget(socket: Socket, refuse: (error: Error) => void): void {
    if (this.#waiting.get(socket) === refuse) this.#waiting.delete(socket);
  }

  #refuseSome(): void {
    const end = performance.now() + BUDGET_MS;
    for (const [socket, refuse] of this.#waiting) {
      if (performance.now() > end) return;
      this.#waiting.delete(socket);
      refuse(this.#error);
    }
    clearInterval(this.#pace);
    this.#pace = undefined;
  }
}
