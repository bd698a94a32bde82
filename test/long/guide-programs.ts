import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Hourkeep } from '../../client/src/index.ts';
import { useServing } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { compile, installClients, runProgram, type Language } from '../support/installed-clients.ts';
import { playExample, table } from '../support/worked-example.ts';
import { useWorld } from '../support/world.ts';

// The programs in the guides, run as they stand against a service with demo data. The mirror has its own test, since that
// kills things; so has the page to book on, which needs a browser.

const guide = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../../docs/guides/${name}.md`), 'utf8');

function blocks(text: string, language: Language): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code!);
}

onOneEngine('the programs of the guides', (engine) => {
  const serving = useServing(engine);
  const { folder } = serving;
  before(() => installClients(folder.path));
  const sandbox = () => ({
    HOURKEEP_URL: serving.service.url,
    HOURKEEP_API_KEY: serving.demo.keys.sandbox,
  });
  const client = () => new Hourkeep({ apiKey: serving.demo.keys.sandbox, baseUrl: serving.service.url });

  for (const [page, language, count] of [
    ['test-your-integration', 'ts', 3],
    ['test-your-integration', 'python', 3],
    ['test-your-integration', 'php', 2],
  ] as const)
    test(`${page}: all in ${language} run to their end`, async () => {
      const found = blocks(guide(page), language);
      assert.equal(found.length, count);
      for (const code of found) {
        const { code: exit, stderr } = await runProgram(folder.path, language, code, sandbox());
        assert.deepEqual([exit, stderr], [0, ''], code);
      }
    });

  test('clients: each books one hour', async () => {
    const hk = client();
    const before = (await hk.bookings.list({ guest: 'ada@example.com' })).pagination.total;
    for (const language of ['ts', 'python', 'php'] as const) {
      const [code] = blocks(guide('clients'), language);
      const { stdout } = await runProgram(folder.path, language, code!, sandbox());
      assert.match(stdout, /^booked [\w-]{36} \d+(?:\.\d+)? USD\n$/);
    }
    assert.equal((await hk.bookings.list({ guest: 'ada@example.com' })).pagination.total, before + 3);
  });

  test('bookings: a guest gets another name, in the same hours', async () => {
    const hk = client();
    const [space] = await hk.spaces.list();
    const date = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10);
    const hours = { date, start_hour: 14, end_hour: 16 };
    const guest = { guest_name: 'Ada Miller', guest_email: 'ada@example.com' };
    const old = await hk.bookings.create({ space_id: space!.id, ...hours, ...guest });
    const [code] = blocks(guide('bookings'), 'ts');
    const { stdout, stderr } = await runProgram(folder.path, 'ts', code!, { ...sandbox(), DATE: date });
    assert.equal(stderr, '');
    const { replaced_by } = await hk.bookings.get(old.id);
    assert.equal(stdout, `${replaced_by} Ada Miller-Smith\n`);
    const { guest_name, guest_email, start_hour, end_hour } = await hk.bookings.get(replaced_by!);
    assert.deepEqual(
      { guest_name, guest_email, date, start_hour, end_hour },
      { guest_name: 'Ada Miller-Smith', guest_email: 'ada@example.com', ...hours },
    );
  });

  test('those in TypeScript satisfy the strict compiler', async () => {
    const codes = ['bookings', 'clients', 'test-your-integration'].flatMap((page) =>
      blocks(guide(page), 'ts'),
    );
    assert.equal(await compile(folder.path, codes), '');
  });

  onOneEngine('accounting', (engine) => {
    const world = useWorld(engine);

    test('the journal balances entry by entry, and month by month with the closing balance', async () => {
      const [code] = blocks(guide('accounting'), 'python');
      const { key } = await playExample(world);
      const settings = { HOURKEEP_URL: world.url, HOURKEEP_API_KEY: key };
      const months = ['2027-03', '2027-04'];
      const { stdout, stderr } = await runProgram(folder.path, 'python', code!, settings, ...months);
      assert.equal(stderr, '');
      const [head, ...rows] = stdout.trim().split('\r\n');
      assert.equal(head, 'month,date,reference,account,debit,credit,currency,text');
      const entries = rows.map((row) => {
        const [month, , reference, account, debit, credit] = row.split(',');
        return { month, reference, account, cents: Math.round((Number(debit) - Number(credit)) * 100) };
      });
      const sumOf = (some: typeof entries) => some.reduce((sum, { cents }) => sum + cents, 0);
      const groups = [...Map.groupBy(entries, ({ reference }) => reference).values()];
      // The paid bookings and those that the host was paid for, the late payment, and the payout.
      assert.equal(groups.length, 5);
      for (const each of groups) assert.equal(sumOf(each), 0);
      const platform = entries.filter(({ account }) => account === 'Platform');
      const closing = table('field').find((row) => row['field'] === 'closing_balance')!;
      for (const [name, until] of [
        ['March', '2027-03'],
        ['April', '2027-04'],
      ] as const)
        assert.equal(
          sumOf(platform.filter(({ month }) => month! <= until)),
          Math.round(Number(closing[name]) * 100),
        );
      const open = await runProgram(folder.path, 'python', code!, settings, '2027-05');
      assert.deepEqual([open.code, open.stderr], [1, '2027-05 is not closed yet\n']);
    });
  });
});
