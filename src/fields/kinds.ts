import {
  MAX_EMAIL_LENGTH,
  idOf,
  NOT_BLANK,
  notBlank,
  ONE_LINE,
  SEVERAL_LINES,
  Timezone,
  timestamp,
  WEB_ADDRESS,
} from '../http/input/schemas.ts';
import { Type, type Schema } from '../http/input/type.ts';
import { RATE_UNIT, millionthsToRate, rateToMillionths } from '../money/commission.ts';
import { currencyDecimals, isCurrency, MAX_AMOUNT_MINOR, toMajor, toMinor } from '../money/currency.ts';
import { toTimestamp } from '../time/clock.ts';
import { findTimezone } from '../time/zones.ts';
import type { Cell, Kind, Row } from './fields.ts';

// Records may hold texts that are blank: they were accepted before 0.2. Hence a schema for records and a stricter one for input.

/** One line that is not blank: without control characters. */
export function text(description: string, maxLength: number): Kind<string, string> {
  return written(description, maxLength, ONE_LINE);
}

/** Several lines that are not blank: with no control characters but line breaks and tabs. */
export function lines(description: string, maxLength: number): Kind<string, string> {
  return written(`${description}; may have several lines`, maxLength, SEVERAL_LINES);
}

/** Not blank, and with any character: for fields that took control characters before there was `text`, and go on taking them. */
export function anyText(description: string, maxLength: number): Kind<string, string> {
  return written(description, maxLength, NOT_BLANK);
}

function written(description: string, maxLength: number, pattern: string): Kind<string, string> {
  const input = notBlank(Type.String({ minLength: 1, maxLength, description }));
  return { ...mayBeEmpty(description, maxLength), input: { ...input, pattern } };
}

export function mayBeEmpty(description: string, maxLength: number): Kind<string, string> {
  return { schema: Type.String({ maxLength, description }) };
}

/** A value that its column holds as it is. */
export function plain<T extends Cell>(schema: Schema<T>): Kind<T, T> {
  return { schema };
}

export function id(what: string): Kind<string, string> {
  return { schema: idOf(what), normal: (value) => value.toLowerCase() };
}

/** One of some words. */
export function oneOf<const V extends string>(description: string, values: readonly V[]): Kind<V, V> {
  return { schema: Type.Enum(values, { description }) };
}

export function integer(description: string, minimum: number, maximum: number): Kind<number, number> {
  return { schema: Type.Integer({ minimum, maximum, description }), parse: toNumber };
}

function toNumber(option: string): unknown {
  return /^\d+(?:\.\d+)?$/.test(option) ? Number(option) : option;
}

export function yesOrNo(description: string): Kind<boolean, number> {
  return {
    schema: Type.Boolean({ description }),
    load: (row, column) => row[column] === 1,
    store: (value) => [Number(value)],
    print: (value) => (value ? 'yes' : 'no'),
  };
}

/** Null where there is none. Of a kind with one column. */
export function nullable<V, C extends Cell>(kind: Kind<V, C>): Kind<V | null, C | null> {
  const { input, load, store, print } = kind;
  return {
    ...kind,
    schema: Type.Nullable(kind.schema),
    ...(input && { input: Type.Nullable(input) }),
    ...(load && {
      load: (row: Row, column: string) => ((row[column] ?? null) === null ? null : load(row, column)),
    }),
    ...(store && {
      store: (value: V | null, currency: string) => (value === null ? [null] : store(value, currency)),
    }),
    print: (value, record) => (value === null ? 'none' : (print?.(value, record) ?? String(value))),
  };
}

/** Several texts, stored as JSON. Options separate them by commas. */
export function texts(description: string, entry: Schema<string>, maxItems: number): Kind<string[], string> {
  const { pattern: _, ...recorded } = entry;
  return {
    schema: Type.Array(recorded, { maxItems, description }),
    input: Type.Array(entry, { maxItems, description }),
    load: (row, column) => JSON.parse(row[column] as string) as string[],
    store: (value) => [JSON.stringify(value)],
    parse: separated,
    print: (value) => value.join(', '),
  };
}

function separated(option: string): string[] {
  return option.split(',').map((item) => item.trim());
}

export const word = (maxLength: number): Schema<string> => Type.String({ maxLength, pattern: NOT_BLANK });
export const webUrl = (maxLength: number): Schema<string> => Type.String({ maxLength, pattern: WEB_ADDRESS });

/** Some of several words, each at most once, stored with spaces between. Their order says nothing. */
export function someOf<const V extends string>(description: string, values: readonly V[]): Kind<V[], string> {
  const options = { minItems: 1, maxItems: values.length, uniqueItems: true, description };
  return {
    schema: Type.Array(Type.Enum(values), options),
    load: (row, column) => (row[column] as string).split(' ') as V[],
    store: (value) => [value.join(' ')],
    normal: (value) => values.filter((each) => value.includes(each)),
    parse: separated,
    print: (value) => value.join(', '),
  };
}

