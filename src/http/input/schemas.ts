import type { Static, TObject, TSchema } from 'typebox';
import { parseId } from '../../ids/uuid.ts';
import { Type } from './type.ts';

/** Schemas with a name of their own in the OpenAPI document; everywhere else they are plain schemas. */
export const components = new Map<TSchema, string>();

export function component<T extends TSchema>(name: string, schema: T): T {
  components.set(schema, name);
  return schema;
}

/** The length keeps out the other spelling that the format allows, urn:uuid:… */
export const Id = Type.String({ format: 'uuid', maxLength: 36 });

/** Not validated as a uuid: a malformed id in a path is 404, like every other id that names nothing. */
export const PathId = Type.String();

/** Beside a path that names the space already. A plain string: what the path cannot be found by is 404, not 422. */
export const RepeatedSpaceId = Type.String({
  // As much as a path can hold, so that a body never refuses what the path may say.
  maxLength: 100,
  description: 'May repeat the one in the path',
});

export const Timestamp = Type.String({ format: 'date-time', description: 'UTC' });

export const CalendarDate = Type.String({ format: 'date', description: 'YYYY-MM-DD' });

export const StartHour = Type.Integer({
  minimum: 0,
  maximum: 23,
  description: 'First hour, on the space’s wall clock',
});
export const EndHour = Type.Integer({ minimum: 1, maximum: 24, description: 'Exclusive: 12 ends at 12:00' });

/** How many of something: as large as a number can be exact. */
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The same five fields wherever money is added up. */
export const SumFields = {
  bookings: Type.Integer({ ...Count, description: 'How many bookings; cancelled ones are not among them' }),
  hours: Type.Integer({ ...Count, description: 'How many hours they have' }),
  gross: Type.Number({ minimum: 0, description: 'What guests pay, in major units of `currency`' }),
  commission: Type.Number({ minimum: 0, description: 'The platform’s share, rounded half up per booking' }),
  net: Type.Number({ minimum: 0, description: '`gross` less `commission`' }),
};

export const Timezone = Type.String({ maxLength: 64, description: 'IANA name, such as Europe/Vienna' });

export const Currency = Type.String({ maxLength: 3, pattern: '^[A-Z]{3}$', description: 'ISO 4217' });

export function nullable<T extends TSchema & { type: string }>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] });
}

export function success<T extends TObject>(data: T) {
  return Type.Object({ success: Type.Literal(true), data });
}

/** The id of a path parameter in its canonical form; what is not a uuid names nothing. */
export function idParam(text: string, missing: () => Error): string {
  const id = parseId(text);
  if (id === undefined) throw missing();
  return id;
}
