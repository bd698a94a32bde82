import { MONTH_PATTERN } from '../../time/month.ts';
import { components, references } from '../input/schemas.ts';
import type { Schema } from '../input/type.ts';

/** A schema as the document shows it. Every named schema in it, but not `self`, becomes a reference to its component. */
export function schemaObject(schema: Schema, self?: Schema): Schema {
  return copy(schema, self) as Schema;
}

function copy(value: unknown, self?: Schema): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copy(item, self));
  const schema = value as Schema;
  const name = schema === self ? undefined : components.get(schema);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  const reference = references.get(schema);
  if (reference !== undefined) {
    return { $ref: `#/components/schemas/${reference.name}`, description: reference.description };
  }
  const copied = Object.fromEntries(Object.entries(schema).map(([key, item]) => [key, copy(item, self)]));
  return withNullApart(withImpliedBounds(copied));
}

/** Lengths and widths that follow from a schema. They are spelled out for tools that reserve space by them. */
function withImpliedBounds(schema: Schema): Schema {
  const types = [schema['type']].flat();
  const maxLength = LENGTHS[String(schema['format'] ?? schema['pattern'])];
  if (types.includes('string') && maxLength !== undefined) return { maxLength, ...schema };
  if (!types.includes('integer')) return schema;
  const fits = Number(schema['maximum'] ?? Infinity) < 2 ** 31;
  return { ...schema, format: fits ? 'int32' : 'int64' };
}

const LENGTHS: Record<string, number> = {
  uuid: 36,
  date: 10,
  'date-time': 24,
  email: 254,
  [MONTH_PATTERN]: 7,
};

/**
 * An enum that may be null, as a choice between the enum and null. Generators stumble over null as one of its values:
 * openapi-zod-client writes code that does not compile, swagger-typescript-api forgets the null.
 */
function withNullApart(schema: Schema): Schema {
  const { type, enum: values, ...rest } = schema;
  if (!Array.isArray(type) || !Array.isArray(values)) return schema;
  const choice = { type: type[0] as unknown, enum: values.filter((value) => value !== null) };
  return { anyOf: [choice, { type: 'null' }], ...rest };
}
