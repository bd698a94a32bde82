import type { FastifyTypeProvider } from 'fastify';
import type { Static, TSchema, Type as TypeBox } from 'typebox';

type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'String'
  | 'Unsafe'
>;

const optional = new WeakSet<object>();

/**
 * JSON Schema with TypeBox's types. TypeBox itself is some 370 files, of which this API needs what stands here: at
 * run time they took a third of every start, and 20 MB of memory.
 */
export const Type = {
  Array: (items: object, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly unknown[], options?: object) => ({ enum: values, ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: object) => ({ type: 'null', ...options }),
  Number: (options?: object) => ({ type: 'number', ...options }),
  Object: (properties: Record<string, object>, options?: object) => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name]!));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
  Optional: (schema: object) => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  String: (options?: object) => ({ type: 'string', ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
} as unknown as Builders;

/** Tells Fastify's handlers what their schemas let through. */
export interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
}
