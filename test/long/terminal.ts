import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../support/booking.ts';
import { commandsOn } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { NOBODY, useWorld } from '../support/world.ts';

/** Clears the screen, sets the title, forges a row, types into C1's terminal, and turns the text around. */
const HOSTILE = 'Ada\u001b[2J\u001b]0;owned\u0007\r\n0199a3c4  2027-06-01\t\u009b31m\u007f\u202egnp\u2066x';
const SHOWN =
  'Ada\\u{1b}[2J\\u{1b}]0;owned\\u{7}\\u{d}\\u{a}0199a3c4  2027-06-01\\u{9}\\u{9b}31m\\u{7f}\\u{202e}gnp\\u{2066}x';
const IN_JSON = SHOWN.replaceAll('\\u{d}\\u{a}', '\\r\\n')
  .replaceAll('\\u{9}', '\\t')
  .replaceAll(/\\u\{(\w+)\}/g, (_, code: string) => `\\u${code.padStart(4, '0')}`);

// oxlint-disable-next-line no-control-regex
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

onOneEngine('what others wrote, printed at a terminal,', (engine) => {
  const world = useWorld(engine);
  const { run } = commandsOn(world);
  let desk: Desk;
  let bookingId: string;

  before(async () => {
    desk = await openDesk(world, { name: HOSTILE });
    bookingId = (await desk.made({ guest_name: HOSTILE, settlement_mode: 'platform_settled' })).id;
  });

  /** The lines of standard output and of standard error. */
  async function lines(...args: string[]): Promise<{ out: string[]; err: string[] }> {
    const { stdout, stderr } = await run(...args);
    for (const text of [stdout, stderr]) assert.doesNotMatch(text, RAW, args.join(' '));
    return { out: stdout.split('\n').slice(0, -1), err: stderr.split('\n').slice(0, -1) };
  }

  test('a guest’s name is one cell of one row of booking list, and one line of booking show', async () => {
    const { out: list } = await lines('booking', 'list');
    assert.equal(list.length, 2);
    assert.ok(list[1]!.startsWith(bookingId) && list[1]!.includes(`  ${SHOWN}  `), list.join('\n'));
    const { out: shown } = await lines('booking', 'show', bookingId);
    const [name, ...others] = shown.filter((line) => line.includes('0199a3c4  2027-06-01'));
    assert.ok(name!.startsWith('Guest name') && name!.endsWith(`  ${SHOWN}`), shown.join('\n'));
    assert.deepEqual(others, []);
  });

  test('JSON has the name as it is, escaped', async () => {
    const { out } = await lines('booking', 'show', bookingId, '--json');
    assert.equal(JSON.parse(out.join('\n')).guest_name, HOSTILE);
    assert.ok(out.some((line) => line.includes(`"guest_name": "${IN_JSON}"`)));
  });

  test('a reason and a change are cells of one row of audit list', async () => {
    const { key, spaceId } = desk;
    const path = `/api-listing-update/api/v1/spaces/${spaceId}`;
    assert.equal((await world.call('PATCH', path, { key, body: { title: HOSTILE } })).status, 200);
    const body = { url: NOBODY, events: ['booking.created'] };
    const { webhook } = (await world.call('POST', WEBHOOKS, { key, body })).body.data;
    assert.equal((await lines('webhook', 'disable', webhook.id, '--reason', HOSTILE)).out.length, 1);
    const { out: webhooks } = await lines('webhook', 'list');
    assert.equal(webhooks.filter((line) => line.startsWith(webhook.id)).length, 1);
    const { out } = await lines('audit', 'list');
    const row = (action: string) => out.find((line) => line.includes(`  ${action}  `))!;
    assert.ok(row('webhook.disabled').endsWith(`  ${SHOWN}`), out.join('\n'));
    assert.ok(row('space.updated').endsWith(`title: "Test Space" → "${IN_JSON}"`), out.join('\n'));
    assert.equal(out.filter((line) => line.startsWith('0199a3c4')).length, 0);
  });

  test('a host’s name is one cell of settlement, and an error is one line', async () => {
    const { out } = await lines('settlement', '--month', '2027-06');
    assert.equal(out.filter((line) => line.startsWith(SHOWN)).length, 1);
    await lines('payment', 'confirm', bookingId, '--reference', HOSTILE);
    const { err } = await lines('payment', 'confirm', bookingId, '--reference', 'pi_2');
    assert.equal(err.length, 1);
    assert.ok(err[0]!.includes(SHOWN), err.join('\n'));
    assert.ok((await lines('booking', 'show', HOSTILE)).err.join().includes('Ada\\u{1b}[2J'));
  });
});
