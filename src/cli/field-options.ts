import { Option } from 'commander';
import { inputSchema, type Field, type Fields } from '../fields/fields.ts';
import type { Opt } from './command.ts';
import * as parse from './options.ts';
import { listed, type Columns } from './output.ts';

// Options and output that follow from a record's table of fields.

/** An option for each field that can be given to a new record; those without an initial value are required. */
export function newOptions(fields: Fields): Record<string, Opt<unknown>> {
  return optionsOf(fields, (_name, field) => {
    const { initial } = field;
    if (field.offFlag !== undefined) return [[field.offFlag, field.offHelp!]];
    const isRequired = !('initial' in field);
    const shown = initial === undefined || initial === null ? '' : printed(field, initial, {});
    const help = shown === '' ? field.help! : `${field.help} (default: ${shown})`;
    return [[field.flag!, help, { parse: parse.field(field), ...(isRequired && { isRequired }) }]];
  });
}

/** An option for each field that can be changed, and `--no-…` for each that can be emptied. */
export function changeOptions(fields: Fields): Record<string, Opt<unknown>> {
  return optionsOf(fields, (name, field) => {
    const { offFlag, flag, help } = field;
    if (offFlag !== undefined)
      return [
        [flag!, help!],
        [offFlag, field.offHelp!, { conflicts: [attribute(flag!)] }],
      ];
    const empty =
      emptyValue(field) === undefined
        ? []
        : [[`--no-${longName(flag!)}`, `no ${label(name, field).toLowerCase()}`]];
    return [[flag!, help!, { parse: parse.field(field) }], ...(empty as [string, string][])];
  });
}

type OptionParts = readonly [flag: string, help: string, more?: Partial<Opt<unknown>>];

function optionsOf(
  fields: Fields,
  make: (name: string, field: Field) => readonly OptionParts[],
): Record<string, Opt<unknown>> {
  const made = flagged(fields).flatMap(([name, field]) => make(name, field));
  // --no-x sets the option x, so that both have one name.
  return Object.fromEntries(
    made.map(([flag, help, more]) => [
      flag.startsWith('--no-') ? flag : attribute(flag),
      { flag, help, ...more },
    ]),
  );
}

function flagged(fields: Fields): [string, Field][] {
  return Object.entries(fields).filter(([, { setBy, flag }]) => setBy !== undefined && flag !== undefined);
}

/** The values that options give for fields. Undefined: not given. */
export function valuesFrom(fields: Fields, options: object): Record<string, unknown> {
  const typed = options as Record<string, unknown>;
  return Object.fromEntries(
    flagged(fields).flatMap(([name, field]) => {
      const value = typed[attribute(field.flag!)];
      if (field.offFlag !== undefined && typed[attribute(field.offFlag)] === true) return [[name, false]];
      if (value === false) return [[name, emptyValue(field)]];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** What `--no-…` sets; undefined for what cannot be empty. */
function emptyValue(field: Field): unknown {
  const { type, minItems } = inputSchema(field) as { type?: string | string[]; minItems?: number };
  if (type?.includes('null')) return null;
  return type === 'array' && minItems === undefined ? [] : undefined;
}

function attribute(flag: string): string {
  return new Option(flag).attributeName();
}

function longName(flag: string): string {
  return flag.slice('--'.length).replace(/ .*/, '');
}

/** `Cancellation notice` for --cancellation-notice, `Active` for is_active; a field without a flag has the words of its name. */
function label(name: string, { flag, offFlag }: Field): string {
  const words = (flag === undefined || offFlag !== undefined ? name : longName(flag))
    .replace(/^is_/, '')
    .replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A line for each field of a record that has a value. */
export function printRecord(fields: Fields, record: object): string[] {
  const values = record as Record<string, unknown>;
  const shown = Object.entries(fields).filter(([name]) => (values[name] ?? null) !== null);
  return listed(shown.map(([name, field]) => [label(name, field), printed(field, values[name], record)]));
}

/** Columns of a table for some fields. */
export function columns<Row extends object>(
  fields: Fields,
  ...names: readonly (keyof Row & string)[]
): Columns<Row> {
  return names.map((name) => [
    label(name, fields[name]!).toUpperCase(),
    (row) => printed(fields[name]!, row[name], row),
  ]);
}

function printed(field: Field, value: unknown, record: object): string {
  return field.print?.(value, record) ?? (typeof value === 'string' ? value : JSON.stringify(value));
}
