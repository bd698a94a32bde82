import { Argument, Option, type Command } from 'commander';
import type { Context } from '../context.ts';
import type { Sql } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import type { Fields } from '../fields/fields.ts';
import { ENVIRONMENTS, type Environment } from '../ids/api-key.ts';
import { helpBelow } from './help.ts';
import { countFrom, id, reason, text } from './options.ts';
import { print, printJson, table, type Columns } from './output.ts';
import { withContext } from './run.ts';

// A command is data: its name, argument, options, what it runs, and how its result reads for people. With --json the result itself
// is printed. Every command is parsed, run and printed here.

/** Reads what was typed; or the words that it can be. */
type Parser<T> = ((text: string) => T) | readonly (T & string)[];

/** An option that takes a value, or a flag that takes none. Its key is its name: `dryRun` is `--dry-run`. */
export interface Opt<T> {
  /** `--price <amount>`, where the key is another name. */
  readonly flag?: string;
  /** `<id>`, of an option. */
  readonly takes?: string;
  readonly help: string;
  readonly parse?: Parser<unknown> | undefined;
  readonly isRequired?: boolean;
  /** Stands for an option that is not given, as it would be typed. */
  readonly initial?: string;
  readonly conflicts?: readonly string[];
  /** What a flag stands for, where that is not true. */
  readonly sets?: unknown;
  /** The flag for the opposite. */
  readonly off?: Opt<unknown> | undefined;
  /** Only a type. */
  readonly value?: T;
}

type More = Pick<Opt<unknown>, 'conflicts'>;

export function option<T = string>(
  takes: string,
  help: string,
  parse?: Parser<T>,
  more: More = {},
): Opt<NoInfer<T> | undefined> {
  return { takes, help, parse, ...more };
}

export function required<T = string>(takes: string, help: string, parse?: Parser<T>): Opt<NoInfer<T>> {
  return { takes, help, parse, isRequired: true };
}

export function withDefault<T>(takes: string, help: string, parse: Parser<T>, initial: string): Opt<T> {
  return { takes, help, parse, initial };
}

export function flag(help: string, more: More = {}): Opt<true | undefined> {
  return { help, ...more };
}

// Of several commands.
export const ENVIRONMENT = withDefault<Environment>('<environment>', 'where', ENVIRONMENTS, 'production');
export const ONLY_HOST = option('<id>', 'only this host’s');
export const REASON = ['<text>', 'why, for the audit trail', reason] as const;

type Options = Readonly<Record<string, Opt<unknown>>>;
type Values<O extends Options> = { readonly [N in keyof O]: O[N] extends Opt<infer T> ? T : never };

/** What was typed: the options by the names of their flags, the argument as `id`, and whether JSON is wanted. */
type Input<O extends Options> = Values<O> & { readonly id: string; readonly json: boolean };

interface Parts<O extends Options, R> {
  readonly about: string;
  /** A record that stands in RECORDS; or `<shell>` or `[file]`, what it is, and the words that it can be. */
  readonly argument?: string | readonly [usage: string, about: string, choices?: Parser<string>];
  readonly options?: O;
  /** What --json prints, for the help text: without it the record of the argument, or an array where there is a table. */
  readonly json?: string;
  /** Between the options and the examples of the help text. */
  readonly notes?: string;
  /** Where the command with its argument and its required options is not enough. */
  readonly examples?: readonly string[];
  /** Why the options do not go together: ends the command with exit code 2, before anything is opened. */
  misuse?(input: Input<O>): string | false;
  /** What --json prints, where it is not the result itself. */
  toJson?(result: R, input: Input<O>): unknown;
  /** For people: a row for each entry of the result, and what stands in place of a table without rows. */
  readonly table?: readonly [
    columns: Columns<R extends readonly (infer Row)[] ? Row : never>,
    empty: string,
    fields?: Fields,
  ];
  /** Lines for people. Without these and without a table the result is always printed as JSON. */
  print?(result: R, input: Input<O>): string | readonly string[];
  /** Why a command that has printed its result exits with 1 all the same. */
  failure?(result: R): string | false;
}

/** On the database of the settings; or without one. */
type Work<O extends Options, R> =
  | { run(ctx: Context, input: Input<O>): Promise<R> | R }
  | { start(input: Input<O>, program: Command): Promise<R> | R };

/** What an operator calls a record in an argument of this name, and for some how its id is found: `run` is handed the id. */
interface Named {
  about: string;
  /** In an option of this name too. Not given: what is typed is the id. */
  idOf?(db: Sql, name: string): Promise<string>;
}

const RECORDS: Readonly<Record<string, Named>> = {
  host: {
    about: 'its id, ref or email',
    idOf: async (db, name) => (await import('../hosts/hosts.ts')).idOf(db, name),
  },
  space: {
    about: 'its id, or refs as in h003/s1',
    idOf: async (db, name) => (await import('../spaces/spaces.ts')).idOf(db, name),
  },
  key: { about: 'its id, as key list shows it' },
  calendar: { about: 'its id, as calendar list shows it' },
  booking: { about: 'its id' },
  payout: { about: 'its id' },
  webhook: { about: 'the subscription’s id, as webhook list shows it' },
  event: { about: 'its id: webhook-id of a delivery, or as webhook deliveries shows it' },
};

/** Of every list that has none of its own. */
const LIMIT = option('<n>', 'at most so many, the first ones', countFrom(1, 1_000_000));

/** The types of its options and its result are known only where it is written. */
type Spec = { readonly name: string } & Parts<Options, unknown[]> & Work<Options, unknown[]>;

/** Commands that share their first word. */
interface Group {
  readonly name: string;
  readonly about: string;
  readonly commands: readonly Spec[];
}

export type Loaded = Spec | Group;

