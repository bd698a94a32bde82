// The parts of an OpenAPI document that the reference page shows.

export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
  };
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
  readonly headers?: Readonly<Record<string, Ref>>;
  readonly content?: Content;
}

type Content = Readonly<Record<string, Media>>;

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Ref {
  readonly $ref: string;
}

interface Header {
  readonly description: string;
  readonly schema: Schema;
}

type Scalar = string | number | boolean | null;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly Scalar[];
  readonly const?: Scalar;
  readonly examples?: readonly Scalar[];
  readonly format?: string;
  readonly pattern?: string;
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

/** The thing itself, where a schema or a header is only named. */
export function resolve<T extends object>(document: Document, value: T): T {
  const name = (value as { $ref?: string }).$ref;
  if (name === undefined) return value;
  let found: unknown = document;
  for (const step of name.slice(2).split('/')) found = (found as Record<string, unknown>)[step];
  return { ...(found as T), ...value, $ref: undefined };
}
