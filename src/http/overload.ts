import type { FastifyInstance } from 'fastify';
import { serviceUnavailable } from '../errors.ts';

/** More than this at once only makes everyone wait longer than they will wait. */
const MAX_IN_FLIGHT = 1000;

export function shedOverload(app: FastifyInstance): void {
  let inFlight = 0;
  app.addHook('onRequest', (_request, reply, done) => {
    inFlight++;
    // "close" comes in every case, also when the client has hung up.
    reply.raw.on('close', () => inFlight--);
    done(inFlight > MAX_IN_FLIGHT ? serviceUnavailable() : undefined);
  });
}
