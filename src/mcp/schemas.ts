import { endpointsOf, type Document, type OperationObject, type Schema } from '../http/openapi/published.ts';

type JsonSchema = Record<string, unknown>;

interface ToolInput extends JsonSchema {
  properties: Record<string, JsonSchema>;
  required: string[];
}

export interface ToolSchemas {
  /** What an agent gives: path, query and body in one object. */
  input: ToolInput;
  /** What the API answers as `data`. */
  output: JsonSchema;
  /** Those without which there is nobody to ask: the ones in the path. */
  demanded: string[];
}

/** Which tool of a list has spelled out which record, such as Booking: the others refer to it in words. */
export type SpelledOut = Map<string, string>;

/** An agent reads the whole list of tools before it does anything, so it is kept short. */
export function schemasOf(
  document: Document,
  tool: { readonly name: string; readonly operationId: string },
  spelledOut: SpelledOut,
): ToolSchemas {
  const operation = operationOf(document, tool.operationId);
  const { schemas } = document.components;
  const described = new Map<unknown, string>();
  const resolve = (schema: Schema): JsonSchema => inputOf(schema, schemas, described) as JsonSchema;
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'header');
  const body = resolve(operation.requestBody?.content['application/json']?.schema ?? {});
  const [answer] = Object.values(operation.responses);
  const data = answer!.content!['application/json']!.schema.properties!['data']!;
  return {
    input: {
      type: 'object',
      properties: {
        ...(body['properties'] as Record<string, JsonSchema> | undefined),
        // After the body, which may repeat what the path says but does not ask for it.
        ...Object.fromEntries(
          parameters.map(({ name, description, schema }) => [
            name,
            { ...resolve(schema), ...(description === undefined ? {} : { description }) },
          ]),
        ),
      },
      required: [
        ...parameters.filter(({ required }) => required).map(({ name }) => name),
        ...((body['required'] as string[] | undefined) ?? []),
      ],
      additionalProperties: false,
    },
    output: asOneObject(outputOf(data, schemas, tool.name, spelledOut)),
    demanded: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
  };
}

export function scopeOf(document: Document, operationId: string): string {
  return operationOf(document, operationId).security[0]!['apiKey']![0]!;
}

function operationOf(document: Document, operationId: string): OperationObject {
  return endpointsOf(document).find(({ operation }) => operation.operationId === operationId)!.operation;
}

type Schemas = Document['components']['schemas'];

/** What checks a value is the API's affair; what it means is the agent's. */
const NOT_FOR_AGENTS = new Set(['format', 'pattern', 'minLength', 'maxLength', 'additionalProperties']);

/**
 * A tool's schema stands alone: what the document refers to is put in its place. What stands several times is described once, and an
 * object whose fields an earlier one has, such as those of a weekday, is "as" that one.
 */
function inputOf(value: unknown, schemas: Schemas, described: Map<unknown, string>, of = ''): unknown {
  const inner = (part: unknown, name = of): unknown => inputOf(part, schemas, described, name);
  if (Array.isArray(value)) return value.map((part) => inner(part));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return inner(schemas[nameOf(value.$ref)]);
  if ('type' in value && 'properties' in value) {
    const fields = JSON.stringify(value.properties);
    const earlier = described.get(fields);
    if (earlier !== undefined) return { type: value.type, description: `As ${earlier}` };
    described.set(fields, of);
  }
  const kept = Object.entries(value).filter(([key, item]) => {
    if (typeof item === 'object') return true;
    if (key !== 'description') return !NOT_FOR_AGENTS.has(key);
    const isNew = !described.has(item);
    described.set(item, of);
    return isNew;
  });
  return Object.fromEntries(kept.map(([key, item]) => [key, inner(item, key)]));
}

/** Names and types only. A record that a tool before has spelled out is an object "as in" that tool's answer. */
function outputOf(schema: Schema, schemas: Schemas, tool: string, spelledOut: SpelledOut): JsonSchema {
  const inner = (part: Schema): JsonSchema => outputOf(part, schemas, tool, spelledOut);
  const { $ref, type, properties, items, anyOf } = schema;
  if ($ref !== undefined) {
    const name = nameOf($ref);
    const spelledIn = spelledOut.get(name);
    if (spelledIn !== undefined) return { type: 'object', description: `As in ${spelledIn}` };
    if (schemas[name]!.properties !== undefined) spelledOut.set(name, tool);
    return inner(schemas[name]!);
  }
  return {
    ...(type !== undefined && { type }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, inner(of)])),
    }),
    ...(items !== undefined && { items: inner(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(inner) }),
  };
}

/** An output must be an object. Of one that has several shapes it has the fields of all. */
function asOneObject({ anyOf, ...schema }: JsonSchema): JsonSchema {
  if (anyOf === undefined) return schema;
  const shapes = (anyOf as { properties: object }[]).map(({ properties }) => properties);
  return { ...schema, type: 'object', properties: Object.assign({}, ...shapes) as object };
}

function nameOf(ref: unknown): string {
  return String(ref).replace(/^.*\//, '');
}
