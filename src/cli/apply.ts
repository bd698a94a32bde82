import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Option, type Command } from 'commander';
import { apply, type Applied } from '../apply/apply.ts';
import { exportFile, orphans, type Orphan } from '../apply/export.ts';
import { JSON_SCHEMA, type File } from '../apply/file.ts';
import { OperatorError } from '../errors.ts';
import { changesOf } from './audit.ts';
import * as parse from './options.ts';
import { print, printJson } from './output.ts';
import { operator, withContext } from './run.ts';

interface ApplyOptions {
  dryRun?: true;
  orphans?: true;
  schema?: true;
  json?: true;
}

export function addApplyCommand(program: Command): void {
  program
    .command('apply')
    .description('make hosts, spaces, calendars and keys as a file says; it deletes nothing')
    .argument('[file]', 'JSON, as export prints it; - reads standard input')
    .option('--dry-run', 'only tell what would be made and changed')
    .option('--orphans', 'also list what is there and not in the file')
    .addOption(
      new Option('--schema', 'print the JSON Schema of such a file').conflicts(['dryRun', 'orphans']),
    )
    .option('--json', 'print {created, changed, unchanged, keys, invitations}')
    .addHelpText(
      'after',
      `
All or nothing: one entry that cannot be refuses the file, with its place. Each entry has a ref, your own name for it. What is
missing is made, what differs is changed; fields and entries that are not in the file stay as they are. A key is printed once, and so is
the link of one with "invite": true, which the host makes.

Examples:
  hourkeep export > hosts.json
  hourkeep apply hosts.json --dry-run
  hourkeep apply hosts.json`,
    )
    .action(async (name: string | undefined, options: ApplyOptions, command: Command) => {
      if (options.schema) {
        printJson(JSON_SCHEMA);
        return;
      }
      if (name === undefined) command.error('error: name a file, or - for standard input');
      const file = await readJson(name);
      const { done, rest } = await withContext(async (ctx) => ({
        done: await apply(ctx, operator, file, { dryRun: options.dryRun === true }),
        rest: options.orphans ? await orphans(ctx, file as File) : undefined,
      }));
      if (options.json) printJson({ ...done, ...(rest && { orphans: rest }) });
      else report(done, rest, options.dryRun === true);
    });
}

export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('print hosts, spaces, calendars and keys as the file that apply reads')
    .option('--host <id>', 'only this host', parse.id)
    .option('--json', 'as without it: it is JSON always')
    .addHelpText(
      'after',
      '\nWithout the addresses of calendars and the texts of keys: these are secrets.\n\nExample:\n  hourkeep export > hosts.json',
    )
    .action(async (options: { host?: string }) => {
      printJson(await withContext((ctx) => exportFile(ctx, options.host)));
    });
}

async function readJson(name: string): Promise<unknown> {
  const what = name === '-' ? 'standard input' : name;
  try {
    const given = name === '-' ? await text(process.stdin) : readFileSync(name, 'utf8');
    // Windows' editors begin a file with a byte order mark.
    return JSON.parse(given.replace(/^\uFEFF/, ''));
  } catch (error) {
    const { message } = error as Error;
    throw new OperatorError(
      error instanceof SyntaxError ? `${what} is not JSON: ${message}` : `cannot read ${what}: ${message}`,
    );
  }
}

function report(done: Applied, rest: readonly Orphan[] | undefined, dryRun: boolean): void {
  const would = dryRun ? 'would be ' : '';
  for (const { kind, ref, id } of done.created)
    print(`${would}created ${kind} ${ref}${id === undefined ? '' : ` (${id})`}`);
  for (const { kind, ref, changes } of done.changed)
    print(`${would}changed ${kind} ${ref}: ${changesOf(changes)}`);
  for (const { kind, ref, id } of rest ?? []) print(`not in the file: ${kind} ${ref ?? id}`);
  for (const { ref, key } of done.keys) if (key !== undefined) print(`key ${ref}: ${key}`);
  if (done.keys.length > 0 && !dryRun) print('Store the keys now: they cannot be shown again.');
  for (const { ref, url } of done.invitations) if (url !== undefined) print(`invitation ${ref}: ${url}`);
  if (done.invitations.length > 0 && !dryRun) print('Send the links now: they cannot be shown again.');
  const { created, changed, unchanged } = done;
  print(
    created.length + changed.length === 0
      ? `Nothing to do: all ${unchanged} are as the file says.`
      : `${created.length} ${would}created, ${changed.length} ${would}changed, ${unchanged} unchanged.`,
  );
}
