type JsonSchema = Record<string, unknown>;

interface Operation {
  operationId: string;
  parameters?: {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: JsonSchema;
  }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
}

/** The OpenAPI document, as far as tools are made from it. */
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
}

/** The JSON Schema of an object. */
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

export function schemasOf(document: OpenApi, operationId: string): ToolSchemas {
  const operation = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .find((each) => each.operationId === operationId);
  if (operation === undefined) throw new Error(`the API has no operation ${operationId}`);
  const resolve = (schema: JsonSchema): JsonSchema => withoutRefs(schema, document) as JsonSchema;

  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'header');
  const body = resolve(operation.requestBody?.content['application/json']?.schema ?? {});
  const answer = resolve(Object.values(operation.responses)[0]?.content?.['application/json']?.schema ?? {});
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
    output: withoutNumberFormats((answer['properties'] as Record<string, JsonSchema>)['data']!) as JsonSchema,
    demanded: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
  };
}

/** A tool's schema stands alone: what the document refers to is put in its place. */
function withoutRefs(value: unknown, document: OpenApi): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutRefs(item, document));
  const ref = (value as { $ref?: unknown }).$ref;
  if (typeof ref === 'string') {
    return withoutRefs(document.components.schemas[ref.slice(ref.lastIndexOf('/') + 1)], document);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutRefs(item, document)]));
}

/** int32 and int64 are OpenAPI's, for generators. SDKs that hold answers to a tool's schema warn of formats they do not know. */
function withoutNumberFormats(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNumberFormats);
  const kept = Object.entries(value).filter(
    ([key, item]) => key !== 'format' || !/^int\d+$/.test(String(item)),
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNumberFormats(item)]));
}
