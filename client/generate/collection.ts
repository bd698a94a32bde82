import { endpointsOf, type Document, type OperationObject } from '../../src/http/openapi/published.ts';

// client/collection.json, which Postman (v2.1) and Bruno import. It runs from top to bottom
// with nothing but a base_url and an api_key: each request finds what the next ones need.

/** The examples' ids and dates mean nothing to the reader's own service: variables stand in their place. */
const VARIABLES: readonly { key: string; value: string; description: string }[] = [
  { key: 'base_url', value: 'http://127.0.0.1:3000', description: 'Where the service is' },
  { key: 'api_key', value: '', description: 'hk_test_… for the sandbox, hk_live_… for production' },
  { key: 'space_id', value: '', description: 'Empty: the first active space, once spaces were listed' },
  { key: 'date', value: '', description: 'YYYY-MM-DD. Empty: in 45 days' },
  { key: 'start_hour', value: '10', description: 'Set to a free hour when availability was read' },
  { key: 'end_hour', value: '12', description: 'Exclusive' },
  { key: 'price_per_hour', value: '45', description: 'Set to the space’s own when it was read' },
  { key: 'month', value: '', description: 'YYYY-MM. Empty: this month' },
  { key: 'booking_id', value: '', description: 'Set when a booking was created' },
  { key: 'webhook_id', value: '', description: 'Set when a webhook was created' },
  { key: 'ical_token', value: '', description: 'From "hourkeep ical-token rotate --space <id>"' },
];

/** By the name of a parameter or a body's field. Numbers stand in JSON without quotes. */
const VARIABLE_OF: Readonly<Record<string, string>> = {
  space_id: 'space_id',
  booking_id: 'booking_id',
  id: 'webhook_id',
  date: 'date',
  from: 'date',
  to: 'date',
  month: 'month',
  token: 'ical_token',
  start_hour: 'start_hour',
  end_hour: 'end_hour',
  price: 'price_per_hour',
  // A new one for every request: Postman and Bruno make it.
  idempotency_key: '$guid',
};
const NUMBERS = new Set(['start_hour', 'end_hour', 'price_per_hour']);

const BEFORE_EACH = [
  'const unset = (name) => !pm.collectionVariables.get(name);',
  'const set = (name, value) => pm.collectionVariables.set(name, value);',
  "if (unset('date')) set('date', new Date(Date.now() + 45 * 86400000).toISOString().slice(0, 10));",
  "if (unset('month')) set('month', new Date().toISOString().slice(0, 7));",
];

/** What a request finds for those after it. */
const FINDS: Readonly<Record<string, readonly string[]>> = {
  listSpaces: [
    'const space = answer.spaces.find((each) => each.is_active);',
    "if (space && !pm.collectionVariables.get('space_id')) pm.collectionVariables.set('space_id', space.id);",
  ],
  getSpace: ["pm.collectionVariables.set('price_per_hour', answer.space.price_per_hour);"],
  getAvailability: [
    'const free = answer.slots.find(({ hour, available }) => available && answer.slots[hour + 1]?.available);',
    "if (free) pm.collectionVariables.set('start_hour', free.hour);",
    "if (free) pm.collectionVariables.set('end_hour', free.hour + 2);",
  ],
  createBooking: ["pm.collectionVariables.set('booking_id', answer.booking.id);"],
  createWebhook: ["pm.collectionVariables.set('webhook_id', answer.webhook.id);"],
};

export function collectionOf(document: Document): object {
  const operations = endpointsOf(document);
  return {
    info: {
      name: document.info.title,
      description: document.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: VARIABLES,
    event: [script('prerequest', BEFORE_EACH)],
    item: document.tags.map(({ name, description }) => ({
      name,
      description,
      item: operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map(({ method, path, operation }) => item(method, path, operation)),
    })),
  };
}

function item(method: string, path: string, operation: OperationObject): object {
  const [status = '200', { content = {} } = {}] = Object.entries(operation.responses)[0] ?? [];
  const [type = '', { example } = {}] = Object.entries(content)[0] ?? [];
  const request = requestOf(method, path, operation);
  return {
    name: operation.summary,
    event: [script('test', testsOf(operation.operationId, status))],
    request: { ...request, description: operation.description },
    response: [
      {
        name: status,
        originalRequest: request,
        code: Number(status),
        header: [{ key: 'Content-Type', value: type }],
        body: typeof example === 'string' ? example : JSON.stringify(example, null, 2),
      },
    ],
  };
}

function requestOf(method: string, path: string, operation: OperationObject): object {
  const body = operation.requestBody?.content['application/json']?.example;
  return {
    method,
    ...(operation.security.length === 0 ? { auth: { type: 'noauth' } } : {}),
    header: body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
    ...(body === undefined
      ? {}
      : { body: { mode: 'raw', raw: bodyOf(body as object), options: { raw: { language: 'json' } } } }),
    url: urlOf(path, operation),
  };
}

function bodyOf(example: object): string {
  const filled = Object.entries(example).map(([name, value]) => [name, variable(name) ?? value]);
  const text = JSON.stringify(Object.fromEntries(filled), null, 2);
  return text.replaceAll(/"\{\{(\w+)\}\}"/g, (quoted, name: string) =>
    NUMBERS.has(name) ? `{{${name}}}` : quoted,
  );
}

function urlOf(path: string, { parameters = [] }: OperationObject): object {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => variable(name) ?? '');
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, description, schema, example, required }) => ({
      key: name,
      value: variable(name) ?? textOf(example ?? schema.default),
      ...(description === undefined ? {} : { description }),
      // There to be ticked.
      ...(required || example !== undefined ? {} : { disabled: true }),
    }));
  const sent = query.filter((each) => !('disabled' in each)).map(({ key, value }) => `${key}=${value}`);
  return {
    raw: `{{base_url}}${filled}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
    host: ['{{base_url}}'],
    path: filled.slice(1).split('/'),
    ...(query.length > 0 ? { query } : {}),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '').replaceAll('"', '');
}

function testsOf(operationId: string, status: string): string[] {
  const finds = FINDS[operationId] ?? [];
  return [
    `pm.test('answers ${status}', () => pm.response.to.have.status(${status}));`,
    ...(finds.length > 0
      ? ['const answer = pm.response.json().data;', 'if (answer) {', ...finds.map((line) => `  ${line}`), '}']
      : []),
  ];
}

function script(listen: 'prerequest' | 'test', exec: readonly string[]): object {
  return { listen, script: { type: 'text/javascript', exec } };
}

function variable(name: string): string | undefined {
  const known = VARIABLE_OF[name];
  return known === undefined ? undefined : `{{${known}}}`;
}
