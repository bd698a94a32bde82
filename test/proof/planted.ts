import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Player } from '../simulate/player.ts';
import type { Order, Result } from '../simulate/process.ts';
import { makeFolder } from '../support/process.ts';
import { DEFECTS, type Defect, type Planted } from './defects.ts';

// npm run planted: plants defects into a copy of the project, one at a time, and runs what should notice them.
//   node test/proof/planted.ts [--only event] [--operations 200000]
// A proof that cannot fail proves nothing. Each defect must be found, and this ends with 1 if one is not: rules of the contract by the
// simulation, within so many operations, where the project without the defect still agrees with the model; others by a test.

/** What no simulation sees. */
interface Elsewhere extends Planted {
  /** What is run, and must fail. */
  readonly script: readonly string[];
  /** What it must say: red for another reason is no proof. */
  readonly says: RegExp;
}

export const ELSEWHERE: readonly Elsewhere[] = [
  {
    what: 'a field that the document does not know',
    file: 'src/http/envelope.ts',
    text: 'request_id: requestId,',
    becomes: `request_id: requestId, hint: 'see the manual',`,
    script: ['test', '--', 'src/availability/availability.test.ts'],
    says: /outside the document: .*additional properties.*hint/,
  },
  {
    what: 'a route that the document does not know',
    file: 'src/app.ts',
    text: 'availabilityRoutes(api, ctx);',
    becomes: `availabilityRoutes(api, ctx); api.get('/api-secret/api/v1/secrets', async () => ({}));`,
    script: ['test', '--', 'test/contract.test.ts'],
    says: /api-secret/,
  },
  {
    what: 'an operation without a row in the table of who may do what',
    file: 'src/availability/operations.ts',
    text: `id: 'getAvailability',`,
    becomes: `id: 'getHours',`,
    script: ['test', '--', 'test/authorisation.test.ts'],
    says: /getHours/,
  },
  {
    what: 'an operation that asks for no scope',
    file: 'src/http/authenticate.ts',
    text: `if (!admission.key.scopes.split(' ').includes(scope))`,
    becomes: `if (!admission.key.scopes.split(' ').includes(scope) && scope !== 'bookings:read')`,
    script: ['test', '--', 'test/authorisation.test.ts'],
    says: /listBookings: 200/,
  },
  {
    what: 'another law of overload',
    file: 'src/http/limiter.ts',
    text: 'const next = limitMet ? (served / LOOK_MS) * TARGET_MS : this.#limit * 2;',
    becomes: 'const next = limitMet ? this.#limit / 2 : this.#limit * 2;',
    script: ['test', '--', 'src/http/limiter.test.ts'],
    says: /✖ admits as many as were served in 1\.5 ms since the last look/,
  },
  {
    what: 'a mark of changes that waits for no open transaction',
    file: 'src/db/postgres/engine.ts',
    text: 'return now - longestOpenMs(row as OpenRow);',
    becomes: 'return now - 0 * longestOpenMs(row as OpenRow);',
    script: ['run', 'mirror', '--', '--quick', '--seed', '7'],
    says: /mirror \d: .* (is missing|instead of)/,
  },
  {
    what: 'a booking that is moved twice',
    file: 'src/bookings/sql.ts',
    text: "and id = $3 and status = 'confirmed' and ${inTime}",
    becomes: 'and id = $3 and ${inTime}',
    script: ['test', '--', 'src/bookings/move.test.ts'],
    says: /✖ of one booking to many places at once is one move/,
  },
  {
    what: 'a booking that is paid for while it moves',
    file: 'src/bookings/sql.ts',
    text: "`and payment_status <> 'confirmed'`",
    becomes: "''",
    script: ['test', '--', 'src/bookings/move.test.ts'],
    says: /✖ does not take a booking that is paid for meanwhile/,
  },
  {
    what: 'a move that frees its hours before it has taken the new ones',
    file: 'src/hours/hours.ts',
    text: 'const [took, busy] = await Promise.all([',
    becomes: 'const [, took, busy] = await Promise.all([release(tx, from.range, from.bookingId),',
    script: ['test', '--', 'src/bookings/move.test.ts'],
    says: /✖ for an hour of 2027-0.* has freed none of its own/,
  },
  {
    what: 'a guest who is not locked',
    file: 'src/bookings/rules.ts',
    text: 'await tx.lock(`guest ${row.host_id} ${row.environment} ${row.guest_key}`);',
    becomes: '',
    script: ['test', '--', 'src/bookings/velocity.test.ts'],
    says: /✖ lets one of them stand, also when none has committed before both are there/,
  },
  {
    what: 'an invitation that makes more than one key',
    file: 'src/api-keys/sql.ts',
    text: 'where token_hash = $1 and claimed_at is null and',
    becomes: 'where token_hash = $1 and',
    script: ['test', '--', 'src/api-keys/invitations.test.ts'],
    says: /✖ that many claim at once makes one key/,
  },
  {
    what: 'a calendar whose whole address can be read',
    file: 'src/calendars/urls.ts',
    text: 'url.slice(-4)',
    becomes: 'url',
    script: ['test', '--', 'src/spaces/listing-calendars.test.ts'],
    says: /✖ addresses and tokens are in no other answer/,
  },
  {
    what: 'a calendar inside the operator’s network',
    file: 'src/spaces/update.ts',
    text: "if (problem !== null) throw invalid('connect_calendar', problem);",
    becomes: '',
    script: ['test', '--', 'src/spaces/listing-calendars.test.ts'],
    says: /✖ an address of the inner network/,
  },
  {
    what: 'a body that is not UTF-8 and is stored all the same',
    file: 'src/http/input/json-body.ts',
    text: `isUtf8(bytes) ? undefined : invalid('body', 'must be UTF-8')`,
    becomes: 'isUtf8(bytes) ? undefined : undefined',
    script: ['run', 'fuzz', '--', '--requests', '4000', '--engine', 'sqlite', '--seed', '7'],
    says: /accepted, though the body is not UTF-8/,
  },
  {
    what: 'a Python client that repeats what may have been done',
    file: 'clients/python/hourkeep/transport.py',
    text: 'return is_unknown and repeatable',
    becomes: 'return is_unknown',
    script: ['test', '--', 'test/conformance/conformance.test.ts'],
    says: /✖ does not repeat webhooks\.create.*: Python/,
  },
  {
    what: 'a PHP client that trusts everybody',
    file: 'clients/php/src/Connection.php',
    text: `['peer_name' => trim($host, '[]')]`,
    becomes: `['peer_name' => trim($host, '[]'), 'verify_peer' => false]`,
    script: ['test', '--', 'test/conformance/conformance.test.ts'],
    says: /✖ tells its key neither.*: PHP/,
  },
];

