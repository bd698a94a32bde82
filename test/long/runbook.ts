import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { nextJune } from '../support/clock.ts';
import { useServing } from '../support/command-line.ts';
import { onBothEngines, type Engine } from '../support/engines.ts';
import { cleanEnvironment, hourkeep, makeFolder, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { NOBODY } from '../support/world.ts';

// Every line of the runbook in docs/operations.md, typed into a real shell beside a running service. What the third
// column has in backticks must be printed; "…" stands for anything.

const ROOT = join(import.meta.dirname, '../..');
const ROW = /^\| (.+?) +\| `(hourkeep .+?)` +\| (.+?) +\|$/gm;
const RUNBOOK = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
const rows = [...RUNBOOK.matchAll(ROW)]
  .map(([, want = '', line = '', prints = '']) => ({
    want,
    line,
    printed: [...prints.matchAll(/`(.+?)`/g)].map(([, text = '']) => text),
  }))
  .filter(({ line }) => !/^hourkeep (?:serve|api|worker)$/.test(line));

test('the runbook is found', () => {
  assert.ok(rows.length > 40, `${rows.length} lines`);
});

onBothEngines('the runbook', (engine) => {
  const operator = useOperator(engine);

  for (const { want, line, printed } of rows) {
    test(`${want}: ${line}`, async () => {
      await operator.prepareFor(line);
      const { code, output } = await operator.type(line);
      const refused = line.startsWith('hourkeep backup $FILE') && engine.name === 'postgres';
      assert.equal(code, refused ? 1 : 0, output);
      for (const text of printed) if (refused === (text === 'pg_dump')) assert.match(output, pattern(text));
    });
  }
});

test('the line that looks for a request in the journal runs on a real one', async () => {
  const folder = makeFolder();
  const settings = { DATA_DIR: join(folder.path, 'data') };
  const service = await startProcess('serve', settings);
  const twice = await hourkeep(['serve'], settings);
  assert.equal(twice.code, 1);
  await fetch(`${service.url}/healthz`, { headers: { 'x-request-id': 'wanted' } });
  await fetch(`${service.url}/healthz`, { headers: { 'x-request-id': 'another' } });
  const { stdout, stderr } = await service.end();
  // As the journal has them: of systemd, of the service, and of one that did not start.
  const journal = ['Started hourkeep.service - Hourkeep.', stdout.trimEnd(), stderr.trimEnd(), twice.stderr];
  writeFileSync(join(folder.path, 'journal'), journal.join('\n'));
  writeFileSync(join(folder.path, 'journalctl'), '#!/bin/sh\ncat "${0%/*}/journal"\n', { mode: 0o755 });
  const [line = ''] = /^journalctl .*/m.exec(RUNBOOK) ?? [];
  const env = { ...process.env, PATH: `${folder.path}:${process.env['PATH']}`, REQUEST: 'wanted' };
  const printed = await new Promise<string[]>((resolve, reject) => {
    execFile('bash', ['-o', 'pipefail', '-c', line], { env }, (error, out, err) =>
      error === null && err === '' ? resolve(out.trim().split('\n')) : reject(new Error(err)),
    );
  });
  assert.deepEqual(
    printed.map((text) => (JSON.parse(text) as { request_id: string }).request_id),
    ['wanted'],
  );
  folder.remove();
});

function pattern(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('[^]*?'));
}

/** What the lines below read of a command's JSON. */
type Printed = { id: string } & { id: string; event_id: string; attempts: number }[];

/** A service with its demo data and a subscription that nobody hears, and a shell with what the lines name. */
function useOperator(engine: Engine) {
  const serving = useServing(engine);
  const names: Record<string, string> = {
    PATH: `${join(ROOT, 'bin')}:${process.env['PATH']}`,
    DATE: nextJune(1),
    FILE: join(serving.folder.path, 'backup.db'),
    HOSTS_FILE: join(serving.folder.path, 'hosts.json'),
  };
  before(() => {
    const [space, other] = serving.demo.spaces;
    const feed = `/api-ical-feed?space_id=${other!.id}&token=${other!.ical_token}`;
    // Not HOST, which is a setting.
    const ids = { HOST_ID: serving.demo.host.id, SPACE: space!.id };
    Object.assign(names, ids, { CALENDAR_URL: serving.service.url + feed });
  });
  const type = (line: string) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const env = { ...cleanEnvironment(serving.settings), ...names };
      execFile('bash', ['-c', line], { env }, (error, stdout, stderr) => {
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
      });
    });
  const json = async (line: string): Promise<Printed> => {
    const { code, output } = await type(`${line} --json`);
    assert.equal(code, 0, output);
    return JSON.parse(output);
  };

  let days = 1;
  const bookAnother = async (): Promise<void> => {
    const guest = '--guest-name "Ada Miller" --guest-email ada@example.com';
    const line = `hourkeep booking create --space $SPACE --date ${nextJune(++days)} --hours 10-12 ${guest}`;
    names['BOOKING'] = (await json(line)).id;
  };
  const subscribe = async (): Promise<void> => {
    const body = { url: NOBODY, events: ['booking.created'] };
    const answer = await serving.call('POST', WEBHOOKS, { body });
    names['WEBHOOK'] = answer.body.data.webhook.id;
    await bookAnother();
    await until(async () => {
      const [delivery] = await json('hourkeep webhook deliveries $WEBHOOK');
      names['EVENT'] = delivery!.event_id;
      return delivery!.attempts > 0;
    });
  };

  /** What must be there before a line. Names that no earlier line has used up stay. */
  const prepareFor = async (line: string): Promise<void> => {
    if (line.includes('$KEY_ID'))
      names['KEY_ID'] = (await json('hourkeep key create --host $HOST_ID --name Old')).id;
    if (/^hourkeep (?:webhook|event)/.test(line) && names['WEBHOOK'] === undefined) await subscribe();
    if (line.includes('$CALENDAR ') || line.endsWith('$CALENDAR'))
      names['CALENDAR'] ??= (await json('hourkeep calendar list'))[0]!.id;
    if (line.includes('$BOOKING')) await bookAnother();
    if (line.includes('$PAYOUT'))
      names['PAYOUT'] = (await json('hourkeep payout record --host $HOST_ID --amount 20')).id;
    if (line === 'hourkeep secret rotate') {
      names['SECRET_KEY_OLD'] = readFileSync(join(serving.folder.path, 'secret.key'), 'utf8').trim();
      names['SECRET_KEY'] = 'a key that nobody has used before';
    }
    if (!/^hourkeep payment (?:refund|void|list)/.test(line)) return;
    await type('hourkeep payment confirm $BOOKING');
    if (!line.startsWith('hourkeep payment refund')) return;
    await type('hourkeep booking cancel $BOOKING --reason "Closed"');
  };

  return { type, prepareFor };
}
