import type { FastifyReply, FastifyRequest } from 'fastify';
import { serviceUnavailable } from '../errors.ts';

/**
 * A client may close its own side and still want its answer, but most that do so have gone, and nothing tells them
 * apart. So it has this long to get one.
 */
const HALF_CLOSED_MS = 1000;

/**
 * For the answer to a long read: a signal that aborts when the client has gone. From here on the request is not counted
 * among those that the overload limiter judges by, as it takes as long as it takes.
 */
export function awaited(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  reply.leaveLimiter();
  const gone = new AbortController();
  const leave = (): void => gone.abort(serviceUnavailable());
  const { socket } = request.raw;
  let timer: NodeJS.Timeout | undefined;
  const halfClosed = (): void => {
    // Whoever gets an answer already shows by taking it that they are there.
    timer = setTimeout(() => reply.raw.headersSent || leave(), HALF_CLOSED_MS).unref();
  };
  if (socket.readableEnded) halfClosed();
  else socket.once('end', halfClosed);
  reply.raw.once('close', () => {
    socket.off('end', halfClosed);
    clearTimeout(timer);
    leave();
  });
  return gone.signal;
}