const root = join(import.meta.dirname, '../..');
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const { values: options } = parseArgs({
    options: { only: { type: 'string', default: '' }, operations: { type: 'string', default: '200000' } },
  });
  const isChosen = ({ what }: Planted): boolean => what.includes(options.only);
  // Read for all of them first: code that has moved must not go unseen.
  for (const defect of [...DEFECTS, ...ELSEWHERE]) withDefect(defect);
  const notFound = [
    ...(await simulate(DEFECTS.filter(isChosen), Number(options.operations))),
    ...ELSEWHERE.filter(isChosen).filter((defect) => !isNoticed(defect)),
  ];
  say(notFound.length === 0 ? 'all found' : `not found: ${notFound.map(({ what }) => what).join(', ')}`);
  return notFound.length === 0 ? 0 : 1;
}

/** Most are found at once: each round gives those that are left more operations. */
const ROUNDS = [2500, 10_000, 50_000];
const WORLD_OPERATIONS = 2500;

/** Those that were not found within so many operations. */
async function simulate(defects: readonly Defect[], operations: number): Promise<readonly Defect[]> {
  if (defects.length === 0) return [];
  using sound = new SoundProject();
  let left = defects;
  let from = 0;
  for (const to of [...ROUNDS.filter((round) => round < operations), operations]) {
    const queue = [...left];
    const notFound: Defect[] = [];
    const work = async (): Promise<void> => {
      using copy = copyOfProject();
      for (let defect = queue.shift(); defect !== undefined; defect = queue.shift())
        if (!(await isFound(copy.path, defect, sound, from, to))) notFound.push(defect);
    };
    await Promise.all(Array.from({ length: Math.min(availableParallelism(), queue.length) }, work));
    [left, from] = [notFound, to];
  }
  for (const { what } of left) say(`GREEN  ${what}: ${operations} operations`);
  return left;
}

/** Plays the worlds between so many operations, up to the first difference that the project does not show without the defect. */
async function isFound(
  folder: string,
  defect: Defect,
  sound: SoundProject,
  from: number,
  to: number,
): Promise<boolean> {
  const file = join(folder, defect.file);
  const before = readFileSync(file);
  writeFileSync(file, withDefect(defect));
  try {
    using player = new Player(folder);
    for (let done = from; done < to; done += WORLD_OPERATIONS) {
      const order: Order = {
        seed: done / WORLD_OPERATIONS + 1,
        operations: Math.min(WORLD_OPERATIONS, to - done),
        engine: 'sqlite',
        faults: defect.withFaults ?? false,
      };
      const result = await player.play(order);
      if (result.texts.length === 0 || (await sound.differsSooner(order, result))) continue;
      say(
        `red    ${defect.what}: ${done + result.operations} operations\n       ${result.texts[0]!.slice(0, 200)}`,
      );
      return true;
    }
    return false;
  } finally {
    writeFileSync(file, before);
  }
}

/** The project as it is. */
class SoundProject implements Disposable {
  readonly #player = new Player(root);
  readonly #played = new Map<string, Promise<Result>>();

  async differsSooner(order: Order, { operations }: Result): Promise<boolean> {
    const world = JSON.stringify(order);
    if (!this.#played.has(world)) this.#played.set(world, this.#player.play(order));
    const sound = await this.#played.get(world)!;
    return sound.texts.length > 0 && sound.operations <= operations;
  }

  [Symbol.dispose](): void {
    this.#player[Symbol.dispose]();
  }
}

/** The file with the defect in it. */
function withDefect({ file, text, becomes }: Planted): string {
  const source = readFileSync(join(root, file), 'utf8');
  if (source.split(text).length !== 2) throw new Error(`${file} does not have "${text}" once`);
  return source.replace(text, () => becomes);
}

function isNoticed(defect: Elsewhere): boolean {
  using copy = copyOfProject();
  writeFileSync(join(copy.path, defect.file), withDefect(defect));
  const { script, says, what } = defect;
  const { status, stdout, stderr } = spawnSync('npm', script, { cwd: copy.path, encoding: 'utf8' });
  const output = stdout + stderr;
  const noticed = status !== 0 && says.test(output);
  const line = output.split('\n').find((text) => says.test(text)) ?? output.slice(-2000);
  say(
    `${noticed ? 'red  ' : 'GREEN'}  ${what}: npm ${script.join(' ')}\n       ${line.trim().slice(0, 200)}`,
  );
  return noticed;
}

function copyOfProject(): { path: string } & Disposable {
  const { path, remove } = makeFolder();
  const left = new Set(['.git', 'node_modules', 'data']);
  for (const name of readdirSync(root).filter((each) => !left.has(each))) {
    cpSync(join(root, name), join(path, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  return { path, [Symbol.dispose]: remove };
}

if (import.meta.main) process.exitCode = await main();
