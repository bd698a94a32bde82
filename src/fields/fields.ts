import type { FieldError } from '../errors.ts';
import { Type, type Optional, type Schema } from '../http/input/type.ts';
import { Problems, validatorOf } from '../http/input/validation.ts';

// A record (space, host, key, webhook, booking) has one table of its fields, in its `fields.ts`. What follows from the table is made
// here: column lists, the record of a row, JSON Schemas, the check of given values. The command line (`cli/field-options.ts`) makes
// options and output from it, `apply` and `export` their file. CONTRIBUTING has the recipe for a new field.

export type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell>>;

/** What a value is: its schema, how it is stored, and how the command line reads and prints it. `kinds.ts` has them. */
export interface Kind<V = unknown, C extends Cell = Cell> {
  /** Of the value in a record. */
  readonly schema: Schema<V>;
  /** Of a value that somebody gives, where that is stricter. */
  readonly input?: Schema<V>;
  /** The columns that hold it, unless it is the one of its own name. None: it is worked out from other columns. */
  readonly columns?: readonly string[];
  /** Only a type: what its column holds. */
  readonly cell?: C;
  /** The value from its row, unless it is the cell itself. */
  load?(row: Row, column: string): V;
  /** The cells of its columns, unless the value itself is the cell. */
  store?(value: V, currency: string): readonly Cell[];
  /** What is wrong with a value that its schema lets through. */
  problem?(value: V, currency: string | undefined): string | undefined;
  /** The one spelling in which a value is kept that its schema lets through. */
  normal?(value: V): V;
  /** An option's text as a value. What cannot be read stays a text, and the schema rejects it. */
  parse?(text: string): unknown;
  /** For people. */
  print?(value: V, record: { readonly currency?: string }): string;
}

export interface Field<V = unknown, C extends Cell = Cell> extends Kind<V, C> {
  /** Who may give it: the host by the API, and the operator too; or the operator alone. Nobody unless given. */
  readonly setBy?: 'host' | 'operator';
  /** Who reads it, unless everybody does. Nobody: a column that no record shows. */
  readonly shownTo?: 'operator' | 'nobody';
  /** The column of another table that a select joins, such as `h.currency`. */
  readonly from?: string;
  /** Its name in requests, where that is another one. */
  readonly as?: string;
  /** The value of a new record that was not given one. Without it the field is required. */
  readonly initial?: V;
  /** Of the command line: `--title <title>`, and a few words of help. */
  readonly flag?: string;
  readonly help?: string;
  /** Of a field that is true or false: the flag that says false. */
  readonly offFlag?: string;
  readonly offHelp?: string;
  /** In the document. Not needed for what no caller reads. */
  readonly example?: V;
  /** What it holds of a guest, and so what `guest erase` does with it (`bookings/fields.ts`). */
  readonly holds?: string;
}

export type Fields = Readonly<Record<string, Field>>;

type Simple<T> = { [N in keyof T]: T[N] };
type ValueOf<F> = F extends { readonly schema: Schema<infer V> } ? V : never;
type IsHidden<F, Hidden> = F extends { readonly shownTo: Hidden } ? true : false;

/** A record as the operator reads it. */
export type RecordOf<T extends Fields> = Simple<{
  [N in keyof T as IsHidden<T[N], 'nobody'> extends true ? never : N]: ValueOf<T[N]>;
}>;

/** A record as its host reads it. */
export type HostRecordOf<T extends Fields> = Simple<{
  [N in keyof T as IsHidden<T[N], 'operator' | 'nobody'> extends true ? never : N]: ValueOf<T[N]>;
}>;

type IsSettable<F> = F extends { readonly setBy: string } ? true : false;
type IsRequired<F> =
  IsSettable<F> extends true ? (F extends { readonly initial: unknown } ? false : true) : false;

/** What may be given for a record that exists. Undefined: stays as it is. */
export type ChangesOf<T extends Fields> = {
  readonly [N in keyof T as IsSettable<T[N]> extends true ? N : never]?: ValueOf<T[N]> | undefined;
};

