import { invalid } from '../../errors.ts';
import { NO_ID, parseId } from '../../ids/uuid.ts';
import { Type, type Schema } from './type.ts';

/** Schemas that have a name in the OpenAPI document. Wherever one is used, the document refers to it by that name. */
export const components = new Map<Schema, string>();

export function component<T>(name: string, schema: Schema<T>): Schema<T> {
  components.set(schema, name);
  return schema;
}

/** A named schema under words that fit one place. The document still refers to it by its name. */
export function described<T>(schema: Schema<T>, description: string): Schema<T> {
  const copy = { ...schema, description };
  references.set(copy, { name: components.get(schema)!, description });
  return copy;
}

export const references = new Map<Schema, { name: string; description: string }>();

/** The length keeps out the format's other spelling, urn:uuid:… */
export const UUID = { format: 'uuid', maxLength: 36 };

export function idOf(what: string): Schema<string> {
  return Type.String({ ...UUID, description: `The id of ${what}` });
}

/** An id in a path. No format: a malformed one is 404, like every other id that names nothing. */
export function pathId(what: string): Schema<string> {
  return Type.String({ description: `The id of ${what}` });
}

/** In a body whose path names the space already. A plain string, so that the path alone decides between 404 and 422. */
export const RepeatedSpaceId = Type.String({
  // As long as a segment of a path may be.
  maxLength: 100,
  description: 'Optional; if sent, it must equal the id in the path',
});

/**
 * A character that is not Unicode White_Space. Spelled out: generated clients hold texts to it, and of the languages they are
 * in, few know `\P{White_Space}`.
 */
export const NOT_BLANK = '[^\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';

/** A text of a request that says something. Answers may have blank ones: they were accepted before 0.2. */
export function notBlank(text: Schema<string>): Schema<string> {
  return { ...text, pattern: NOT_BLANK, description: `${String(text['description'])}; must not be blank` };
}

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
const SPACES = ' \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

// Both look for the first character that is not White_Space, and only once: a text that does not match takes no longer than one that does.

/** A text that is not blank, without control characters. */
export const ONE_LINE = `^[${SPACES}]*[^${CONTROL}${SPACES}][^${CONTROL}]*$`;
/** A text that is not blank, with no control characters but line breaks and tabs. */
export const SEVERAL_LINES = `^[\\t\\n\\r${SPACES}]*[^${CONTROL}${SPACES}][^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$`;

/** The patterns of texts that are words separated by commas, with these words. */
export const wordLists = new Map<string, readonly string[]>();

/** A text that is one of these words, or several separated by commas, none twice. */
export function wordList(words: readonly string[], description: string): Schema<string> {
  const word = `(?:${words.join('|')})`;
  const pattern = `^${word}(?:,${word}){0,${words.length - 1}}$`;
  wordLists.set(pattern, words);
  return Type.String({ maxLength: 2 * words.join().length, pattern, description });
}

/** RFC 5321's limit. */
export const MAX_EMAIL_LENGTH = 254;
export const MAX_TITLE_LENGTH = 200;

/** An address on the web that names a host, without white space and control characters. */
export const WEB_ADDRESS =
  '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\u0000-\\u001f\\u007f-\\u009f/?#:\\\\][^\\s\\u0000-\\u001f\\u007f-\\u009f]*$';

export function timestamp(description: string): Schema<string> {
  return Type.String({ format: 'date-time', description: `${description} (RFC 3339, UTC)` });
}

export function calendarDate(description: string): Schema<string> {
  return Type.String({ format: 'date', description: `${description} (YYYY-MM-DD)` });
}

export const LocalDate = calendarDate('Local date of the space');

export const StartHour = Type.Integer({
  minimum: 0,
  maximum: 23,
  description: 'First hour, local time of the space',
});

export const EndHour = Type.Integer({
  minimum: 1,
  maximum: 24,
  description: 'End, exclusive: 12 ends at 12:00',
});

export function hoursOfDay(description: string): Schema<number[]> {
  const hour = Type.Integer({ minimum: 0, maximum: 23 });
  return Type.Array(hour, { maxItems: 24, description });
}

/** Up to the largest whole number that JSON readers keep exactly. */
export function count(description: string): Schema<number> {
  return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
}

export function amount(description: string): Schema<number> {
  return Type.Number({ minimum: 0, description });
}

/** The same five fields wherever money is added up. */
export const SumFields = {
  bookings: count('Number of bookings, without cancelled ones'),
  hours: count('Number of hours booked'),
  gross: amount('What guests pay, in major units of `currency`'),
  commission: amount('The platform’s share, rounded half up for each booking'),
  net: amount('`gross` less `commission`'),
};

export const Timezone = Type.String({
  maxLength: 64,
  description: 'IANA timezone, such as Europe/Vienna: dates and hours are local times in it',
});

export const Currency = Type.String({
  maxLength: 3,
  pattern: '^[A-Z]{3}$',
  description: 'ISO 4217; amounts are in its major units',
});

export function success<T>(data: Schema<T>) {
  return Type.Object({
    success: Type.Literal(true, { description: 'Always true on a success' }),
    data: 'description' in data ? data : { ...data, description: 'The data of the response' },
  });
}

/** The id of a path parameter in lower case. Text that is not a uuid names nothing, which is found out after the input is judged. */
export function idParam(text: string): string {
  return parseId(text) ?? NO_ID;
}

/** The hours that a body asks for. A schema cannot compare two fields, so the order of the two is checked here. */
export function hourRange(body: { date: string; start_hour: number; end_hour: number }) {
  if (body.end_hour <= body.start_hour) {
    throw invalid('end_hour', 'must be after start_hour');
  }
  return { date: body.date, startHour: body.start_hour, endHour: body.end_hour };
}
