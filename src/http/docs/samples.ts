import { bodyOf, type Endpoint } from './document.ts';

interface Sample {
  /** As it stands behind the opening fence in Markdown. */
  readonly language: 'sh curl' | 'ts' | 'python' | 'php';
  readonly code: string;
}

/**
 * The request of an endpoint by curl and by each client. Each runs as it stands, with HOURKEEP_API_KEY and HOURKEEP_URL in the
 * environment: an id that it needs is the first of its list, and dates lie ahead of `today`.
 */
export function samplesOf(endpoint: Endpoint, today: Temporal.PlainDate): Sample[] {
  const values = valuesOf(endpoint, today);
  const call = callOf(endpoint, values);
  const languages = [TYPESCRIPT, PYTHON, PHP];
  return [
    { language: 'sh curl', code: curl(endpoint, values) },
    ...languages.map((language) => ({
      language: language.name,
      code: program(language, endpoint, values, call),
    })),
  ];
}

/** An id that the sample reads first. */
class Id {
  readonly name: keyof typeof IDS;
  constructor(name: keyof typeof IDS) {
    this.name = name;
  }
}

/** The list that each id is the first of. */
const IDS = {
  space_id: { path: '/api-listings/api/v1/spaces', part: 'spaces' },
  booking_id: { path: '/api-bookings/api/v1/bookings', part: 'bookings' },
  webhook_id: { path: '/api-webhooks/api/v1/webhooks', part: 'webhooks' },
};

interface Values {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Which bookings an id is read from: those that can still be cancelled. */
  readonly ahead: Readonly<Record<string, unknown>>;
}

/** The document's examples with ids and dates that work today. The feed's token is a secret: that one the reader puts in. */
function valuesOf({ operation }: Endpoint, today: Temporal.PlainDate): Values {
  const date = today.add({ days: 60 }).toString();
  const fresh = (name: string, value: unknown): unknown => {
    if (name === 'id') return new Id('webhook_id');
    if (name === 'space_id' || name === 'booking_id') return new Id(name);
    if (name === 'date') return date;
    if (name === 'from') return today.toString();
    if (name === 'to') return date;
    if (name === 'month') return date.slice(0, 7);
    // One a day: the same key with another date would be another request.
    return name === 'idempotency_key' ? `order-${date}` : value;
  };
  const given = (place: string) =>
    Object.fromEntries(
      (operation.parameters ?? [])
        .filter(({ in: where, example }) => where === place && example !== undefined)
        .map(({ name, example }) => [name, fresh(name, example)]),
    );
  const body = bodyOf(operation)?.example as object | undefined;
  return {
    path: given('path'),
    query: given('query'),
    body: body && Object.fromEntries(Object.entries(body).map(([name, value]) => [name, fresh(name, value)])),
    ahead: { status: 'confirmed', from: today.add({ days: 3 }).toString(), limit: 1 },
  };
}

function idsIn({ path, query, body }: Values): Id['name'][] {
  return Object.values({ ...path, ...query, ...body }).flatMap((value) =>
    value instanceof Id ? value.name : [],
  );
}

/** The path with its query, in which `idText` writes the variables that hold ids. */
function pathOf(
  { path }: Endpoint,
  { path: inPath, query }: Values,
  idText: (name: Id['name']) => string,
): string {
  const text = (value: unknown) =>
    value instanceof Id ? idText(value.name) : encodeURIComponent(String(value));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => text(inPath[name]));
  return filled + queryOf(query, text);
}

