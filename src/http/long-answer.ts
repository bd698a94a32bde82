import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { logTrouble } from '../log.ts';

export interface LongAnswer {
  /** The fields that are known before the list. */
  head: object;
  /** The list's name. */
  name: string;
  pages: AsyncIterable<readonly unknown[]>;
  /** The fields that are known after the list. */
  tail(): object;
}

/**
 * Sends a `data` whose list is too long to be written in one go: page by page, and no faster than the caller reads.
 * Once it has begun, a failure cannot become an error answer any more; the connection is cut instead, so that
 * nobody takes half a list for the whole.
 */
export function sendLong(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: LongAnswer,
): FastifyReply {
  const stream = Readable.from(request.method === 'HEAD' ? [] : pieces(answer));
  stream.on('error', (error) => logTrouble(ctx.log, error, { request_id: request.id }, 'request failed'));
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
