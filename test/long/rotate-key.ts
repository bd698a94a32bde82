import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { TestClock } from '../support/clock.ts';
import { onBothEngines } from '../support/engines.ts';
import { operator } from '../support/operator.ts';
import { receiverFor, type Received } from '../support/receiver.ts';
import { aSubscriber, WEBHOOKS } from '../support/webhooks.ts';
import { startWorld, type World } from '../support/world.ts';
import type { Context } from '../../src/context.ts';
import { newId } from '../../src/ids/uuid.ts';
import { ensureSecretKey } from '../../src/secret-key/secret-key.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { deliverDue } from '../../src/worker/deliver.ts';
import { rotateKey } from '../../src/secret-key/rotate-key.ts';

const OLD = 'the key of these tests so far';
const NEW = 'the key of these tests from now on';
const THIRD = 'a key that has nothing to do with it';

onBothEngines('the secret key', (engine) => {
  // A database that was set up with the old key; its service has that. The verifier compares with the machine's clock.
  let world: World;
  beforeEach(async () => {
    world = await startWorld(engine, {}, new TestClock(new Date().toISOString()));
    await start(OLD);
    Object.assign(world.ctx, processWith(OLD));
  });
  afterEach(() => world.close());

  /** What a process has that is started with these keys. */
  const processWith = (secretKey: string, secretKeyOld?: string): Context => ({
    ...world.ctx,
    config: { ...world.ctx.config, secretKey, secretKeyOld },
    secrets: createSecrets(() => secretKey, secretKeyOld),
  });
  /** As far as its start looks at the key. */
  const start = (secretKey: string, secretKeyOld?: string) =>
    world.ctx.db.migration((tx) => ensureSecretKey(tx, processWith(secretKey, secretKeyOld).config));
  const refusal = {
    message: 'SECRET_KEY is not the key of this database; start with the one it has now',
  };
  const sealed = () =>
    world.rows<{ secret: string; old_secrets: string }>('select secret, old_secrets from webhooks');

  test('of a database can be changed: old and new are taken until everything is encrypted anew', async () => {
    await assert.rejects(start(NEW), refusal);
    await assert.rejects(start(NEW, THIRD), refusal);
    await start(NEW, OLD);
    await Promise.all([start(OLD), start(NEW), start(NEW, OLD), start(OLD, NEW)]);
    await assert.rejects(start(THIRD), refusal);
    await assert.rejects(start(THIRD, OLD), {
      message:
        'this database is being changed to yet another SECRET_KEY; finish that with "hourkeep secret rotate", then change to this one',
    });
    assert.equal(await rotateKey(processWith(NEW, OLD), operator), 0);
    await start(NEW);
    await start(NEW, OLD);
    await assert.rejects(start(OLD), refusal);
  });

  test('can be changed back before everything is encrypted anew', async () => {
    await start(NEW, OLD);
    const host = await aSubscriber(world);
    Object.assign(world.ctx, processWith(NEW, OLD));
    await host.subscribe({ url: 'http://127.0.0.1:9/' });
    assert.equal(await rotateKey(processWith(OLD, NEW), operator), 1);
    await start(OLD);
    await assert.rejects(start(NEW), refusal);
  });

  test('is changed in every secret, page by page, those that sign along too', async () => {
    const host = await aSubscriber(world);
    const receiver = await receiverFor();
    const first = await host.subscribe(receiver);
    const { secret } = await host.patch(first.id, { rotate_secret: true });
    const others = Array.from({ length: 250 }, () => newId());
    const values = others.map(
      (id) => `('${host.hostId}', '${id}', 'sandbox', 'http://127.0.0.1:9/', 'booking.created', 1,
        '${world.ctx.secrets.seal(id, `whsec_${id}`)}', '[]', 1, 1)`,
    );
    await world.write(`
      insert into webhooks (host_id, id, environment, url, events, is_active, secret, old_secrets, created_at, updated_at)
      values ${values.join()}`);
    await host.emit();

    const seen: number[] = [];
    const both = processWith(NEW, OLD);
    assert.equal(await rotateKey(both, operator, (done) => void seen.push(done)), 251);
    assert.deepEqual(seen.slice(0, 3), [100, 200, 251]);
    assert.equal(await rotateKey(both, operator), 0);

    const onlyNew = processWith(NEW);
    const stored = await world.rows<{ id: string; secret: string }>(
      `select id, secret from webhooks where environment = 'sandbox'`,
    );
    for (const row of stored) assert.equal(onlyNew.secrets.open(row.id, row.secret), `whsec_${row.id}`);
    await deliverDue(onlyNew);
    const [received] = receiver.received;
    for (const each of [first.secret, secret!]) verify(each, received!);

    const trail = await world.rows(
      `select actor_id, host_id, environment, subject from audit where action = 'secret.rotated'`,
    );
    const host_id = '00000000-0000-0000-0000-000000000000';
    assert.deepEqual(trail, [{ actor_id: 'tester', host_id, environment: null, subject: 'SECRET_KEY' }]);
  });

  test('that a process lacks lets deliveries wait, uncounted, until it is started with it', async () => {
    const host = await aSubscriber(world);
    const receiver = await receiverFor();
    const { id, secret } = await host.subscribe(receiver);
    await rotateKey(processWith(NEW, OLD), operator);
    await host.emit();
    // Longer than all retries of a delivery and the five days of an endpoint.
    for (let day = 0; day < 8; day++) {
      await deliverDue(world.ctx);
      world.clock.advance({ hours: 24 });
    }
    assert.equal(receiver.received.length, 0);
    assert.match(world.logText(), /webhook secrets are encrypted with a key that this process does not have/);
    const { is_active, recent_deliveries } = await host.show(id);
    const [delivery] = recent_deliveries;
    assert.equal(is_active, true);
    assert.deepEqual(
      [delivery!.status, delivery!.attempts, delivery!.error, delivery!.last_attempt_at],
      ['pending', 0, null, null],
    );
    world.clock.set(new Date().toISOString());
    await world.write('update deliveries set due_at = 0');
    await deliverDue(processWith(NEW));
    assert.equal(receiver.received.length, 1);
    verify(secret, receiver.received[0]!);
  });

  test('that a process lacks is not replaced by its old one: new secrets are 503, and nothing is stored', async () => {
    const host = await aSubscriber(world);
    const { id } = await host.subscribe({ url: 'http://127.0.0.1:9/' });
    await rotateKey(processWith(NEW, OLD), operator);
    const before = await sealed();
    const { key } = host;
    for (const [method, path, body] of [
      ['POST', WEBHOOKS, { url: 'http://127.0.0.1:9/', events: ['booking.created'] }],
      ['PATCH', `${WEBHOOKS}/${id}`, { rotate_secret: true }],
    ] as const) {
      const answer = await world.call(method, path, { key, body });
      assert.deepEqual([answer.status, answer.body.error?.code], [503, 'SERVICE_UNAVAILABLE']);
    }
    assert.deepEqual(await sealed(), before);
    // What needs no key goes on.
    assert.equal((await host.patch(id, { description: 'mine' })).description, 'mine');
    Object.assign(world.ctx, processWith(NEW));
    await host.subscribe({ url: 'http://127.0.0.1:9/' });
  });

  test('is changed in what a process with the old one stores meanwhile, or that is refused', async () => {
    const host = await aSubscriber(world);
    const body = { url: 'http://127.0.0.1:9/', events: ['booking.created'] };
    const [, ...answers] = await Promise.all([
      rotateKey(processWith(NEW, OLD), operator),
      ...Array.from({ length: 20 }, () => world.call('POST', WEBHOOKS, { key: host.key, body })),
    ]);
    const stored = await world.rows<{ id: string; secret: string }>('select id, secret from webhooks');
    assert.equal(stored.length, answers.filter(({ status }) => status === 201).length);
    assert.equal(answers.filter(({ status }) => status === 503).length, 20 - stored.length);
    const { secrets } = processWith(NEW);
    for (const { id, secret } of stored) assert.ok(secrets.open(id, secret) !== undefined);
  });

  test('is not changed without the one so far, and nothing is touched', async () => {
    const host = await aSubscriber(world);
    const { id } = await host.subscribe({ url: 'http://127.0.0.1:9/' });
    const before = await sealed();
    const rotate = (key: string, old?: string) => rotateKey(processWith(key, old), operator);
    await assert.rejects(rotate(NEW), {
      message:
        'SECRET_KEY_OLD must be set to the key that the database has had so far, and SECRET_KEY to the new one',
    });
    await assert.rejects(rotate(OLD, OLD), /^OperatorError: SECRET_KEY and SECRET_KEY_OLD are the same/);
    await assert.rejects(rotate(NEW, THIRD), refusal);
    // The database's own, but not the one that this secret was made with.
    await start(NEW, OLD);
    await assert.rejects(rotate(NEW, THIRD), {
      message: `the secret of webhook ${id} opens with neither key; give the key it was made with as SECRET_KEY_OLD and run this again`,
    });
    assert.deepEqual(await sealed(), before);
    await start(OLD);
  });
});

function verify(secret: string, { text, headers }: Received): void {
  new Verifier(secret).verify(text, headers as Record<string, string>);
}