/** What may be given for a new record. */
export type NewOf<T extends Fields> = Simple<
  { readonly [N in keyof T as IsRequired<T[N]> extends true ? N : never]: ValueOf<T[N]> } & ChangesOf<T>
>;

/** A value for everything that may be given for a new record. */
export type GivenOf<T extends Fields> = Simple<{
  readonly [N in keyof T as IsSettable<T[N]> extends true ? N : never]: ValueOf<T[N]>;
}>;

type ColumnsOf<F, N> = F extends { readonly columns: readonly (infer C extends string)[] } ? C : N;
type CellOf<F> = F extends { readonly cell?: infer C } ? Exclude<C, undefined> : never;

/** A row with the columns of all fields. */
export type RowOf<T extends Fields> = Simple<{
  -readonly [N in keyof T as ColumnsOf<T[N], N>]: CellOf<T[N]>;
}>;

export function isShownToHost({ shownTo }: Field): boolean {
  return shownTo === undefined;
}

export function isSettable({ setBy }: Field): boolean {
  return setBy !== undefined;
}

/** Those of the fields that `is` chooses, in their order. */
export function chosen(fields: Fields, is: (field: Field) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => is(field)));
}

/** `s.title, s.open_hour, s.close_hour, h.currency as currency` */
export function selectList(fields: Fields, table: string): string {
  return Object.entries(fields)
    .flatMap(([name, field]) =>
      field.from === undefined
        ? columnsOf(name, field).map((column) => `${table}.${column}`)
        : [`${field.from} as ${name}`],
    )
    .join(', ');
}

function columnsOf(name: string, { columns = [name] }: Field): readonly string[] {
  return columns;
}

/** The record of a row. */
export function toRecord<T extends Fields>(fields: T, row: Row): RecordOf<T> {
  const make = makers.get(fields) ?? makerOf(fields);
  makers.set(fields, make);
  return make(row) as RecordOf<T>;
}

const makers = new WeakMap<Fields, (row: Row) => object>();

/**
 * Made as code, from the names in our own tables: with a loop over the fields a page of 200 bookings took 0.9 ms of CPU, so it takes
 * 0.58, and written by hand 0.55.
 */
function makerOf(fields: Fields): (row: Row) => object {
  const shown = Object.entries(fields).filter(([, { shownTo }]) => shownTo !== 'nobody');
  const loads = shown.flatMap(([name, { load }]) =>
    load === undefined ? [] : [`const load_${name} = fields.${name}.load;`],
  );
  const members = shown.map(([name, { load }]) =>
    load === undefined ? `${name}: row.${name} ?? null` : `${name}: load_${name}(row, '${name}')`,
  );
  const code = `${loads.join(' ')} return (row) => ({ ${members.join(', ')} })`;
  // oxlint-disable-next-line typescript/no-implied-eval
  return new Function('fields', code)(fields) as (row: Row) => object;
}

/** The columns of a table that hold these fields, and a record's cells for them in the same order. */
export function stored(fields: Fields): { columns: string[]; cells: (record: object) => Cell[] } {
  const own = Object.entries(fields).filter(
    ([name, field]) => field.from === undefined && columnsOf(name, field).length > 0,
  );
  return {
    columns: own.flatMap(([name, field]) => columnsOf(name, field)),
    cells: (record) => {
      const values = record as Record<string, unknown>;
      return own.flatMap(([name, field]) =>
        cellsOf(field, values[name] ?? null, values['currency'] as string),
      );
    },
  };
}

/** The cells of the columns that hold the given values. */
export function toCells<R extends object>(fields: Fields, given: object, currency = ''): Partial<R> {
  const entries = Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const cells = cellsOf(fields[name]!, value, currency);
    return columnsOf(name, fields[name]!).map((column, i) => [column, cells[i]]);
  });
  return Object.fromEntries(entries) as Partial<R>;
}

