// The parts of the OpenAPI document that the reference and the clients are made from.

export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: Scalar;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
  readonly content?: Content;
}

type Content = Readonly<
  Record<
    string,
    {
      readonly schema: Schema;
      readonly example?: unknown;
      readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
    }
  >
>;

type Scalar = string | number | boolean | null;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly Scalar[];
  readonly const?: Scalar;
  readonly examples?: readonly Scalar[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: Scalar;
}

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

export function endpointsOf(document: Document): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** What a client sends as JSON. */
export function bodyOf(operation: OperationObject): Content[string] | undefined {
  return operation.requestBody?.content['application/json'];
}

/** The same with everything that is named by `$ref` in its place. */
export function withoutRefs(document: Document): Document {
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(resolve);
    const { $ref: name, ...own } = value as Record<string, unknown>;
    const steps = typeof name === 'string' ? name.slice(2).split('/') : [];
    const named = steps.reduce((found, step) => (found as Record<string, object>)[step]!, document as object);
    const whole = typeof name === 'string' ? { ...named, ...own } : value;
    return Object.fromEntries(Object.entries(whole).map(([key, part]) => [key, resolve(part)]));
  };
  return resolve(document) as Document;
}
