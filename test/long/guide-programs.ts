import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Hourkeep } from '../../client/src/index.ts';
import type { DemoFile } from '../../src/demo/demo.ts';
import { compile, installClients, runProgram, type Language } from '../support/installed-clients.ts';
import { makeFolder, startProcess, type Running } from '../support/process.ts';

// The programs in the guides, run as they stand against a service with demo data. The mirror has its own test, since that
// kills things; so has the page to book on, which needs a browser.

const guide = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../../docs/guides/${name}.md`), 'utf8');

function blocks(text: string, language: Language): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code!);
}

describe('the programs of the guides', () => {
  const folder = makeFolder();
  let service: Running;
  let demo: DemoFile;
  before(async () => {
    service = await startProcess('serve', { DATA_DIR: folder.path, RATE_LIMIT_SANDBOX: '0' });
    demo = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')) as DemoFile;
    installClients(folder.path);
  });
  after(async () => {
    await service.end();
    folder.remove();
  });
  const sandbox = () => ({ URL: service.url, KEY: demo.keys.sandbox });

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
    const hk = new Hourkeep({ apiKey: demo.keys.sandbox, baseUrl: service.url });
    const before = (await hk.bookings.list({ guest: 'ada@example.com' })).pagination.total;
    for (const language of ['ts', 'python', 'php'] as const) {
      const [code] = blocks(guide('clients'), language);
      const { stdout } = await runProgram(folder.path, language, code!, sandbox());
      assert.match(stdout, /^booked [\w-]{36} \d+(?:\.\d+)? USD\n$/);
    }
    assert.equal((await hk.bookings.list({ guest: 'ada@example.com' })).pagination.total, before + 3);
  });

  test('those in TypeScript satisfy the strict compiler', async () => {
    const codes = ['clients', 'test-your-integration', 'accounting'].flatMap((page) =>
      blocks(guide(page), 'ts'),
    );
    assert.equal(await compile(folder.path, codes), '');
  });

  test('accounting: the journal balances, booking by booking, and month by month with the report', async () => {
    const [code] = blocks(guide('accounting'), 'ts');
    const settings = { URL: service.url, KEY: demo.keys.production };
    const { stdout, stderr } = await runProgram(folder.path, 'ts', code!, settings);
    assert.equal(stderr, '');
    const [head, ...rows] = stdout.trim().split('\n');
    assert.equal(head, 'date,reference,account,debit,credit,currency,text');
    const entries = rows.map((row) => {
      const [date, reference, account, debit, credit] = row.split(',');
      const cents = Math.round((Number(debit) - Number(credit)) * 100);
      return { month: date!.slice(0, 7), reference, account: account!, cents };
    });
    for (const each of Map.groupBy(entries, ({ reference }) => reference).values())
      assert.equal(
        each.reduce((sum, { cents }) => sum + cents, 0),
        0,
      );
    assert.deepEqual([...new Set(entries.map(({ account }) => account))].sort(), [
      'Commission',
      'Guests',
      'Platform',
      'Revenue',
    ]);
    const hk = new Hourkeep({ apiKey: demo.keys.production, baseUrl: service.url });
    const months = Map.groupBy(
      entries.filter(({ account }) => account === 'Platform'),
      ({ month }) => month,
    );
    assert.ok(months.size >= 2);
    for (const [month, each] of months) {
      const { status, totals } = await hk.settlement.report(month);
      assert.equal(status, 'closed');
      assert.equal(
        each.reduce((sum, { cents }) => sum + cents, 0),
        Math.round(totals.balance * 100),
      );
    }
  });
});
