import { bodyOf, type Endpoint } from './published.ts';

/**
 * The request of an endpoint by curl and by each client, by the language behind the opening fence. Each runs as it stands, with
 * HOURKEEP_API_KEY and HOURKEEP_URL in the environment: an id that it needs is the first of its list, and dates lie ahead of `today`.
 */
export function samplesOf(endpoint: Endpoint, today: Temporal.PlainDate): [language: string, code: string][] {
  const request = requestOf(endpoint, today);
  const programs = Object.entries(LANGUAGES).map(([name, language]): [string, string] => [
    name,
    program(language, request),
  ]);
  return [['sh curl', curl(request)], ...programs];
}

type Fields = Readonly<Record<string, unknown>>;

interface Request {
  readonly method: string;
  /** With its query, and `{space_id}` where a program has its variable. */
  readonly path: string;
  readonly needsKey: boolean;
  readonly body: Fields | undefined;
  /** The client's method and what it takes. Undefined for the feed and the document, which the clients have no method for. */
  readonly call: Call | undefined;
  /** The ids that a program reads first, and the query of the list that each is in. */
  readonly ids: readonly (readonly [id: Id, query: Fields])[];
}

type Call = readonly [method: string, values: readonly unknown[], fields: Fields];

type Id = keyof typeof LISTS;
const LISTS = {
  space_id: ['spaces', '/api-listings/api/v1/spaces'],
  booking_id: ['bookings', '/api-bookings/api/v1/bookings'],
  webhook_id: ['webhooks', '/api-webhooks/api/v1/webhooks'],
} as const;

/** The clients' method for each operation, and the parameters that it takes one by one. It takes the others as fields. */
const METHODS: Readonly<Record<string, string>> = {
  listSpaces: 'spaces.list',
  getSpace: 'spaces.get space_id',
  updateListing: 'spaces.update space_id',
  getAvailability: 'availability.get space_id date',
  listBookings: 'bookings.list',
  createBooking: 'bookings.create',
  getBooking: 'bookings.get booking_id',
  cancelBooking: 'bookings.cancel booking_id',
  createBlocks: 'blocks.create space_id',
  deleteBlocks: 'blocks.delete space_id',
  getSettlementReport: 'settlement.report month',
  getEarnings: 'earnings.get',
  listWebhooks: 'webhooks.list',
  createWebhook: 'webhooks.create',
  updateWebhook: 'webhooks.update id',
  deleteWebhook: 'webhooks.delete id',
};

/** The document's examples with ids and dates that work today. The feed's token is a secret: that one the reader puts in. */
function requestOf({ method, path, operation }: Endpoint, today: Temporal.PlainDate): Request {
  const date = today.add({ days: 60 }).toString();
  const current: Fields = {
    id: '{webhook_id}',
    space_id: '{space_id}',
    booking_id: '{booking_id}',
    date,
    from: today.toString(),
    to: date,
    month: date.slice(0, 7),
    // One a day: the same key with another date would be another request.
    idempotency_key: `order-${date}`,
  };
  const valuesOf = (examples: object): Fields =>
    Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, current[name] ?? value]));
  const parametersIn = (place: string): Fields => {
    const parameters = operation.parameters?.filter((one) => one.in === place && one.example !== undefined);
    return valuesOf(Object.fromEntries(parameters?.map(({ name, example }) => [name, example]) ?? []));
  };
  const [inPath, query] = [parametersIn('path'), parametersIn('query')];
  const example = bodyOf(operation)?.example as object | undefined;
  const body = example && valuesOf(example);
  const given: Fields = { ...inPath, ...query, ...body };
  const [name, ...names] = METHODS[operation.operationId]?.split(' ') ?? [];
  const others = Object.fromEntries(Object.entries(given).filter(([field]) => !names.includes(field)));
  // A booking that can still be cancelled.
  const ahead = { status: 'confirmed', from: today.add({ days: 3 }).toString(), limit: 1 };
  const ids = Object.keys(LISTS).filter((id) => Object.values(given).includes(`{${id}}`)) as Id[];
  return {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, field: string) => String(inPath[field])) + queryOf(query),
    needsKey: operation.security.length > 0,
    body,
    call: name === undefined ? undefined : [name, names.map((field) => given[field]), others],
    ids: ids.map((id) => [id, id === 'booking_id' ? ahead : {}]),
  };
}

function queryOf(fields: Fields): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function withVariables(text: string, variable: (id: string) => string): string {
  return text.replaceAll(/\{(\w+_id)\}/g, (_, id: string) => variable(id));
}

const KEY_HEADER = '-H "Authorization: Bearer $HOURKEEP_API_KEY"';

function curl({ method, path, needsKey, body, ids }: Request): string {
  const parts = [`curl${method === 'GET' ? '' : ` -X ${method}`} "$HOURKEEP_URL${path}"`];
  if (needsKey) parts.push(KEY_HEADER);
  if (body !== undefined)
    parts.push('-H "Content-Type: application/json"', `-d @- <<JSON\n${JSON.stringify(body, null, 2)}\nJSON`);
  const reads = ids.map(([id, query]) => {
    const [list, listPath] = LISTS[id];
    const request = [
      `curl -sS "$HOURKEEP_URL${listPath}${queryOf(query)}"`,
      KEY_HEADER,
      `| jq -r '.data.${list}[0].id'`,
    ];
    return `${id.toUpperCase()}=$(${request.join(' \\\n  ')})\n\n`;
  });
  return reads.join('') + withVariables(parts.join(' \\\n  '), (id) => `$${id.toUpperCase()}`);
}

