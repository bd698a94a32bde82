import {
  endpointsOf,
  type Document,
  type OperationObject,
  type Schema,
} from '../../src/http/openapi/published.ts';

// client/src/document.ts.
//
// Not openapi-typescript (7.13, tried on the named schemas alone): its types are aliases into one large interface, so an
// error of the compiler prints every field where ours says CreateBooking; its optional fields refuse undefined under
// exactOptionalPropertyTypes; its comments begin with @description and the format. 37 kB for our 24, a TypeScript 5
// beside our own, and the names below would still be ours to give: 65 lines less.

export const MADE =
  'Made from the OpenAPI document by the build of the client; changes made by hand are lost.';

/** What the document leaves without a name, and what it calls by one that TypeScript has already. */
const NAMES = {
  components: { Error: 'ErrorAnswer' } as Record<string, string>,
  data: {
    getAvailability: 'Availability',
    listBookings: 'BookingPage',
    deleteWebhook: 'DeletedWebhook',
  },
  query: { listBookings: 'BookingQuery' },
  body: { cancelBooking: 'CancelBooking' },
};

/** Every schema of the document that a client has a name for, by that name. */
function namedSchemas(document: Document): [name: string, schema: Schema][] {
  const types = new Map<string, Schema>();
  const nameIt = (name: string, schema: Schema): void => {
    // Not where the document has it under this very name.
    if (schema.$ref === undefined || nameOf(schema.$ref) !== name) types.set(name, schema);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    // The failures of one status: the client has one type for all, whose code tells its details.
    if (name.endsWith('Error') && name !== 'Error') continue;
    for (const [each, part] of byEndDate(NAMES.components[name] ?? name, schema)) types.set(each, part);
  }
  const operations = new Map(
    endpointsOf(document).map(({ operation }) => [operation.operationId, operation]),
  );
  const find = (id: string): OperationObject => operations.get(id) ?? fail(`there is no operation ${id}`);
  for (const [id, name] of Object.entries(NAMES.data)) nameIt(name, dataOf(find(id)));
  for (const [id, name] of Object.entries(NAMES.query)) nameIt(name, queryOf(find(id)));
  for (const [id, name] of Object.entries(NAMES.body)) nameIt(name, bodyOf(find(id)));
  return [...types].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A request whose `end_date` changes the response, as two types: hours of one date, and of many days. */
function byEndDate(name: string, schema: Schema): [name: string, schema: Schema][] {
  if (schema.properties?.['end_date'] === undefined) return [[name, schema]];
  const { end_date: _, weekdays: __, skip_occupied: ___, ...ofOneDate } = schema.properties;
  const required = [...schema.required!, 'end_date'];
  return [
    [name, { ...schema, properties: ofOneDate }],
    [`${name}OnDays`, { ...schema, required, description: `${schema.description}, on many days` }],
  ];
}

/**
 * The same for the clients of other languages: refusals are exceptions, a move may leave out anything, and the id in
 * the path need not be said twice.
 */
export function schemasForOthers(document: Document): [name: string, schema: Schema][] {
  return namedSchemas(document)
    .filter(([name]) => name !== 'ErrorAnswer')
    .flatMap(([name, schema]): [string, Schema][] => {
      const given = withoutPathId(schema);
      if (name !== 'CreateBooking') return [[name, given]];
      const { replaces: _, ...properties } = given.properties!;
      const description = 'What a move changes.';
      return [
        [name, given],
        ['BookingChanges', { ...given, description, properties, required: [] }],
      ];
    });
}

function withoutPathId(schema: Schema): Schema {
  const entries = Object.entries(schema.properties ?? {});
  const left = entries.filter(([, { description }]) => description?.includes('the id in the path') !== true);
  return left.length === entries.length ? schema : { ...schema, properties: Object.fromEntries(left) };
}

/** The document's schemas as TypeScript that a person reads in an editor. */
export function typesOf(document: Document): string {
  const codes = errorCodes(document).map((code) => `'${code}'`);
  return [
    `// ${MADE}`,
    ...namedSchemas(document).map(([name, schema]) => declaration(name, schema)),
    union('WebhookEvent', 'What a webhook delivers; `type` tells which.', eventNames(document)),
    `/** The events that a webhook can subscribe to. */\nexport const EVENT_TYPES = ${JSON.stringify(Object.keys(document.webhooks))} as const;`,
    'export type EventType = (typeof EVENT_TYPES)[number];',
    union('ApiErrorCode', 'Every code that the API refuses with.', codes),
  ].join('\n\n');
}

function dataOf({ operationId, responses }: OperationObject): Schema {
  const success = Object.values(responses)[0]?.content?.['application/json']?.schema;
  const data = success?.properties?.['data'] ?? fail(`${operationId} answers without data`);
  // Described by its place in the answer, which a type of its own does not have.
  const { description: _, ...schema } = data;
  return schema;
}

function bodyOf({ operationId, requestBody }: OperationObject): Schema {
  return requestBody?.content['application/json']?.schema ?? fail(`${operationId} takes no body`);
}

function queryOf({ parameters = [] }: OperationObject): Schema {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  return {
    type: 'object',
    properties: Object.fromEntries(
      query.map(({ name, schema, description }) => [
        name,
        { ...orList(schema), ...(description && { description }) },
      ]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** Words separated by commas: the clients take them as a list too. */
function orList(schema: Schema): Schema {
  return schema.pattern?.includes('(?:,') ? { anyOf: [schema, { type: 'array', items: schema }] } : schema;
}

export function eventNames({ webhooks }: Document): string[] {
  return Object.values(webhooks).map(({ post }) => typeOf(bodyOf(post)));
}

export function errorCodes(document: Document): string[] {
  const answers = endpointsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  const codes = answers.flatMap(({ content }) => Object.keys(content?.['application/json']?.examples ?? {}));
  return [...new Set(codes)].sort();
}

function declaration(name: string, schema: Schema): string {
  const comment = commentOf(schema, '');
  if (schema.properties === undefined) return `${comment}export type ${name} = ${typeOf(schema)};`;
  return `${comment}export interface ${name} ${typeOf(schema)}`;
}

function union(name: string, comment: string, members: readonly string[]): string {
  return `/** ${comment} */\nexport type ${name} =\n  | ${members.join('\n  | ')};`;
}

function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeOf(each, indent)).join(' | ');
  return [schema.type ?? []]
    .flat()
    .map((type) => plainType(type, schema, indent))
    .join(' | ');
}

function plainType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array': {
      const items = typeOf(schema.items ?? fail('an array of nothing'), indent);
      return items.includes('|') && !items.startsWith('{') ? `(${items})[]` : `${items}[]`;
    }
    case 'object':
      return schema.additionalProperties === true ? 'Record<string, unknown>' : objectType(schema, indent);
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    default:
      return fail(`no type for ${JSON.stringify(schema)}`);
  }
}

function objectType({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema, inner);
    const field = required.includes(name) ? `${name}: ${type};` : `${name}?: ${type} | undefined;`;
    return `${commentOf(schema, inner)}${inner}${field}`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function commentOf(schema: Schema, indent: string): string {
  const text = wordsOf(schema);
  return text === '' ? '' : `${indent}/** ${text} */\n`;
}

/** What the document says about it, with its default. */
export function wordsOf({ description, default: given }: Schema): string {
  const parts = [
    description?.replace(/\.$/, ''),
    given === undefined ? undefined : `Default: ${JSON.stringify(given).replaceAll('"', '`')}`,
  ];
  const text = parts.filter((part) => part !== undefined).join('. ');
  return text === '' ? '' : `${text}.`;
}

export function nameOf(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return NAMES.components[name] ?? name;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

export function fail(message: string): never {
  throw new Error(message);
}
