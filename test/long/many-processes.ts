import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DemoFile } from '../../src/demo/demo.ts';
import { readDemo } from '../support/demo.ts';
import { onPostgres, type TestDatabase } from '../support/engines.ts';
import { commandLine } from '../support/command-line.ts';
import { makeFolder, startProcess, type Running, type TestFolder } from '../support/process.ts';
import { send } from '../support/world.ts';

const SPACES = '/api-listings/api/v1/spaces';

onPostgres('three processes on one database', (engine) => {
  let folder: TestFolder;
  let database: TestDatabase;
  let settings: Record<string, string>;
  let processes: Running[];
  let demo: DemoFile;
  before(async () => {
    folder = makeFolder();
    database = await engine.createDatabase();
    settings = { DATA_DIR: folder.path, DATABASE_URL: database.url };
    processes = await Promise.all([1, 2, 3].map(() => startProcess('api', settings)));
    demo = readDemo(folder.path);
  });
  after(async () => {
    await Promise.all(processes.map((running) => running.end()));
    await database.drop();
    folder.remove();
  });
  const { json, says } = commandLine(() => settings);
  const everywhere = (key: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => send(processes[i % 3]!.url, 'GET', SPACES, { key })));

  test('start together, seed once, and all serve', async () => {
    for (const { status } of await everywhere(demo.keys.read_only, 3)) assert.equal(status, 200);
    assert.equal((await json<unknown[]>('host', 'list')).length, 2);
  });

  test('share one limit: of 300 requests at once exactly 100 are admitted', async () => {
    const answers = await everywhere(demo.keys.production, 300);
    assert.equal(answers.filter((answer) => answer.status === 200).length, 100);
    assert.equal(answers.filter((answer) => answer.status === 429).length, 200);
  });

  test('all refuse a key on the next request after it was revoked', async () => {
    const { id, key } = await json('key', 'create', '--host', demo.host.id, '--name', 'Short-lived');
    for (const { status } of await everywhere(key, 3)) assert.equal(status, 200);
    await says('key', 'revoke', id);
    for (const answer of await everywhere(key, 3)) assert.equal(answer.body.error.code, 'API_KEY_REVOKED');
  });
});
