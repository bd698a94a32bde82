import type { Answer, Call } from './world.ts';

interface Service {
  call(method: string, path: string, call?: Call): Promise<Answer>;
}

/** A browser that is signed in to the console: it has the cookie, and its page sends the header. */
export interface Browser {
  cookie: string;
  call(method: string, path: string, call?: Call): Promise<Answer>;
}

export const CONSOLE = { 'x-hourkeep-console': '1' };

export async function signIn(service: Service, key: string, remember = false): Promise<Browser> {
  const answer = await service.call('POST', '/console/session', { body: { key, remember } });
  if (answer.status !== 200) throw new Error(answer.text);
  return browserWith(service, cookieOf(answer));
}

export function browserWith(service: Service, cookie: string): Browser {
  return {
    cookie,
    call: (method, path, { headers, ...call } = {}) =>
      service.call(method, path, { ...call, headers: { cookie, ...CONSOLE, ...headers } }),
  };
}

/** `hk_console=…` */
export function cookieOf(answer: Answer): string {
  return answer.headers.getSetCookie()[0]!.split(';')[0]!;
}
