import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { typed } from '../../test/support/command-line.ts';
import { buildProgram } from './program.ts';

const ID = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
const SPAN = /It must be a duration such as 30s, 15m, 24h or 7d/;
const TIME =
  /a duration such as 30s, 15m, 24h or 7d, a date such as 2027-12-31, or a time such as 2027-12-31T18:00:00Z/;

/** What is typed behind "hourkeep", without quotes: no argument here has a space. */
const CASES: [args: string, says: RegExp][] = [
  ['nonsense', /unknown command 'nonsense'/],
  ['key create --name x', /required option '--host <id>' not specified/],
  ['key revoke abc', /must be an id/],
  [`key create --host ${ID} --name x --scopes all`, /must be one of spaces:read, /],
  [`key create --host ${ID} --name x --expires 2020-01-01`, /must lie in the future/],
  ...['2027-02-30', '2027-13-01', 'tomorrow', '2027-12-31T25:00:00Z'].map((when): [string, RegExp] => [
    `key create --host ${ID} --name x --expires ${when}`,
    TIME,
  ]),
  ...['7', '7w', '-1d', '1.5h', ''].map((span): [string, RegExp] => [
    `key invite --host ${ID} --expires-in ${span}`,
    SPAN,
  ]),
  [`key create --host ${ID} --name \u0085`, /It must not be blank/],
  [`space update ${ID} --title \u3000`, /It must not be blank/],
  [`booking cancel ${ID} --reason \t`, /It must not be blank/],
  ...['x', 'x@y', 'a@b,c.com'].map((email): [string, RegExp] => [
    `host add --name x --email ${email} --timezone UTC --currency USD`,
    /must be an email address/,
  ]),
  ['host add --name x --email x@example.com --timezone Mars/Base --currency USD', /must be an IANA timezone/],
  [`space add --host ${ID} --title x --price 1 --hours 22-9`, /must end after they begin/],
  [`space add --host ${ID} --title ${'x'.repeat(201)} --price 1`, /at most 200 characters/],
  [`host update ${ID}`, /name at least one field to change/],
  [`host update ${ID} --json`, /name at least one field to change/],
  ['host show \u3000', /must not be blank/],
  [`space update ${ID}`, /name at least one field to change/],
  [`space update ${ID} --active --inactive`, /cannot be used with option '--active'/],
  [`booking cancel ${ID}`, /required option '--reason <text>' not specified/],
  ['booking list --status gone', /must be one of confirmed, cancelled, completed, or several/],
  ['booking list --from 2027-02-02 --to 2027-02-01', /--from must not be after --to/],
  ['booking list --limit 0', /must be from 1 to 10000/],
  ['booking list --payment host_collected', /Allowed choices are/],
  [`booking move ${ID} --date 2027-02-02`, /give --hours, or --start-hour and --end-hour/],
  [`booking move ${ID} --date 2027-02-02 --start-hour 3`, /give --hours, or --start-hour/],
  [
    `booking move ${ID} --date 2027-02-02 --hours 3-5 --start-hour 3`,
    /cannot be used with option '--start-hour <hour>'/,
  ],
  ['completion tcsh', /Allowed choices are bash, zsh, fish/],
  ['audit list --since yesterday', TIME],
  ['audit list --since 2999-01-01', /must not lie in the future/],
  ['audit list --limit 0', /from 1 to 10000/],
  ['audit list --limit 10001', /from 1 to 10000/],
  ['audit list --limit all', /whole number/],
  ['audit list --host \u3000', /must not be blank/],
  ['calendar add', /required option/],
  ['calendar sync not-an-id', /must be an id/],
  ['webhook deliveries not-an-id', /must be an id/],
  [`webhook deliveries ${ID} --status gone`, /Allowed choices are pending, delivered, failed/],
  [`webhook deliveries ${ID} --limit 0`, /must be from 1 to 1000/],
  [`webhook resend ${ID}`, /give either --event or --failed/],
  [`webhook resend ${ID} --event ${ID} --failed`, /give either --event or --failed/],
  [`webhook resend ${ID} --event ${ID} --since 2d`, /--since goes with --failed/],
  [`webhook disable ${ID}`, /required option '--reason <text>' not specified/],
  ['payment confirm booking-1', /must be an id/],
  [`payment void ${ID}`, /required option '--reason <text>' not specified/],
  [`payout record --host ${ID} --amount 1e3`, /amount/],
  ['copy', /required option '--to <url>'/],
  ['guest export', /give either --email or --booking/],
  [`guest erase --email a@example.com --booking ${ID}`, /give either --email or --booking/],
  ['guest export --email nobody', /must be an email address/],
  ['settlement', /--month/],
  ['settlement --month 2027-13', /month/],
  ['settlement --month 0000-01', /month/],
  ['settlement --month 2027-06 --csv --json', /cannot be used with option/],
];

const withAll = (command: Command): Command[] => [command, ...command.commands.flatMap(withAll)];

/** What it says on standard error. */
async function refusal(args: string): Promise<string> {
  const { code, stdout, stderr } = await typed(args.split(' '), {});
  assert.deepEqual([code, stdout], [2, '']);
  return stderr;
}

describe('wrong usage', () => {
  for (const [args, says] of CASES)
    test(`hourkeep ${args.replaceAll(ID, '<id>').slice(0, 80)} says why`, async () =>
      assert.match(await refusal(args), says));

  for (const [args, last] of [
    ['nonsense', '(hourkeep --help lists the commands)'],
    ['host nonsense', '(hourkeep host --help lists its commands)'],
    ['host add --nonsense', '(hourkeep host add --help shows its options and examples)'],
    ['settlement', '(hourkeep settlement --help shows its options and examples)'],
    ['guest export', '(hourkeep guest export --help shows its options and examples)'],
    ['booking list --limit x', '(hourkeep booking list --help shows its options and examples)'],
  ] as const)
    test(`hourkeep ${args} leads to the help of its own command`, async () =>
      assert.equal((await refusal(args)).trimEnd().split('\n').at(-1), last));
});

test('help of every command has an example and the exit codes, and is at most 80 columns wide', async () => {
  for (const command of withAll(await buildProgram())) {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    if (command.commands.length === 0) assert.match(help, /Examples?:\n {2}\S/, command.name());
    assert.match(help, /\nExit codes: 0 done, 1 rejected, 2 wrong usage\.\n$/, command.name());
    const wide = help.split('\n').filter((line) => Array.from(line).length > 80);
    assert.deepEqual(wide, [], command.name());
  }
});
