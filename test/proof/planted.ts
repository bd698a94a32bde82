import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Order, Result } from '../simulate/process.ts';
import { startCluster } from '../support/cluster.ts';
import { makeFolder } from '../support/process.ts';
import { DEFECTS, type Defect } from './defects.ts';

// npm run planted: plants defects into a copy of the project, one at a time, and runs what should notice them.
//   node test/proof/planted.ts [--only event] [--operations 200000]
// A proof that cannot fail proves nothing. Each defect must be found, and this ends with 1 if one is not: rules of the contract by the
// simulation, within so many operations, where the project without the defect still agrees with the model; others by a test.

/** What no simulation sees. */
interface Elsewhere {
  readonly what: string;
  readonly file: string;
  /** Occurs once. */
  readonly text: string;
  readonly becomes: string;
  /** What is run, and must fail. */
  readonly script: readonly string[];
  /** What it must say: red for another reason is no proof. */
  readonly says: RegExp;
}

const ELSEWHERE: readonly Elsewhere[] = [
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
    text: `if (!admission.scopes.split(' ').includes(scope))`,
    becomes: `if (!admission.scopes.split(' ').includes(scope) && scope !== 'bookings:read')`,
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
    text: 'return now - (await longestOpenMs((question) => this.#query(question)));',
    becomes: 'return now - 0 * (await longestOpenMs((question) => this.#query(question)));',
    script: ['run', 'mirror', '--', '--quick', '--seed', '7'],
    says: /mirror \d: .* (is missing|instead of)/,
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
    file: 'src/spaces/listing.ts',
    text: "if (problem !== null) throw refusal('connect_calendar', problem);",
    becomes: '',
    script: ['test', '--', 'src/spaces/listing-calendars.test.ts'],
    says: /✖ an address of the inner network/,
  },
  {
    what: 'a body that is not UTF-8 and is stored all the same',
    file: 'src/http/input/json-body.ts',
    text: `isUtf8(bytes) ? undefined : badBody('must be UTF-8')`,
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
    says: /ok +NO +ok +does not repeat webhooks\.create/,
  },
  {
    what: 'a PHP client that trusts everybody',
    file: 'clients/php/src/Connection.php',
    text: `['peer_name' => trim($host, '[]')]`,
    becomes: `['peer_name' => trim($host, '[]'), 'verify_peer' => false]`,
    script: ['test', '--', 'test/conformance/conformance.test.ts'],
    says: /ok +ok +NO +tells its key neither/,
  },
];

const { values: options } = parseArgs({
  options: { only: { type: 'string', default: '' }, operations: { type: 'string', default: '200000' } },
});
const WORLD_OPERATIONS = 1000;
const root = join(import.meta.dirname, '../..');
const chosen = ({ what }: { what: string }): boolean => what.includes(options.only);
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
// Read for all of them first: code that has moved must not go unseen.
for (const defect of [...DEFECTS, ...ELSEWHERE]) void withDefect(defect);
const unnoticed: string[] = [];
/** Of the project as it is, by its world. */
const ofSound = new Map<string, ReturnType<typeof play>>();

const queue = DEFECTS.filter(chosen);
const cluster = queue.some(({ engine }) => engine === 'postgres') ? await startCluster() : undefined;
if (cluster !== undefined) process.env['SIMULATE_POSTGRES'] = cluster.url;
await Promise.all([simulateQueue(), simulateQueue()]);
for (const defect of ELSEWHERE.filter(chosen)) runWith(defect);
cluster?.stop();
say(unnoticed.length === 0 ? 'all found' : `not found: ${unnoticed.join(', ')}`);
process.exit(unnoticed.length === 0 ? 0 : 1);

async function simulateQueue(): Promise<void> {
  using copy = copyOfProject();
  for (let defect = queue.shift(); defect !== undefined; defect = queue.shift()) {
    const file = join(copy.path, defect.file);
    const sound = readFileSync(file);
    writeFileSync(file, withDefect(defect));
    await simulateWith(copy.path, defect);
    writeFileSync(file, sound);
  }
}

async function simulateWith(folder: string, { what, withFaults, engine = 'sqlite' }: Defect): Promise<void> {
  let done = 0;
  for (let seed = 1; done < Number(options.operations); seed++) {
    const order: Order = {
      seed,
      operations: WORLD_OPERATIONS,
      engine: 'sqlite',
      faults: withFaults ?? false,
    };
    const { operations, difference } = await play(folder, order);
    done += operations === 0 ? WORLD_OPERATIONS : operations;
    if (difference === undefined) continue;
    const name = `${seed} ${engine} ${order.faults}`;
    if (!ofSound.has(name)) ofSound.set(name, play(root, order));
    const sound = await ofSound.get(name)!;
    if (sound.difference !== undefined && sound.operations <= operations) continue;
    say(`red    ${what}: ${done} operations\n       ${difference.slice(0, 200)}`);
    return;
  }
  unnoticed.push(what);
  say(`GREEN  ${what}: ${done} operations`);
}

async function play(folder: string, order: Order): Promise<{ operations: number; difference?: string }> {
  const player: ChildProcess = fork(join(folder, 'test/simulate/process.ts'), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  player.send(order);
  const ended = once(player, 'exit').then((): undefined => undefined);
  const result = await Promise.race([once(player, 'message').then(([message]) => message as Result), ended]);
  if (player.connected) player.disconnect();
  await ended;
  if (result === undefined) throw new Error(`${folder}: a simulation ended without a result`);
  const [difference] = result.texts;
  return { operations: result.operations, ...(difference !== undefined && { difference }) };
}

/** The file with the defect in it. */
function withDefect(defect: Pick<Elsewhere, 'file' | 'text' | 'becomes'>): string {
  const { file, text, becomes } = defect;
  const source = readFileSync(join(root, file), 'utf8');
  if (source.split(text).length !== 2) throw new Error(`${file} does not have "${text}" once`);
  return source.replace(text, () => becomes);
}

function runWith(defect: Elsewhere): void {
  using copy = copyOfProject();
  writeFileSync(join(copy.path, defect.file), withDefect(defect));
  const { script, says, what } = defect;
  const { status, stdout, stderr } = spawnSync('npm', script, { cwd: copy.path, encoding: 'utf8' });
  const output = stdout + stderr;
  const isNoticed = status !== 0 && says.test(output);
  if (!isNoticed) unnoticed.push(what);
  const line = output.split('\n').find((text) => says.test(text)) ?? output.slice(-2000);
  say(
    `${isNoticed ? 'red  ' : 'GREEN'}  ${what}: npm ${script.join(' ')}\n       ${line.trim().slice(0, 200)}`,
  );
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