export function command<const O extends Options, R>(name: string, parts: Work<O, R> & Parts<O, R>): Spec {
  return { name, ...parts } as unknown as Spec;
}

export function group(name: string, about: string, commands: readonly Spec[]): Group {
  return { name, about, commands };
}

export function addCommands(program: Command, added: Loaded): void {
  if (!('commands' in added)) {
    addCommand(program, added);
    return;
  }
  const group = program
    .command(added.name)
    .description(added.about)
    .showHelpAfterError(`(hourkeep ${added.name} --help lists its commands)`)
    .addHelpText('after', helpBelow(undefined, [`hourkeep ${added.name} ${added.commands[0]!.name} --help`]));
  for (const spec of added.commands) addCommand(group, spec);
}

function addCommand(parent: Command, spec: Spec): void {
  const words = [parent.parent?.name(), parent.name(), spec.name].filter(Boolean).join(' ');
  const added = parent
    .command(spec.name)
    .description(spec.about)
    .showHelpAfterError(`(${words} --help shows its options and examples)`);
  const argument = spec.argument === undefined ? undefined : toArgument(spec.argument);
  if (argument !== undefined) added.addArgument(argument);
  const takesLimit = spec.table !== undefined && spec.options?.['limit'] === undefined;
  const options = Object.entries({ ...spec.options, ...(takesLimit && { limit: LIMIT }) }).flatMap(toOptions);
  for (const { option } of options) added.addOption(option);
  const record = typeof spec.argument === 'string' ? `print the ${spec.argument}` : undefined;
  const aboutJson = spec.json ?? (spec.table === undefined ? record : 'print an array');
  if (aboutJson !== undefined) added.option('--json', aboutJson);
  const required = options.flatMap(({ option }) => (option.mandatory ? option.flags : []));
  const usage = [words, argument && `<${argument.name()}>`, ...required].filter(Boolean).join(' ');
  added
    .addHelpText('after', helpBelow(spec.notes, spec.examples ?? [usage]))
    .action(async (...typed: unknown[]) => {
      const given = valuesOf(options, added.opts());
      const input = { ...given, json: added.opts()['json'] === true, id: typed[0] as string };
      const misuse = spec.misuse?.(input);
      if (typeof misuse === 'string') added.error(`error: ${misuse}`);
      const found = await ('start' in spec
        ? spec.start(input, parent)
        : withContext(async (ctx) => spec.run(ctx, await withIds(ctx.db, spec, options, input))));
      const result = takesLimit ? found.slice(0, given['limit'] as number | undefined) : found;
      if (spec.print !== undefined && !input.json) print(spec.print(result, input));
      else if (spec.table !== undefined && !input.json) print(table(result, ...spec.table));
      else if (aboutJson !== undefined)
        printJson(spec.toJson === undefined ? result : spec.toJson(result, input));
      const failure = spec.failure?.(result);
      if (typeof failure === 'string') throw new OperatorError(failure);
    });
}

/** An option as commander has it, and the name under which a command has its value. */
interface Typed {
  readonly name: string;
  readonly option: Option;
  readonly sets: unknown;
}

function toOptions([name, opt]: [string, Opt<unknown>]): Typed[] {
  const long = name.replaceAll(/_|(?=[A-Z])/g, '-').toLowerCase();
  const option = new Option(
    opt.flag ?? `--${long}${opt.takes === undefined ? '' : ` ${opt.takes}`}`,
    opt.help,
  );
  const record = RECORDS[option.attributeName()];
  if (record?.idOf === undefined) parsedBy(option, opt.parse);
  else parsedBy(option, text()).description += `: ${record.about}`;
  if (opt.initial !== undefined)
    option.default(typeof opt.parse === 'function' ? opt.parse(opt.initial) : opt.initial, opt.initial);
  if (opt.conflicts !== undefined) option.conflicts([...opt.conflicts]);
  option.makeOptionMandatory(opt.isRequired === true);
  return [{ name, option, sets: opt.sets }, ...(opt.off === undefined ? [] : toOptions([name, opt.off]))];
}

function toArgument(argument: NonNullable<Spec['argument']>): Argument {
  if (typeof argument !== 'string') {
    const [usage, about, choices] = argument;
    return parsedBy(new Argument(usage, about), choices);
  }
  const { about, idOf } = RECORDS[argument]!;
  return parsedBy(new Argument(`<${argument}>`, about), idOf === undefined ? id : text());
}

function parsedBy<P extends Argument | Option>(typed: P, parse: Parser<unknown> | undefined): P {
  if (typeof parse === 'function') typed.argParser(parse);
  else if (parse !== undefined) typed.choices(parse);
  return typed;
}

/** What was typed, by the names of the options. `--capacity` and `--no-capacity` are one value to commander: the second says false. */
function valuesOf(
  options: readonly Typed[],
  typed: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given = options.flatMap(({ name, option, sets }) => {
    const value = typed[option.attributeName()];
    if (value === undefined || (value === false) !== option.negate) return [];
    return [[name, sets === undefined ? value : sets] as const];
  });
  return Object.fromEntries(given);
}

/** What was typed, with ids in place of what the operator calls hosts and spaces. */
async function withIds(
  db: Sql,
  spec: Spec,
  options: readonly Typed[],
  input: Input<Options>,
): Promise<Input<Options>> {
  const ids: Record<string, unknown> = {};
  const named = options.map(({ name, option }) => [name, option.attributeName()] as const);
  for (const [name, record] of [...named, ['id', String(spec.argument)] as const]) {
    const value = (input as Readonly<Record<string, unknown>>)[name];
    if (typeof value === 'string') ids[name] = (await RECORDS[record]?.idOf?.(db, value)) ?? value;
  }
  return { ...input, ...ids };
}
