import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeFolder } from '../support/process.ts';

// npm run planted: plants defects into a copy of the project, one at a time, and runs what should notice them.
//   node test/proof/planted.ts [--only event]
// A proof that cannot fail proves nothing. Every one of these must come out red, and ends with 1 if one does not.

interface Defect {
  readonly what: string;
  readonly file: string;
  /** Occurs once. */
  readonly text: string;
  readonly becomes: string;
  /** Another place in the same file, where one defect alone is caught by the other check. */
  readonly also?: { readonly text: string; readonly becomes: string };
  /** What is run, and must fail. */
  readonly script: readonly string[];
  /** What it must say: red for another reason is no proof. */
  readonly says: RegExp;
}

const DEFECTS: readonly Defect[] = [
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
    what: 'two rules of a booking in the wrong order',
    file: 'src/bookings/rules.ts',
    text: 'if (guest === guestKey(terms.host_email)) throw selfBookingBlocked();',
    becomes: `if (!SETTLEMENT_MODES.some((known) => known === request.settlement_mode)) throw invalidSettlementMode('', []);
      if (guest === guestKey(terms.host_email)) throw selfBookingBlocked();`,
    script: ['test', '--', 'src/bookings/rules.test.ts'],
    says: /✖ the host as the guest goes before a settlement mode/,
  },
  {
    what: 'a closed hour that is refused in other words',
    file: 'src/bookings/rules.ts',
    text: `inactive: () => ({ field: 'space_id', message: 'names a space that takes no bookings now' }),`,
    becomes: `inactive: () => ({ field: 'date', message: 'must lie within the operating hours' }),`,
    script: ['test', '--', 'src/bookings/rules.test.ts'],
    says: /✖ those of an inactive space name the space/,
  },
  {
    what: 'a replay for another guest',
    file: 'src/bookings/fields.ts',
    text: 'const first = [space_id, date, start_hour, end_hour, guest_email, guest_name, guest_phone, settlement_mode];',
    becomes:
      'const first = [space_id, date, start_hour, end_hour, guest_name, guest_phone, settlement_mode];',
    script: ['test', '--', 'src/bookings/idempotency.test.ts'],
    says: /✖ with another guest_email is 422/,
  },
  {
    what: 'a maximum value for platform bookings',
    file: 'src/bookings/rules.ts',
    text: `if (through === 'api' && total > limit) {`,
    becomes: 'if (total > limit) {',
    script: ['test', '--', 'src/bookings/rules.test.ts'],
    says: /✖ does not hold for platform bookings/,
  },
  {
    what: 'a bounced payment that stays in the balance',
    file: 'src/books/books.ts',
    text: `kind === 'payment_voided' ? -net : net`,
    becomes: `kind === 'payment_voided' ? 0 : net`,
    script: ['test', '--', 'test/books/books.test.ts'],
    says: /✖ agree with a model of them over four months/,
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
    what: 'a move onto an hour that somebody holds',
    file: 'src/hours/hours.ts',
    text: 'return hoursOf(range).filter((hour) => !own.includes(hour) || elsewhere.has(hour));',
    becomes: 'return own.length === range.endHour - range.startHour ? hoursOf(range) : [];',
    script: ['test', '--', 'src/bookings/move.test.ts'],
    says: /✖ counts the old booking’s hours as free, unless an outside calendar holds them/,
  },
  {
    what: 'a second holder of an hour, in a race',
    file: 'src/bookings/create.ts',
    text: `judge: sql.hasItsHours,
      values: [hostId, row.end_hour - row.start_hour, row.id, row.space_id, row.date],`,
    becomes: 'judge: sql.isInserted, values: [hostId, row.id],',
    also: { text: 'if (held.length > 0) {', becomes: 'if (held.length > 24) {' },
    script: ['run', 'race', '--', '--requests', '200', '--rivals', '100'],
    says: /not exactly one winner/,
  },
  {
    what: 'a booking that is moved twice',
    file: 'src/bookings/sql.ts',
    text: `and id = $3 and status = 'confirmed' and payment_status <> 'confirmed'`,
    becomes: `and id = $3 and payment_status <> 'confirmed'`,
    script: ['run', 'race', '--', '--requests', '200', '--rivals', '100', '--rounds', '3'],
    says: /different keys: /,
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
    what: 'an event that is lost now and then',
    file: 'src/events/events.ts',
    text: 'for (const [webhookId] of receivers) written',
    becomes: `for (const [webhookId] of id.endsWith('0') ? [] : receivers) written`,
    script: ['run', 'chaos', '--', '--seconds', '2', '--fault', 'workers'],
    says: /event \S+ never arrived/,
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

const { values: options } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const root = join(import.meta.dirname, '../..');
for (const defect of DEFECTS) void withDefect(defect);
let unnoticed = 0;
for (const defect of DEFECTS.filter(({ what }) => what.includes(options.only))) {
  const { status, output } = runWith(defect);
  const noticed = status !== 0 && defect.says.test(output);
  if (!noticed) unnoticed++;
  const line = output.split('\n').find((text) => defect.says.test(text)) ?? output.slice(-2000);
  process.stdout.write(
    `${noticed ? 'red  ' : 'GREEN'}  ${defect.what}: npm ${defect.script.join(' ')}\n       ${line.trim().slice(0, 200)}\n`,
  );
}
process.exitCode = unnoticed === 0 ? 0 : 1;

/** The file with the defect in it. Read for all of them first: code that has moved must not go unseen. */
function withDefect({ file, also, ...first }: Defect): string {
  let source = readFileSync(join(root, file), 'utf8');
  for (const { text, becomes } of also === undefined ? [first] : [first, also]) {
    if (source.split(text).length !== 2) throw new Error(`${file} does not have "${text}" once`);
    source = source.replace(text, becomes);
  }
  return source;
}

function runWith(defect: Defect): { status: number | null; output: string } {
  using copy = copyOfProject();
  writeFileSync(join(copy.path, defect.file), withDefect(defect));
  const { script } = defect;
  const { status, stdout, stderr } = spawnSync('npm', script, { cwd: copy.path, encoding: 'utf8' });
  return { status, output: stdout + stderr };
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
