import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { apply as applyFile } from '../apply/apply.ts';
import { exportFile, orphans, type Orphan } from '../apply/export.ts';
import { JSON_SCHEMA, type File } from '../apply/file.ts';
import type { Applied } from '../apply/kinds.ts';
import { OperatorError } from '../errors.ts';
import { fileProblem } from '../file-problem.ts';
import { changesOf } from './audit.ts';
import { command, flag, ONLY_HOST } from './command.ts';
import { toJson } from './output.ts';
import { operator, withContext } from './run.ts';

export const apply = command('apply', {
  about: 'make hosts, spaces, calendars and keys as a file says; it deletes nothing',
  argument: ['[file]', 'JSON, as export prints it; - reads standard input'],
  options: {
    dryRun: flag('only show what would be made and changed'),
    orphans: flag('apply the file, and list what is there and not in it; add --dry-run to apply nothing'),
    schema: flag('print the JSON Schema of such a file', { conflicts: ['dryRun', 'orphans'] }),
  },
  json: 'print {created, changed, unchanged, keys, invitations}',
  notes:
    'All or nothing: one entry that cannot be applied rejects the file, and all mistakes are listed. Each entry has a ref, your own name ' +
    'for it. What is missing is made, what differs is changed; fields and entries that are not in the file stay as they are. A key is ' +
    'printed once, and so is the link of one with "invite": true, which the host makes.',
  examples: [
    'hourkeep export > hosts.json',
    'hourkeep apply hosts.json --dry-run',
    'hourkeep apply hosts.json',
  ],
  misuse: ({ id: name, schema }) => !name && !schema && 'name a file, or - for standard input',
  start: async ({ id: name, dryRun = false, schema, orphans: wantsOrphans }) => {
    if (schema) return JSON_SCHEMA;
    const file = await readJson(name);
    return withContext(async (ctx) => ({
      ...(await applyFile(ctx, operator, file, { dryRun })),
      ...(wantsOrphans && { orphans: await orphans(ctx, file as File) }),
    }));
  },
  print: (done, { dryRun = false }) =>
    'created' in done ? report(done, dryRun) : toJson(done, 2).split('\n'),
});

export const exportAll = command('export', {
  about: 'print hosts, spaces, calendars and keys as the file that apply reads',
  options: {
    host: ONLY_HOST,
    withUrls: flag('also the URLs of calendars, for another database: these are secrets'),
  },
  json: 'changes nothing: it is always JSON',
  notes:
    'Without the texts of keys, which nobody can read, and without the URLs of calendars unless --with-urls is given.',
  examples: ['hourkeep export > hosts.json', 'hourkeep export --host h003 --with-urls > h003.json'],
  run: (ctx, { host, withUrls = false }) => exportFile(ctx, host, { withUrls }),
});

async function readJson(name: string): Promise<unknown> {
  const what = name === '-' ? 'standard input' : name;
  try {
    const bytes = name === '-' ? await buffer(process.stdin) : readFileSync(name);
    // The decoder drops the byte order mark with which Windows' editors begin a file.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof SyntaxError) throw new OperatorError(`${what} is not JSON: ${message}`);
    if (error instanceof TypeError) throw new OperatorError(`${what} is not UTF-8`);
    throw new OperatorError(`cannot read ${what}: ${fileProblem(error)}`);
  }
}

function report(done: Applied & { orphans?: Orphan[] }, dryRun: boolean): string[] {
  const would = dryRun ? 'would be ' : '';
  const { created, changed, unchanged, keys, invitations, orphans: rest = [] } = done;
  return [
    ...created.map((made) => `${would}created ${called(made)}${made.id ? ` (${made.id})` : ''}`),
    ...changed.map((each) => `${would}changed ${called(each)}: ${changesOf(each.changes)}`),
    ...rest.map((each) => `not in the file: ${called(each)}`),
    ...keys.flatMap((made) => (made.key ? `${called({ kind: 'key', ...made })}: ${made.key}` : [])),
    ...invitations.flatMap((made) =>
      made.url ? `${called({ kind: 'invitation', ...made })}: ${made.url}` : [],
    ),
    ...(keys.length + invitations.length > 0 && !dryRun
      ? ['Store the keys and send the links now: they cannot be shown again.']
      : []),
    created.length + changed.length === 0
      ? `Nothing to do: all ${unchanged} are as the file says.`
      : `${created.length} ${would}created, ${changed.length} ${would}changed, ${unchanged} unchanged.`,
  ];
}

/** `space h003/s1`, as --space takes it; `calendar h003/s1/airbnb`. */
function called({
  kind,
  host,
  space,
  ref,
  id,
}: Omit<Orphan, 'kind' | 'id'> & { kind: string; id?: string }): string {
  const names = kind === 'host' ? [host] : [host, space, ref ?? id];
  return `${kind} ${names.filter((name) => name !== undefined).join('/')}`;
}
