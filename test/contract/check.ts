import type { Contract, DocumentedResponse, Endpoint } from './document.ts';

export interface Exchange {
  method: string;
  /** Without the base address, with its query. */
  path: string;
  status: number;
  headers: Headers;
  text: string;
}

/** Headers of HTTP itself: no API describes them. */
const TRANSPORT = new Set([
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
]);

/** Everything about an answer that the published document does not allow; empty when the answer is as documented. */
export function problemsOf(contract: Contract, exchange: Exchange): string[] {
  if (exchange.headers.get('x-content-type-options') !== 'nosniff')
    return ['there is no X-Content-Type-Options'];
  const endpoint = endpointOf(contract, exchange);
  if (typeof endpoint === 'string') return outsideProblems(contract, exchange, endpoint);
  const { operation, method, template } = endpoint;
  const status = String(exchange.status);
  const response = operation.responses[status];
  if (response === undefined) return [`${operation.operationId} does not document ${status}`];
  const steps = ['paths', template, method.toLowerCase(), 'responses', status];
  return [
    ...headerProblems(contract, exchange, endpoint, response),
    ...bodyProblems(contract, exchange, response, steps),
  ];
}

export function endpointOf(contract: Contract, { method, path }: Pick<Exchange, 'method' | 'path'>) {
  const [pathname = ''] = path.split(/[?#]/);
  try {
    return contract.find(method, decodeURI(pathname));
  } catch {
    // A path that cannot be decoded is 404.
    return 'no such path';
  }
}

/** Pages outside /api-… may answer as they like. An address under it that the document lacks must be 404 or 405. */
function outsideProblems(
  contract: Contract,
  exchange: Exchange,
  why: 'no such path' | 'no such method',
): string[] {
  const { status, headers, path, text, method } = exchange;
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(headers.get('x-request-id') ?? '')) return ['there is no X-Request-Id'];
  if (!path.startsWith('/api-')) return [];
  // The router takes no segment of more than 100 characters for a parameter, so a long one is 404.
  const tooLong = path.split(/[/?]/).some((segment) => segment.length > 100);
  const expected = why === 'no such path' || (tooLong && status === 404) ? 404 : 405;
  if (status !== expected) return [`${why}, but the answer is ${status}`];
  if (expected === 405 && !headers.has('allow')) return ['there is no Allow'];
  if (method === 'HEAD') return [];
  return contract.errors(['components', 'schemas', 'Error'], parsed(text));
}

function headerProblems(
  contract: Contract,
  { headers }: Exchange,
  { operation }: Endpoint,
  response: DocumentedResponse,
): string[] {
  const found: string[] = [];
  const described = new Set<string>();
  const rates: boolean[] = [];
  for (const [name, { $ref }] of Object.entries(response.headers)) {
    described.add(name.toLowerCase());
    const { required = false, schema } = contract.header($ref);
    const value = headers.get(name);
    if (/ratelimit/i.test(name)) rates.push(value !== null);
    if (value === null) {
      if (required) found.push(`there is no ${name}`);
      continue;
    }
    const typed = schema['type'] === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
    const errors = contract.errors([...$ref.slice(2).split('/'), 'schema'], typed);
    found.push(...errors.map((text) => `${name} (${value}): ${text}`));
  }
  for (const name of headers.keys()) {
    if (!described.has(name) && !TRANSPORT.has(name)) found.push(`nobody has described the header ${name}`);
  }
  if (new Set(rates).size > 1) found.push('some of the rate limit headers are there and some are not');
  if (operation.security.length > 0 && headers.get('cache-control') !== 'no-store')
    found.push(`Cache-Control is ${headers.get('cache-control')} on an answer behind a key`);
  return found;
}

function bodyProblems(
  contract: Contract,
  { method, text, status, headers }: Exchange,
  response: DocumentedResponse,
  steps: readonly string[],
): string[] {
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  if (response.content === undefined) return text === '' ? [] : ['a body where none is documented'];
  const media = response.content[type];
  if (media === undefined) return [`the content type is ${type === '' ? 'missing' : type}`];
  if (method === 'HEAD') return text === '' ? [] : ['an answer to HEAD has a body'];
  const value = type === 'application/json' ? parsed(text) : text;
  const errors = contract.errors([...steps, 'content', type, 'schema'], value);
  if (errors.length > 0 || status < 400) return errors;
  const { error } = value as { error: { code: string; http_status: number; request_id: string } };
  return [
    ...(error.http_status === status ? [] : [`http_status says ${error.http_status}`]),
    ...(error.request_id === headers.get('x-request-id') ? [] : ['request_id is not X-Request-Id']),
    // A feed has a limit of its own, which no header tells.
    ...(error.code === 'RATE_LIMIT_EXCEEDED' && response.headers?.['RateLimit'] && !headers.has('ratelimit')
      ? ['there is no RateLimit']
      : []),
  ];
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
