import { writeFileSync } from 'node:fs';
import { operationsOf, publishedDocument, type OpenApi, type Operation, type Schema } from './document.ts';

// npm run client:types: writes client/src/document.ts. A test makes it again and compares.
//
// Not openapi-typescript (7.13, tried on the named schemas alone): its types are aliases into one large interface, so an
// error of the compiler prints every field where ours says CreateBooking; its optional fields refuse undefined under
// exactOptionalPropertyTypes; its comments begin with @description and the format. 37 kB for our 24, a TypeScript 5
// beside our own, and the names below would still be ours to give: 65 lines less.

/** What the document leaves without a name, and what it calls by one that TypeScript has already. */
const NAMES = {
  components: { Error: 'ErrorAnswer' } as Record<string, string>,
  data: {
    getAvailability: 'Availability',
    listBookings: 'BookingPage',
    createBlocks: 'BlockedHours',
    deleteBlocks: 'UnblockedHours',
    deleteWebhook: 'DeletedWebhook',
  },
  query: { listBookings: 'BookingQuery' },
  body: { cancelBooking: 'CancelBooking' },
};

/** The document's schemas as TypeScript that a person reads in an editor. */
export function typesOf(document: OpenApi): string {
  const types = new Map<string, Schema>();
  const nameIt = (name: string, schema: Schema): void => {
    // Not where the document has it under this very name.
    if (schema.$ref === undefined || nameOf(schema.$ref) !== name) types.set(name, schema);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    types.set(NAMES.components[name] ?? name, schema);
  }
  const operations = new Map(
    operationsOf(document).map(({ operation }) => [operation.operationId, operation]),
  );
  const find = (id: string): Operation => operations.get(id) ?? fail(`there is no operation ${id}`);
  for (const [id, name] of Object.entries(NAMES.data)) nameIt(name, dataOf(find(id)));
  for (const [id, name] of Object.entries(NAMES.query)) nameIt(name, queryOf(find(id)));
  for (const [id, name] of Object.entries(NAMES.body)) nameIt(name, bodyOf(find(id)));
  return [
    '// Made from the OpenAPI document by "npm run client:types"; changes made by hand are lost.',
    ...[...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, schema]) => declaration(name, schema)),
    union('WebhookEvent', 'What a webhook delivers; `type` tells which.', eventNames(document)),
    `/** The events that a webhook can subscribe to. */\nexport const EVENT_TYPES = ${JSON.stringify(Object.keys(document.webhooks))} as const;`,
    'export type EventType = (typeof EVENT_TYPES)[number];',
    union('ApiErrorCode', 'Every code that the API refuses with.', errorCodes(document)),
  ].join('\n\n');
}

function dataOf({ operationId, responses }: Operation): Schema {
  const success = Object.values(responses)[0]?.content?.['application/json']?.schema;
  const data = success?.properties?.['data'] ?? fail(`${operationId} answers without data`);
  // Described by its place in the answer, which a type of its own does not have.
  const { description: _, ...schema } = data;
  return schema;
}

function bodyOf({ operationId, requestBody }: Operation): Schema {
  return requestBody?.content['application/json']?.schema ?? fail(`${operationId} takes no body`);
}

function queryOf({ parameters = [] }: Operation): Schema {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  return {
    type: 'object',
    properties: Object.fromEntries(
      query.map(({ name, schema, description }) => [
        name,
        { ...schema, ...(description && { description }) },
      ]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
}

function eventNames({ webhooks }: OpenApi): string[] {
  return Object.values(webhooks).map(({ post }) =>
    typeOf(post.requestBody.content['application/json']!.schema),
  );
}

function errorCodes(document: OpenApi): string[] {
  const answers = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  const codes = answers.flatMap(({ content }) => Object.keys(content?.['application/json']?.examples ?? {}));
  return [...new Set(codes)].sort().map((code) => `'${code}'`);
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

function commentOf({ description, default: given }: Schema, indent: string): string {
  const parts = [
    description?.replace(/\.$/, ''),
    given === undefined ? undefined : `Default: ${JSON.stringify(given).replaceAll('"', '`')}`,
  ];
  const text = parts.filter((part) => part !== undefined).join('. ');
  return text === '' ? '' : `${indent}/** ${text}. */\n`;
}

function nameOf(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return NAMES.components[name] ?? name;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function fail(message: string): never {
  throw new Error(message);
}

if (import.meta.main) {
  const file = new URL('../src/document.ts', import.meta.url);
  writeFileSync(file, typesOf(await publishedDocument()) + '\n');
}