function queryOf(values: Readonly<Record<string, unknown>>, text: (value: unknown) => string): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${text(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function shellId(name: Id['name']): string {
  return `$${name.toUpperCase()}`;
}

const KEY_HEADER = '-H "Authorization: Bearer $HOURKEEP_API_KEY"';

function curl(endpoint: Endpoint, values: Values): string {
  const { method, operation } = endpoint;
  const reads = idsIn(values).map((name) => {
    const { path, part } = IDS[name];
    const query = name === 'booking_id' ? queryOf(values.ahead, String) : '';
    const lines = [
      `curl -sS "$HOURKEEP_URL${path}${query}"`,
      KEY_HEADER,
      `| jq -r '.data.${part}[0].id')\n\n`,
    ];
    return `${name.toUpperCase()}=$(${lines.join(' \\\n  ')}`;
  });
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$HOURKEEP_URL${pathOf(endpoint, values, shellId)}"`,
  ];
  if (operation.security.length > 0) parts.push(KEY_HEADER);
  if (values.body === undefined) return reads.join('') + parts.join(' \\\n  ');
  const body = JSON.stringify(
    values.body,
    (_, value) => (value instanceof Id ? shellId(value.name) : value),
    2,
  );
  parts.push('-H "Content-Type: application/json"', '-d @- <<JSON');
  return `${reads.join('')}${parts.join(' \\\n  ')}\n${body}\nJSON`;
}

/** The clients' method for each operation, and the parameters that it takes one by one. It takes the others as fields. */
const METHODS: Readonly<Record<string, string>> = {
  listSpaces: 'spaces list',
  getSpace: 'spaces get space_id',
  updateListing: 'spaces update space_id',
  getAvailability: 'availability get space_id date',
  listBookings: 'bookings list',
  createBooking: 'bookings create',
  getBooking: 'bookings get booking_id',
  cancelBooking: 'bookings cancel booking_id',
  createBlocks: 'blocks create space_id',
  deleteBlocks: 'blocks delete space_id',
  getSettlementReport: 'settlement report month',
  getEarnings: 'earnings get',
  listWebhooks: 'webhooks list',
  createWebhook: 'webhooks create',
  updateWebhook: 'webhooks update id',
  deleteWebhook: 'webhooks delete id',
};

interface Call {
  readonly part: string;
  readonly method: string;
  readonly values: readonly unknown[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Undefined for what the clients have no method for: the feed and the document, which need no key. */
function callOf({ operation }: Endpoint, { path, query, body }: Values): Call | undefined {
  const described = METHODS[operation.operationId];
  if (described === undefined) return undefined;
  const [part = '', method = '', ...names] = described.split(' ');
  const given: Record<string, unknown> = { ...path, ...query, ...body };
  const fields = Object.entries(given).filter(([name]) => !names.includes(name));
  return { part, method, values: names.map((name) => given[name]), fields: Object.fromEntries(fields) };
}

/** How a language writes a program, and the values of JSON. */
interface Language {
  readonly name: 'ts' | 'python' | 'php';
  readonly start: (withClient: boolean) => string;
  /** Inside the text that `fetch` is given. */
  readonly idInText: (name: Id['name']) => string;
  readonly id: (name: Id['name']) => string;
  readonly assign: (variable: string, value: string) => string;
  readonly call: (part: string, method: string, args: string) => string;
  /** The id of the first record of a list, or of a page of bookings. */
  readonly first: (list: string, isPage: boolean) => string;
  readonly print: (value: string) => string;
  /** Fields as the last argument, or as arguments by name. */
  readonly fieldArguments: (fields: Call['fields']) => string[];
  readonly fetch: (path: string) => string[];
  readonly string: (text: string) => string;
  readonly field: (name: string, value: string) => string;
  readonly object: readonly [open: string, close: string];
  readonly words: Readonly<Record<string, string>>;
  readonly indent: string;
}

const TYPESCRIPT: Language = {
  name: 'ts',
  start: (withClient) =>
    withClient
      ? `import { Hourkeep } from '@hourkeep/client';

const hk = new Hourkeep({
  apiKey: process.env.HOURKEEP_API_KEY!,
  baseUrl: process.env.HOURKEEP_URL!,
});`
      : '',
  idInText: (name) => `\${${camelCase(name)}}`,
  id: (name) => camelCase(name),
  assign: (variable, value) => `const ${variable} = ${value};`,
  call: (part, method, args) => `await hk.${part}.${method}${args}`,
  first: (list, isPage) => `(${list})${isPage ? '.bookings' : ''}[0]!.id`,
  print: (value) => `console.log(${value});`,
  fieldArguments: (fields) => [literal(fields, TYPESCRIPT)],
  fetch: (path) => [
    `const response = await fetch(\`\${process.env.HOURKEEP_URL}${path}\`);`,
    'console.log(response.status, await response.text());',
  ],
  string: (text) => (/['\\\n]/.test(text) ? JSON.stringify(text) : `'${text}'`),
  field: (name, value) => `${name}: ${value}`,
  object: ['{ ', ' }'],
  words: {},
  indent: '  ',
};

const PYTHON: Language = {
  name: 'python',
  start: (withClient) =>
    withClient
      ? `import os

from hourkeep import Hourkeep

hk = Hourkeep(api_key=os.environ["HOURKEEP_API_KEY"], base_url=os.environ["HOURKEEP_URL"])`
      : 'import os',
  idInText: (name) => `{${name}}`,
  id: (name) => name,
  assign: (variable, value) => `${variable} = ${value}`,
  call: (part, method, args) => `hk.${part}.${method}${args}`,
  first: (list, isPage) => `${list}${isPage ? '["bookings"]' : ''}[0]["id"]`,
  print: (value) => `print(${value})`,
  // `from` is a keyword of Python: the client takes the underscore away.
  fieldArguments: (fields) =>
    Object.entries(fields).map(
      ([name, value]) => `${name === 'from' ? 'from_' : name}=${literal(value, PYTHON)}`,
    ),
  fetch: (path) => [
    'from urllib.request import urlopen\n',
    `with urlopen(os.environ["HOURKEEP_URL"] + f"${path}") as response:`,
    '    print(response.status, response.read().decode())',
  ],
  string: (text) => JSON.stringify(text),
  field: (name, value) => `${JSON.stringify(name)}: ${value}`,
  object: ['{', '}'],
  words: { true: 'True', false: 'False', null: 'None' },
  indent: '    ',
};

const PHP: Language = {
  name: 'php',
  start: (withClient) =>
    withClient
      ? `<?php
require 'vendor/autoload.php';

$hk = new \\Hourkeep\\Hourkeep(apiKey: getenv('HOURKEEP_API_KEY'), baseUrl: getenv('HOURKEEP_URL'));`
      : '<?php',
  idInText: (name) => `{$${camelCase(name)}}`,
  id: (name) => `$${camelCase(name)}`,
  assign: (variable, value) => `${variable} = ${value};`,
  call: (part, method, args) => `$hk->${part}->${method}${args}`,
  first: (list, isPage) => `${list}${isPage ? "['bookings']" : ''}[0]['id']`,
  print: (value) => `print_r(${value});`,
  fieldArguments: (fields) => [literal(fields, PHP)],
  fetch: (path) => [`echo file_get_contents(getenv('HOURKEEP_URL') . "${path}");`],
  string: (text) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`,
  field: (name, value) => `'${name}' => ${value}`,
  object: ['[', ']'],
  words: {},
  indent: '    ',
};

function program(language: Language, endpoint: Endpoint, values: Values, call: Call | undefined): string {
  const reads = idsIn(values).map((name) => {
    const isPage = name === 'booking_id';
    const list = { part: IDS[name].part, method: 'list', values: [], fields: isPage ? values.ahead : {} };
    return language.assign(language.id(name), language.first(callText(language, list), isPage));
  });
  const last =
    call === undefined
      ? language.fetch(pathOf(endpoint, values, language.idInText))
      : [language.print(callText(language, call))];
  const needsClient = call !== undefined || reads.length > 0;
  return [language.start(needsClient), ...reads, ...last].filter(Boolean).join('\n');
}

function callText(language: Language, { part, method, values, fields }: Call): string {
  const named = Object.keys(fields).length === 0 ? [] : language.fieldArguments(fields);
  const taken = [...values.map((value) => literal(value, language)), ...named];
  const short = `(${taken.join(', ')})`;
  const isOneObject = language !== PYTHON;
  return language.call(part, method, isOneObject ? short : enclosed('(', taken, ')', language.indent));
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function literal(value: unknown, language: Language): string {
  if (value instanceof Id) return language.id(value.name);
  if (typeof value === 'string') return language.string(value);
  if (typeof value !== 'object' || value === null) return language.words[String(value)] ?? String(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, language));
    return enclosed('[', items, ']', language.indent);
  }
  const [open, close] = language.object;
  const fields = Object.entries(value).map(([name, field]) => language.field(name, literal(field, language)));
  return enclosed(open, fields, close, language.indent);
}

/** In one line where that is short. */
function enclosed(open: string, items: readonly string[], close: string, indent: string): string {
  if (items.length === 0) return open.trim() + close.trim();
  const short = open + items.join(', ') + close;
  if (short.length < 60 && !short.includes('\n')) return short;
  const lines = items.map((item) => `${indent}${item.replaceAll('\n', `\n${indent}`)},\n`).join('');
  return `${open.trim()}\n${lines}${close.trim()}`;
}
