import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { REMEMBERED_MS, type Session } from './sessions.ts';

const NAME = 'hk_console';

/**
 * The token of the browser's session. With the header alone, which a form of another site cannot send, nor its script without our leave:
 * SameSite already keeps the cookie from those, but not from another service on the same host name.
 */
export function tokenOf(request: FastifyRequest): string | undefined {
  return request.headers['x-hourkeep-console'] === '1' ? cookieOf(request) : undefined;
}

/** Whether it came with the header or not. Of two that differ in path or domain, one was put there by somebody else: neither counts. */
export function cookieOf({ headers }: FastifyRequest): string | undefined {
  const found = [...(headers.cookie ?? '').matchAll(/(?:^|; *)hk_console=([^;]*)/g)];
  return found.length === 1 ? found[0]![1] : undefined;
}

export function setCookie(reply: FastifyReply, config: Config, session: Session): void {
  const maxAge = session.remember ? [`Max-Age=${REMEMBERED_MS / 1000}`] : [];
  reply.header('set-cookie', [`${NAME}=${session.token}`, ...attributes(config), ...maxAge].join('; '));
}

export function clearCookie(reply: FastifyReply, config: Config): void {
  reply.header('set-cookie', [`${NAME}=`, ...attributes(config), 'Max-Age=0'].join('; '));
}

function attributes({ basePath, publicUrl }: Config): string[] {
  const secure = publicUrl !== undefined && new URL(publicUrl).protocol === 'https:' ? ['Secure'] : [];
  return [`Path=${basePath}/console`, 'HttpOnly', 'SameSite=Strict', ...secure];
}