/** In major units of the record's currency; stored in minor units. */
export function money(description: string): Kind<number, number> {
  return {
    schema: Type.Number({ minimum: 0, description }),
    load: (row, column) => toMajor(row[column] as number, row['currency'] as string),
    store: (value, currency) => [toMinor(value, currency)!],
    problem: moneyProblem,
    parse: toNumber,
    print: (value, { currency }) => `${value} ${currency}`,
  };
}

function moneyProblem(value: number, currency: string | undefined): string | undefined {
  if (currency === undefined || !isCurrency(currency)) return undefined;
  const greatest = toMajor(MAX_AMOUNT_MINOR, currency);
  if (value > greatest) return `must be ${greatest} ${currency} or less`;
  if (toMinor(value, currency) !== undefined) return undefined;
  return `must be an amount in ${currency} with at most ${currencyDecimals(currency)} decimals`;
}

/** In a column of another name, or in several. */
type In<Columns extends readonly string[]> = { readonly columns: Columns };

/** A share from 0 to 1, stored in millionths. */
export function rate<const C extends string>(
  description: string,
  column: C,
): Kind<number, number> & In<readonly [C]> {
  return {
    schema: Type.Number({ minimum: 0, maximum: 1, description }),
    columns: [column],
    load: (row) => millionthsToRate(row[column] as number),
    store: (value) => [rateToMillionths(value)],
    problem: (value) =>
      Number.isInteger(Number((value * RATE_UNIT).toFixed(6))) ? undefined : 'must have at most six decimals',
    parse: toNumber,
    print: (value) => `${(value * 100).toFixed(2)} %`,
  };
}

/** A number with two decimals, stored in hundredths. */
export function hundredths<const C extends string>(
  description: string,
  maximum: number,
  column: C,
): Kind<number, number> & In<readonly [C]> {
  return {
    schema: Type.Number({ minimum: 0, maximum, description }),
    columns: [column],
    load: (row) => (row[column] as number) / 100,
    store: (value) => [Math.round(value * 100)],
  };
}

export interface Hours {
  start_hour: number;
  end_hour: number;
}

/** Hours of a day from one to another, in two columns. As an option: `9-22`. */
export function hours<const C extends readonly [start: string, end: string]>(
  description: string,
  columns: C,
): Kind<Hours, number> & In<C> {
  const [start, end] = columns;
  const properties = {
    start_hour: Type.Integer({ minimum: 0, maximum: 23, description: 'First hour of the day that is open' }),
    end_hour: Type.Integer({ minimum: 1, maximum: 24, description: 'Closing hour: 22 closes at 22:00' }),
  };
  return {
    schema: Type.Object(properties, { description }),
    input: Type.Object(properties, { description, additionalProperties: false }),
    columns,
    load: (row) => ({ start_hour: row[start] as number, end_hour: row[end] as number }),
    store: (value) => [value.start_hour, value.end_hour],
    problem: (value) => (value.end_hour > value.start_hour ? undefined : 'must end after they begin'),
    parse: (option) => {
      const [, from, to] = /^(\d{1,2})-(\d{1,2})$/.exec(option) ?? [];
      return from === undefined ? option : { start_hour: Number(from), end_hour: Number(to) };
    },
    print: (value) => `${value.start_hour}-${value.end_hour}`,
  };
}

export function timezone(description: string): Kind<string, string> {
  return {
    schema: { ...Timezone, description },
    problem: (value) =>
      findTimezone(value) === undefined ? 'must be an IANA timezone such as Asia/Seoul' : undefined,
    normal: (value) => findTimezone(value) ?? value,
  };
}

export function currency(description: string): Kind<string, string> {
  return {
    schema: Type.String({ maxLength: 3, pattern: '^[A-Z]{3}$', description }),
    input: Type.String({ maxLength: 3, description }),
    problem: (value) => (isCurrency(value) ? undefined : 'must be an ISO 4217 code such as USD'),
    normal: (value) => value.toUpperCase(),
  };
}

export function email(description: string): Kind<string, string> {
  return {
    schema: Type.String({ maxLength: MAX_EMAIL_LENGTH, description }),
    input: Type.String({ format: 'email', maxLength: MAX_EMAIL_LENGTH, description }),
  };
}

/** Stored as epoch milliseconds. */
export function instant(description: string): Kind<string, number> {
  return {
    schema: timestamp(description),
    load: (row, column) => toTimestamp(row[column] as number),
    store: (value) => [Date.parse(value)],
    normal: (value) => toTimestamp(Temporal.Instant.from(value).epochMilliseconds),
  };
}
