import { Option } from 'commander';
import { inputSchema, onlySettable, type Field, type Fields, type GivenOf } from '../fields/fields.ts';
import type { Opt } from './command.ts';
import * as parse from './options.ts';
import { label, printed } from './output.ts';

// Options that follow from a record's table of fields, each under the name of its field.

type OptionsOf<Values> = { readonly [N in keyof Values]-?: Opt<Values[N]> };

/** An option for each field that can be given to a new record; those without an initial value are required. */
export function newOptions<T extends Fields>(fields: T): OptionsOf<GivenOf<T>> {
  return optionsOf(fields, (_name, field) => {
    const { flag, help = '', offFlag, offHelp = '', initial } = field;
    if (offFlag !== undefined) return { flag: offFlag, help: offHelp, sets: false };
    const shown = initial === undefined || initial === null ? '' : printed(field, initial, {});
    return {
      flag: flag!,
      help: shown === '' ? help : `${help} (default: ${shown})`,
      parse: parse.field(field),
      isRequired: !('initial' in field),
    };
  });
}

/** An option for each field that can be changed, and `--no-…` for each that can be emptied. */
export function changeOptions<T extends Fields>(fields: T): OptionsOf<Partial<GivenOf<T>>> {
  return optionsOf(fields, (name, field) => {
    const { flag = '', help = '', offFlag, offHelp = '' } = field;
    if (offFlag !== undefined) {
      const conflicts = [new Option(flag).attributeName()];
      return { flag, help, off: { flag: offFlag, help: offHelp, sets: false, conflicts } };
    }
    const empty = emptyValue(field);
    const off = {
      flag: flag.replace(/^--(\S+).*/, '--no-$1'),
      help: `no ${label(name, field).toLowerCase()}`,
      sets: empty,
    };
    return { flag, help, parse: parse.field(field), off: empty === undefined ? undefined : off };
  });
}

function optionsOf<Values>(
  fields: Fields,
  make: (name: string, field: Field) => Opt<unknown>,
): OptionsOf<Values> {
  const flagged = Object.entries(fields).filter(
    ([, { setBy, flag }]) => setBy !== undefined && flag !== undefined,
  );
  return Object.fromEntries(flagged.map(([name, field]) => [name, make(name, field)])) as OptionsOf<Values>;
}

/** What `--no-…` sets; undefined for what cannot be empty. */
function emptyValue(field: Field): unknown {
  const { type, minItems } = inputSchema(field) as { type?: string | string[]; minItems?: number };
  if (type?.includes('null')) return null;
  return type === 'array' && minItems === undefined ? [] : undefined;
}

/** The misuse of a command that changes a record and is told to change nothing. */
export function noChange(fields: Fields, options: object): string | false {
  return Object.keys(onlySettable(fields, options)).length === 0 && 'name at least one field to change';
}
