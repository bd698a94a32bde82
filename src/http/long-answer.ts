import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { internalError } from '../errors.ts';
import { logTrouble } from '../log.ts';

export interface LongAnswer {
  /** The fields in front of the list. */
  head: object;
  /** The name of the list's field. */
  name: string;
  pages: AsyncIterable<readonly unknown[]>;
  /** The fields behind the list. Called when its last page has been sent. */
  tail(): object;
}

/**
 * Sends an answer whose `data` holds a long list, page by page and no faster than the client reads it. A failure on the
 * way cannot become an error answer any more, since the status has been sent. Then the connection is cut, so that
 * nobody takes half of the list for all of it.
 */
export function sendLong(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: LongAnswer,
): FastifyReply {
  const stream = Readable.from(request.method === 'HEAD' ? [] : pieces(answer));
  stream.on('error', (error) => {
    logTrouble(ctx.log, error, { request_id: request.id }, 'request failed');
    request.errorCode = internalError().code;
    request.raw.socket.destroy();
  });
  return reply.type('application/json; charset=utf-8').send(stream);
}

async function* pieces({ head, name, pages, tail }: LongAnswer): AsyncGenerator<string> {
  let text = `{"success":true,"data":${JSON.stringify(head).slice(0, -1)},${JSON.stringify(name)}:[`;
  let separator = '';
  for await (const page of pages) {
    if (page.length > 0) {
      text += separator + JSON.stringify(page).slice(1, -1);
      separator = ',';
    }
    yield text;
    text = '';
  }
  yield `],${JSON.stringify(tail()).slice(1)}}`;
}
