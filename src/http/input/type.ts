import type { FastifyTypeProvider } from 'fastify';

declare const VALUE: unique symbol;
const OPTIONAL = Symbol('optional');

/** A JSON Schema. `T` is the type of the values that it lets through; it exists for the compiler alone. */
export interface Schema<T = unknown> {
  readonly [VALUE]?: T;
  readonly [keyword: string]: unknown;
}

/** The type of the values that a schema lets through. */
export type Static<S extends Schema> = S extends Schema<infer T> ? T : never;

type Options = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, Schema>>;
export interface Optional<T = unknown> extends Schema<T> {
  readonly [OPTIONAL]: true;
}
type ObjectOf<F extends Fields> = Simple<
  { [N in keyof F as F[N] extends Optional ? never : N]: Static<F[N]> } & {
    [N in keyof F as F[N] extends Optional ? N : never]?: Static<F[N]>;
  }
>;
type Simple<T> = { [N in keyof T]: T[N] };

/**
 * Makes JSON Schemas together with their types. The names are TypeBox's. TypeBox itself is not used: loading it
 * lengthens every start by a quarter (docs/decisions/0001).
 */
export const Type = {
  String: (options?: Options): Schema<string> => ({ type: 'string', ...options }),
  Integer: (options?: Options): Schema<number> => ({ type: 'integer', ...options }),
  Number: (options?: Options): Schema<number> => ({ type: 'number', ...options }),
  Boolean: (options?: Options): Schema<boolean> => ({ type: 'boolean', ...options }),
  Null: (options?: Options): Schema<null> => ({ type: 'null', ...options }),

  Literal: <const V extends string | boolean>(value: V, options?: Options): Schema<V> => ({
    type: typeof value,
    const: value,
    ...options,
  }),

  Enum: <const V extends string>(values: readonly V[], options?: Options): Schema<V> => ({
    type: 'string',
    enum: values,
    ...options,
  }),

  Array: <T>(items: Schema<T>, options?: Options): Schema<T[]> => ({ type: 'array', items, ...options }),

  /**
   * `required` is worked out here and nowhere by hand. A field with a `default` may be left out by the caller, and is
   * there all the same once the request has been validated: hence its type says that it is present.
   */
  Object: <F extends Fields>(properties: F, options?: Options): Schema<ObjectOf<F>> => {
    const required = Object.entries(properties)
      .filter(([, field]) => !(OPTIONAL in field) && !('default' in field))
      .map(([name]) => name);
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },

  Optional: <T>(schema: Schema<T>): Optional<T> => ({ ...schema, [OPTIONAL]: true }),

  Nullable: <T>(schema: Schema<T>): Schema<T | null> => ({
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(schema['enum']) ? { enum: [...(schema['enum'] as unknown[]), null] } : {}),
  }),

  Either: <A, B>(one: Schema<A>, other: Schema<B>, options?: Options): Schema<A | B> => ({
    anyOf: [one, other],
    ...options,
  }),
};

/** Tells Fastify's handlers what their schemas let through. */
export interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends Schema ? Static<this['schema']> : unknown;
  serializer: this['schema'] extends Schema ? Static<this['schema']> : unknown;
}
