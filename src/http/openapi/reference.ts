import type { Failure } from '../envelope.ts';
import {
  bodyOf,
  type Endpoint,
  type OperationObject,
  type Parameter,
  type Response,
  type Schema,
} from './published.ts';
import { samplesOf } from './samples.ts';

// The reference as Markdown: the site shows it as HTML, and programs read it as it is.

/** The page of an endpoint, in two parts: between them a page has the form that sends a request. */
export function operationPage(
  { method, path, operation }: Endpoint,
  today: Temporal.PlainDate,
): [request: string, details: string] {
  const { summary, description, parameters = [], responses } = operation;
  const body = bodyOf(operation);
  const all = Object.entries(responses);
  return [
    parts(
      `# ${summary}`,
      `\`${method} ${path}\``,
      description,
      ...samplesOf({ method, path, operation }, today).map(([language, code]) => fence(language, code)),
      exampleOf(...all[0]!),
    ),
    parts(
      ...(['Path', 'Query', 'Header'] as const).flatMap((place) => {
        const taken = parameters.filter((parameter) => parameter.in === place.toLowerCase());
        return taken.length === 0 ? [] : [`## ${place} parameters`, fields(asSchema(taken), REQUEST)];
      }),
      ...(body === undefined ? [] : ['## Body', fields(body.schema, REQUEST)]),
      ...all.filter((response) => !isError(response)).flatMap(responseSection),
      '## Errors',
      all.filter(isError).flatMap(errorLines).join('\n'),
    ),
  ];
}

/** The page of an event. It is a request that the service sends, so there is nothing to try. */
export function eventPage(name: string, operation: OperationObject): string {
  const { description, parameters = [], responses } = operation;
  const body = bodyOf(operation);
  const headers = parameters.map((parameter) => `${parameter.name}: ${String(parameter.example)}`);
  return parts(
    `# ${name}`,
    description,
    'Hourkeep sends this request to your webhook’s URL, so there is no request to try here. Subscribe with ' +
      '`POST /api-webhooks/api/v1/webhooks`, then verify and acknowledge each delivery as the [webhooks guide](webhooks.md) shows.',
    fence('http', ['POST /your/path HTTP/1.1', 'content-type: application/json', ...headers].join('\n')),
    fence('json', JSON.stringify(body?.example, null, 2)),
    '## Headers',
    fields(asSchema(parameters), REQUEST),
    '## Body',
    fields(body?.schema ?? {}, RESPONSE),
    '## Your response',
    Object.entries(responses)
      .map(([status, response]) => `- ${status}: ${oneLine(response.description)}`)
      .join('\n'),
  );
}

function parts(...texts: readonly (string | undefined)[]): string {
  return `${texts.filter((text) => text !== undefined && text !== '').join('\n\n')}\n`;
}

function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

function exampleOf(status: string, { content = {} }: Response): string | undefined {
  const example = Object.values(content)[0]?.example;
  if (example === undefined) return undefined;
  const code =
    typeof example === 'string' ? fence('text', example) : fence('json', JSON.stringify(example, null, 2));
  return `Response ${status}:\n\n${code}`;
}

function responseSection([status, { description, content = {}, headers = {} }]: [
  string,
  Response,
]): string[] {
  const named = Object.entries(headers);
  return [
    `## Response ${status}`,
    description,
    ...Object.values(content).map(({ schema }) => fields(schema, RESPONSE)),
    ...(named.length === 0 ? [] : [`### Headers of ${status}`]),
    named.map(([name, header]) => `- \`${name}\`: ${oneLine(header.description)}`).join('\n'),
  ];
}

function isError([status]: [string, Response]): boolean {
  return Number(status) >= 400;
}

function errorLines([status, { content = {} }]: [string, Response]): string[] {
  const examples = Object.values(content).flatMap((each) => Object.entries(each.examples ?? {}));
  return examples.map(([code, { value }]) => `- ${status} \`${code}\`: ${(value as Failure).error.message}`);
}

function asSchema(parameters: readonly Parameter[]): Schema {
  return {
    properties: Object.fromEntries(
      parameters.map(({ name, schema, description = schema.description }) => [
        name,
        { ...schema, ...(description !== undefined && { description }) },
      ]),
    ),
    required: parameters.flatMap(({ name, required }) => (required === true ? name : [])),
  };
}

/** A client asks which fields it must send, and which ones it may miss. */
const REQUEST = { required: ', **required**', optional: '' };
const RESPONSE = { required: '', optional: ', may be absent' };

/** The fields of an object, or of the objects in a list, in the document's order. */
function fields(schema: Schema, mark: typeof REQUEST, indent = ''): string {
  const { properties, required = [], items, anyOf = [] } = schema;
  if (properties === undefined)
    return (items === undefined ? anyOf : [items])
      .map((shape) => fields(shape, mark, indent))
      .filter(Boolean)
      .join('\n');
  return Object.entries(properties)
    .map(([name, field]) => {
      const inside = fields(field, mark, `${indent}  `);
      const said = [
        `*${typeOf(field)}*${required.includes(name) ? mark.required : mark.optional}.`,
        oneLine(field.description),
        valuesOf(field),
      ];
      return `${indent}- \`${name}\` ${said.filter(Boolean).join(' ')}${inside === '' ? '' : `\n${inside}`}`;
    })
    .join('\n');
}

function oneLine(text = ''): string {
  const line = text.replaceAll(/\s*\n\s*/g, ' ').trim();
  return line === '' || /[.:!?]$/.test(line) ? line : `${line}.`;
}

function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  const named = [schema.type ?? []]
    .flat()
    .map((type) => (type === 'array' ? `list of ${typeOf(schema.items ?? {})}` : type));
  return [named.join(' or '), ...bounds(schema)].join(', ');
}

/** In words for people. `int32` is a hint for generators and says nothing here. */
function bounds(schema: Schema): string[] {
  const { format, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const most = maximum !== undefined && maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
  return [
    ...(format === undefined || /^int\d/.test(format) ? [] : [format.replace('date-time', 'RFC 3339')]),
    ...range(minimum, most, ''),
    ...(format === undefined && schema.enum === undefined ? range(minLength, maxLength, ' characters') : []),
    ...range(minItems, maxItems, ' items'),
  ];
}

function range(low: number | undefined, high: number | undefined, unit: string): string[] {
  if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`];
  if (high !== undefined) return [`at most ${high}${unit}`];
  return low === undefined ? [] : [`at least ${low}${unit}`];
}

function valuesOf({
  enum: values,
  items,
  anyOf,
  const: value,
  examples = [],
  default: initial,
}: Schema): string {
  // One of several shapes: an enum that may be null.
  const choice = anyOf?.find((shape) => shape.enum !== undefined)?.enum;
  // Examples stand where any text is let through, since a wrong value has an error code of its own.
  const allowed = values ?? items?.enum ?? choice ?? (value === undefined ? examples : [value]);
  const shown = allowed.map((item) => `\`${String(item)}\``).join(', ');
  return [
    ...(shown === '' ? [] : [`${value === undefined ? 'One of' : 'Always'} ${shown}.`]),
    ...(initial === undefined ? [] : [`Default \`${String(initial)}\`.`]),
  ].join(' ');
}