function cellsOf(field: Field, value: unknown, currency: string): readonly Cell[] {
  return field.store === undefined ? [value as Cell] : field.store(value, currency);
}

/** `$3, $4, $5` */
export function placeholders(columns: readonly string[], first = 1): string {
  return columns.map((_, i) => `$${first + i}`).join(', ');
}

/** `title = $4, category_slug = $5` */
export function assignments(columns: readonly string[], first: number): string {
  return columns.map((column, i) => `${column} = $${first + i}`).join(', ');
}

/** The initial values of the fields that have one. */
export function initialValues(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { initial }]) => (initial === undefined ? [] : [[name, initial]])),
  );
}

/** A record with the given values in place of its own. */
export function withChanges<R extends object>(record: R, changes: object): R {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...record, ...Object.fromEntries(given) };
}

/** The given values as they are kept. */
export function normalized<G extends object>(fields: Fields, given: G): G {
  const entries = Object.entries(given).map(([name, value]) => {
    const normal = fields[name]?.normal;
    return [name, normal === undefined || value === undefined || value === null ? value : normal(value)];
  });
  return Object.fromEntries(entries) as G;
}

/** Those of the values that somebody may set. */
export function onlySettable<G extends object>(fields: Fields, values: G): G {
  const isGiven = ([name]: [string, unknown]) => fields[name] !== undefined && isSettable(fields[name]);
  return Object.fromEntries(Object.entries(values).filter(isGiven)) as G;
}

/** What is wrong with the values that somebody gives for fields, in their order. */
export function problemsIn(fields: Fields, given: object, currency?: string): FieldError[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const field = fields[name];
    if (field === undefined || value === undefined) return [];
    return problemsOf(field, value, currency).map(({ path, message }) => ({
      field: [name, ...path].join('.'),
      message,
    }));
  });
}

/** What is wrong with a value of a field; of an amount without a currency only what can be told without it. */
export function problemsOf(field: Field, value: unknown, currency?: string): Problems['found'] {
  const problems = new Problems();
  validatorOf(inputSchema(field))(value, problems);
  if (problems.found.length > 0 || value === null) return problems.found;
  const message = field.problem?.(field.normal?.(value) ?? value, currency);
  return message === undefined ? [] : [{ path: [], message }];
}

export function inputSchema<V>(field: Field<V>): Schema<V> {
  return field.input ?? field.schema;
}

/** The properties of a record's schema. */
export function recordProperties(fields: Fields): Record<string, Schema> {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
}

/** The properties of a request that makes a record. Those with an initial value may be left out. */
export function newProperties(fields: Fields): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      isSettable(field)
        ? [[name, 'initial' in field ? Type.Optional(inputSchema(field)) : inputSchema(field)]]
        : [],
    ),
  );
}

type RequestOf<T extends Fields> = {
  [
    N in keyof T as T[N] extends { readonly setBy: 'host' }
      ? T[N] extends { readonly as: infer A extends string }
        ? A
        : N
      : never
  ]: Optional<ValueOf<T[N]>>;
};

/** The properties of a request that changes what the host may change, under the names that requests have. */
export function requestProperties<T extends Fields>(fields: T): RequestOf<T> {
  const settable = Object.entries(fields).filter(([, { setBy }]) => setBy === 'host');
  return Object.fromEntries(
    settable.map(([name, field]) => [field.as ?? name, Type.Optional(inputSchema(field))]),
  ) as RequestOf<T>;
}

/** What a request gives, under the names of the record. */
export function fromRequest<T extends Fields>(fields: T, request: object): ChangesOf<T> {
  const values = request as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { setBy, as = name }]) =>
      setBy === 'host' && values[as] !== undefined ? [[name, values[as]]] : [],
    ),
  ) as ChangesOf<T>;
}

/** The record that the document shows. */
export function exampleOf<T extends Fields>(fields: T): HostRecordOf<T> {
  const shown = Object.entries(chosen(fields, isShownToHost));
  return Object.fromEntries(shown.map(([name, { example }]) => [name, example])) as HostRecordOf<T>;
}