/** How a language writes a program. */
interface Language {
  readonly variable: (id: string) => string;
  /** A literal of this language, made from JSON that has variables for its ids. */
  readonly literal: (json: string) => string;
  /** Whether a method takes fields as arguments with names, and not as one object. */
  readonly named: boolean;
  readonly start: string;
  readonly client: string;
  readonly method: (name: string) => string;
  readonly part: (list: string) => string;
  readonly assign: (variable: string, value: string) => string;
  readonly print: (value: string) => string;
  /** The end of a program for which the client has no method. */
  readonly fetch: (path: string) => string;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  ts: {
    variable: camelCase,
    literal: (json) => json.replaceAll(/"(\w+)": /g, '$1: ').replaceAll('"', "'"),
    named: false,
    start: '',
    client: `import { Hourkeep } from '@hourkeep/client';

const hk = new Hourkeep({
  apiKey: process.env.HOURKEEP_API_KEY!,
  baseUrl: process.env.HOURKEEP_URL!,
});`,
    method: (name) => `await hk.${name}`,
    part: (list) => `.${list}`,
    assign: (variable, value) => `const ${variable} = ${value}!.id;`,
    print: (value) => `console.log(${value});`,
    fetch: (path) => `const path = \`${withVariables(path, (id) => `\${${camelCase(id)}}`)}\`;
const response = await fetch(process.env.HOURKEEP_URL + path);
console.log(response.status, await response.text());`,
  },
  python: {
    variable: (id) => id,
    literal: (json) =>
      json.replaceAll(
        /\b(?:true|false|null)$/g,
        (word) => ({ true: 'True', false: 'False' })[word] ?? 'None',
      ),
    named: true,
    start: 'import os\n',
    client: `from hourkeep import Hourkeep

hk = Hourkeep(api_key=os.environ["HOURKEEP_API_KEY"], base_url=os.environ["HOURKEEP_URL"])`,
    method: (name) => `hk.${name}`,
    part: (list) => `["${list}"]`,
    assign: (variable, value) => `${variable} = ${value}["id"]`,
    print: (value) => `print(${value})`,
    fetch: (path) => `from urllib.request import urlopen

with urlopen(os.environ["HOURKEEP_URL"] + f"${path}") as response:
    print(response.status, response.read().decode())`,
  },
  php: {
    variable: (id) => `$${camelCase(id)}`,
    literal: (json) =>
      json
        .replaceAll(/"(\w+)": /g, "'$1' => ")
        .replaceAll('"', "'")
        .replaceAll(/\{ ?/g, '[')
        .replaceAll(/ ?\}/g, ']'),
    named: false,
    start: '<?php',
    client: `require 'vendor/autoload.php';

$hk = new \\Hourkeep\\Hourkeep(apiKey: getenv('HOURKEEP_API_KEY'), baseUrl: getenv('HOURKEEP_URL'));`,
    method: (name) => `$hk->${name.replace('.', '->')}`,
    part: (list) => `['${list}']`,
    assign: (variable, value) => `${variable} = ${value}['id'];`,
    print: (value) => `print_r(${value});`,
    fetch: (path) =>
      `echo file_get_contents(getenv('HOURKEEP_URL') . "${withVariables(path, (id) => `{$${camelCase(id)}}`)}");`,
  },
};

function program(language: Language, { call, path, ids }: Request): string {
  const reads = ids.map(([id, query]) => {
    const [list] = LISTS[id];
    const all = callOf(language, [`${list}.list`, [], query]);
    const page = list === 'bookings' ? language.part(list) : '';
    // In JavaScript, `await` binds less than what follows it.
    return language.assign(language.variable(id), `${all.startsWith('await') ? `(${all})` : all}${page}[0]`);
  });
  const last = call === undefined ? language.fetch(path) : language.print(callOf(language, call));
  const client = call === undefined && ids.length === 0 ? '' : language.client;
  return [language.start, client, ...reads, last].filter(Boolean).join('\n');
}

function callOf(language: Language, [method, values, fields]: Call): string {
  const literal = (value: unknown) =>
    language.literal(json(value).replaceAll(/"\{(\w+_id)\}"/g, (_, id: string) => language.variable(id)));
  // `from` is a keyword of Python: the client takes the underscore away.
  const named = language.named
    ? Object.entries(fields).map(([name, value]) => `${name === 'from' ? 'from_' : name}=${literal(value)}`)
    : [fields].filter((all) => Object.keys(all).length > 0).map(literal);
  const taken = [...values.map(literal), ...named];
  const line = taken.join(', ');
  const inLines = language.named && line.length > 60;
  return `${language.method(method)}(${inLines ? `\n${taken.map((each) => `    ${each},\n`).join('')}` : line})`;
}

function json(value: unknown): string {
  const line = JSON.stringify(value, null, 1)
    .replaceAll(/\n */g, ' ')
    .replaceAll(/\[ | \]/g, (edge) => edge.trim());
  return line.length < 60 ? line : JSON.stringify(value, null, 2);
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
