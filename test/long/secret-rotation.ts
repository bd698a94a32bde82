import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import type { DemoFile } from '../../src/demo/demo.ts';
import { readDemo } from '../support/demo.ts';
import { onBothEngines, type TestDatabase } from '../support/engines.ts';
import { typed } from '../support/command-line.ts';
import { makeFolder, startProcess, type Running } from '../support/process.ts';
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { send } from '../support/world.ts';

const OLD = { SECRET_KEY: 'the key that everything begins with' };
const NEW = { SECRET_KEY: 'the key that is to be used from now on' };
const BOTH = { ...NEW, SECRET_KEY_OLD: OLD.SECRET_KEY };

onBothEngines('hourkeep secret rotate, under load', (engine) => {
  const folder = makeFolder();
  let database: TestDatabase;
  let settings: Record<string, string>;
  let receiver: Receiver;
  let service: Running;
  let demo: DemoFile;
  /** By the path of the subscription's URL. */
  const secrets = new Map<string, string>();
  let changes = 0;

  before(async () => {
    database = await engine.createDatabase();
    receiver = await startReceiver();
    settings = { DATABASE_URL: database.url, DATA_DIR: folder.path, RATE_LIMIT_PRODUCTION: '0' };
  });
  after(async () => {
    await service.end();
    await receiver.close();
    await database.drop();
    folder.remove();
  });

  const call = async (method: string, path: string, body: object) => {
    const answer = await send(service.url, method, path, { key: demo.keys.production, body });
    assert.ok(answer.status < 300, answer.text);
    return answer.body.data;
  };
  const subscribe = async (name: string): Promise<void> => {
    const url = `${receiver.url}/${name}`;
    const { webhook } = await call('POST', WEBHOOKS, { url, events: ['listing.updated'] });
    secrets.set(new URL(url).pathname, webhook.secret);
  };
  const changeTitle = async (): Promise<void> => {
    const title = `Title ${++changes}`;
    await call('PATCH', `/api-listing-update/api/v1/spaces/${demo.spaces[0]!.id}`, { title });
  };
  const verify = (received: readonly Received[]): void => {
    for (const { path, text, headers } of received)
      new Verifier(secrets.get(path)!).verify(text, headers as Record<string, string>);
  };

  test('every event arrives, signed with the subscription’s secret', async () => {
    service = await startProcess('serve', { ...settings, ...OLD });
    demo = readDemo(folder.path);
    await subscribe('first');
    await service.end();

    service = await startProcess('serve', { ...settings, ...BOTH });
    const rotated = new AbortController();
    const changing = (async () => {
      while (!rotated.signal.aborted) await changeTitle();
    })();
    await until(() => receiver.received.length > 20);
    await subscribe('second');
    const ended = await typed(['secret', 'rotate', '--json'], { ...settings, ...BOTH });
    assert.deepEqual(ended, { code: 0, stdout: '{\n  "reencrypted": 1\n}\n', stderr: '' });
    await subscribe('third');
    await changeTitle();
    rotated.abort();
    await changing;
    const first = () => receiver.received.filter(({ path }) => path.endsWith('/first'));
    await until(() => new Set(first().map(({ body }) => body.id)).size === changes);
    verify(receiver.received);
  });

  test('afterwards the new key alone is enough, and the old one is refused', async () => {
    await service.end();
    await assert.rejects(
      startProcess('serve', { ...settings, ...OLD }),
      /ended with 1: hourkeep: SECRET_KEY is not the key of this database/,
    );
    service = await startProcess('serve', { ...settings, ...NEW });
    await changeTitle();
    // What the stopped service had left to do arrives as well.
    const latest = () => receiver.received.filter(({ text }) => text.includes(`"title":"Title ${changes}"`));
    await until(() => new Set(latest().map(({ path }) => path)).size === 3);
    verify(latest());
    const again = await typed(['secret', 'rotate'], { ...settings, ...BOTH });
    assert.deepEqual(again, {
      code: 0,
      stdout:
        'Encrypted the secrets of 0 webhooks and calendars anew. Now start every process without SECRET_KEY_OLD.\n',
      stderr: '',
    });
  });
});
