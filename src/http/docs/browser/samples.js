// Used by the service for what it renders and by the page when the reader changes a value.

/**
 * @typedef {object} SampleRequest
 * @property {string} operation
 * @property {string} method
 * @property {string} base where the service is
 * @property {string} path with its query
 * @property {Record<string, string>} parameters of path and query
 * @property {boolean} authenticated
 * @property {Record<string, string>} headers
 * @property {unknown} [body]
 */

/** @typedef {{ name: string, language: string, code: string }} Sample */

/**
 * The same request by curl and by each client. The key comes from the environment variable KEY, so that no sample shows
 * one; each sample runs as it stands (a test does).
 * @param {SampleRequest} request
 * @returns {Sample[]}
 */
export function samplesOf(request) {
  const call = callOf(request);
  return [
    { name: 'curl', language: 'sh', code: curl(request) },
    { name: 'TypeScript', language: 'ts', code: call ? typescript(request, call) : plainTypescript(request) },
    { name: 'Python', language: 'python', code: call ? python(request, call) : plainPython(request) },
    { name: 'PHP', language: 'php', code: call ? php(request, call) : plainPhp(request) },
  ];
}

/** @param {SampleRequest} request */
function curl({ method, base, path, authenticated, headers, body }) {
  const parts = [`curl${method === 'GET' ? '' : ` -X ${method}`} "${base}${path}"`];
  if (authenticated) parts.push('-H "Authorization: Bearer $KEY"');
  for (const [name, value] of Object.entries(headers))
    parts.push(`-H '${quoteForShell(`${name}: ${value}`)}'`);
  if (body !== undefined) {
    parts.push(`-H "Content-Type: application/json"`);
    parts.push(`-d '${quoteForShell(JSON.stringify(body, null, 2))}'`);
  }
  return parts.join(' \\\n  ');
}

/** @param {string} text */
function quoteForShell(text) {
  return text.replaceAll("'", "'\\''");
}

/**
 * The clients' method for each operation, and the parameters that it takes one by one. What else there is, it takes as
 * fields.
 * @type {Record<string, string>}
 */
const METHODS = {
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

const NUMBERS = new Set(['days', 'limit', 'offset']);

/** @typedef {{ part: string, method: string, values: unknown[], fields: [string, unknown][] }} Call */

/**
 * Undefined for what the clients have no method for: the feed and the document, which need no key.
 * @param {SampleRequest} request
 * @returns {Call | undefined}
 */
function callOf({ operation, parameters, headers, body }) {
  const several = operation === 'getAvailability' && parameters['days'] !== undefined;
  const described = several ? 'availability days space_id date days' : METHODS[operation];
  if (described === undefined) return undefined;
  const [part = '', method = '', ...names] = described.split(' ');
  /** @type {Record<string, unknown>} */
  const given = { ...(typeof body === 'object' ? body : {}) };
  for (const [name, value] of Object.entries(parameters))
    given[name] = NUMBERS.has(name) ? Number(value) : value;
  if (headers['idempotency-key'] !== undefined) given['idempotency_key'] = headers['idempotency-key'];
  return {
    part,
    method,
    values: names.map((name) => given[name] ?? `{${name}}`),
    fields: Object.entries(given).filter(([name]) => !names.includes(name)),
  };
}

/** @param {SampleRequest} request @param {Call} call */
function typescript({ base }, { part, method, values, fields }) {
  const taken = values.map((value) => literal(value, TYPESCRIPT));
  if (fields.length > 0) taken.push(literal(Object.fromEntries(fields), TYPESCRIPT));
  return `// npm install @hourkeep/client
import { Hourkeep } from '@hourkeep/client';

const hk = new Hourkeep({
  apiKey: process.env.KEY!,
  baseUrl: '${base}',
});
const answer = await hk.${part}.${method}(${taken.join(', ')});
console.log(answer);`;
}

/** @param {SampleRequest} request @param {Call} call */
function python({ base }, { part, method, values, fields }) {
  const taken = values.map((value) => literal(value, PYTHON));
  // A word of Python's own: the client takes the underscore away.
  for (const [name, value] of fields)
    taken.push(`${name === 'from' ? 'from_' : name}=${literal(value, PYTHON)}`);
  return `# pip install hourkeep-client
import os

from hourkeep import Hourkeep

hk = Hourkeep(
    api_key=os.environ["KEY"],
    base_url="${base}",
)
answer = hk.${part}.${method}${enclosed('(', taken, ')', PYTHON.indent)}
print(answer)`;
}

/** @param {SampleRequest} request @param {Call} call */
function php({ base }, { part, method, values, fields }) {
  const taken = values.map((value) => literal(value, PHP));
  if (fields.length > 0) taken.push(literal(Object.fromEntries(fields), PHP));
  return `<?php
// composer require hourkeep/client
require 'vendor/autoload.php';

$hk = new Hourkeep\\Hourkeep(
    apiKey: getenv('KEY'),
    baseUrl: '${base}',
);
$answer = $hk->${part}->${method}(${taken.join(', ')});
print_r($answer);`;
}

/** @param {SampleRequest} request */
function plainTypescript({ base, path }) {
  return `const response = await fetch('${base}${path}');
console.log(response.status, await response.text());`;
}

/** @param {SampleRequest} request */
function plainPython({ base, path }) {
  return `import urllib.request

with urllib.request.urlopen("${base}${path}") as response:
    print(response.status, response.read().decode())`;
}

/** @param {SampleRequest} request */
function plainPhp({ base, path }) {
  return `<?php
echo file_get_contents('${base}${path}');`;
}

/**
 * How a language writes the values of JSON.
 * @typedef {object} Style
 * @property {(text: string) => string} string
 * @property {(name: string, value: string) => string} field
 * @property {[open: string, close: string]} object
 * @property {Record<string, string>} words
 * @property {string} indent
 */

/** @type {Style} */
const TYPESCRIPT = {
  string: (text) => (/['\\\n]/.test(text) ? JSON.stringify(text) : `'${text}'`),
  field: (name, value) => `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${value}`,
  object: ['{ ', ' }'],
  words: {},
  indent: '  ',
};

/** @type {Style} */
const PYTHON = {
  string: (text) => JSON.stringify(text),
  field: (name, value) => `${JSON.stringify(name)}: ${value}`,
  object: ['{', '}'],
  words: { true: 'True', false: 'False', null: 'None' },
  indent: '    ',
};

/** @type {Style} */
const PHP = {
  string: (text) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`,
  field: (name, value) => `'${name}' => ${value}`,
  object: ['[', ']'],
  words: {},
  indent: '    ',
};

/** @param {unknown} value @param {Style} style @returns {string} */
function literal(value, style) {
  if (typeof value === 'string') return style.string(value);
  if (typeof value !== 'object' || value === null) return style.words[String(value)] ?? String(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, style));
    return enclosed('[', items, ']', style.indent);
  }
  const [open, close] = style.object;
  const fields = Object.entries(value).map(([name, field]) => style.field(name, literal(field, style)));
  return enclosed(open, fields, close, style.indent);
}

/**
 * In one line where that is short.
 * @param {string} open
 * @param {string[]} items
 * @param {string} close
 * @param {string} indent
 */
function enclosed(open, items, close, indent) {
  if (items.length === 0) return open.trim() + close.trim();
  const short = open + items.join(', ') + close;
  if (short.length < 60 && !short.includes('\n')) return short;
  const lines = items.map((item) => `${indent}${item.replaceAll('\n', `\n${indent}`)},\n`).join('');
  return `${open.trim()}\n${lines}${close.trim()}`;
}
