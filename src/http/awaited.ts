import type { FastifyReply, FastifyRequest } from 'fastify';
import { longReads, type LongRead } from '../db/long-reads.ts';
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
  if (reply.raw.closed) leave();
  else if (socket.readableEnded) halfClosed();
  else socket.once('end', halfClosed);
  reply.raw.once('close', () => {
    socket.off('end', halfClosed);
    clearTimeout(timer);
    leave();
  });
  return gone.signal;
}

/** So many parts are all that most responses need, and less than a millisecond each. */
const MAX_PARTS_IN_FLIGHT = 2;

/** For a response that may need many reads: from the third part on they are a long read, and take turns with others'. */
export function longReadFor(request: FastifyRequest, reply: FastifyReply): LongRead {
  let longRead: LongRead | undefined;
  let parts = 0;
  return {
    part: async (work) => {
      if (++parts <= MAX_PARTS_IN_FLIGHT) return work();
      longRead ??= longReads.begin(request.caller.hostId, awaited(request, reply));
      return longRead.part(work);
    },
  };
}
