import type { Request } from './operation.ts';
import type { Random } from './random.ts';

interface Strange {
  /** Of other hosts and environments, revoked, without the scope, malformed. */
  keys: readonly string[];
  /** Of other hosts' records, or of records of another kind. */
  ids: readonly string[];
}

/** A mistake that callers make. */
export function spoil(random: Random, request: Request, { keys, ids }: Strange): Request {
  const { headers, body, path } = request;
  const withBody = (change: (body: Record<string, unknown>, field: string) => void): Request => {
    if (body === null) return { ...request, path: `${path}${path.includes('?') ? '&' : '?'}unknown=1` };
    const changed = JSON.parse(body) as Record<string, unknown>;
    const fields = Object.keys(changed);
    if (fields.length > 0) change(changed, random.one(fields));
    return { ...request, body: JSON.stringify(changed) };
  };
  const withHeaders = (more: Record<string, string>): Request => ({
    ...request,
    headers: { ...headers, ...more },
  });
  return random.weighted<() => Request>(
    [3, () => withHeaders({ authorization: `Bearer ${random.one(keys)}` })],
    [0.5, () => withHeaders({ authorization: 'Basic eDp5' })],
    [0.5, () => ({ ...request, headers: { 'x-request-id': headers['x-request-id']! } })],
    [2, () => (body === null ? request : { ...request, body: body.slice(0, random.below(body.length)) })],
    [2, () => withBody((changed, field) => delete changed[field])],
    [
      3,
      () =>
        withBody(
          (changed, field) => (changed[field] = random.one<unknown>([null, '5', 5, true, [], {}, 1.5, ''])),
        ),
    ],
    [2, () => withBody((changed) => (changed['unknown'] = 1))],
    [1, () => ({ ...request, path: `${path}${path.includes('?') ? '&' : '?'}Status=x` })],
    [1, () => ({ ...request, path: path.replace(/(\w+=[^&]*)/, '$1&$1') })],
    [1, () => ({ ...request, path: path.replace(/\{\{[^}]*\}\}/, 'nonsense') })],
    [3, () => ({ ...request, path: path.replace(/\{\{[^}]*\}\}/, random.one(ids)) })],
    [1, () => ({ ...request, path: path.replace(/(\?|$)/, '/$1') })],
    [0.5, () => ({ ...request, method: 'PUT' })],
    [
      0.5,
      () => (body === null ? { ...request, method: 'HEAD' } : withHeaders({ 'content-type': 'text/plain' })),
    ],
  )();
}
