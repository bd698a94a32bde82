import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import * as apiKeys from '../src/api-keys/api-keys.ts';
import { SCOPES } from '../src/api-keys/scopes.ts';
import { newApiKey } from '../src/ids/api-key.ts';
import type { Contract, Endpoint } from './contract/document.ts';
import { ask, openStage, orphanRows, rowOf, type Input, type Stage } from './contract/rows.ts';
import { contractOf } from './support/contract.ts';
import { onBothEngines } from './support/engines.ts';
import { belongings } from './support/tables.ts';
import { useWorld, type Answer } from './support/world.ts';

// Every operation of the published document, whoever asks. The rows are in contract/rows.ts; the columns are here.

onBothEngines('who may do what', (engine) => {
  const world = useWorld(engine);
  let contract: Contract;
  let owner: Stage;
  before(async () => {
    contract = await contractOf(world.url);
    owner = await openStage(world, await world.addHost({ name: 'The Owner of It All' }));
  });

  /** Asks every operation for what the owner may have, with a key that `keyFor` finds for it. */
  async function askAll(
    keyFor: (endpoint: Endpoint) => Promise<string | undefined> | string | undefined,
    judge: (answer: Answer, endpoint: Endpoint, input: Input) => void | Promise<void>,
  ): Promise<void> {
    for (const endpoint of contract.endpoints) {
      const input = await rowOf(endpoint).input(owner);
      const key = await keyFor(endpoint);
      const answer = await ask(world, endpoint, input, { key });
      const { operationId } = endpoint.operation;
      try {
        await judge(answer, endpoint, input);
      } catch (error) {
        throw new Error(`${operationId}: ${answer.status} ${String(answer.bytes)}`, { cause: error });
      }
    }
  }

  /** Public operations do not look at keys; behind a key the refusal is told. */
  const refused = (status: number, code: string) => (answer: Answer, endpoint: Endpoint) => {
    if (rowOf(endpoint).scope === null) {
      assert.equal(answer.status, 200);
      return;
    }
    assert.equal(answer.status, status);
    assert.equal(answer.body.error.code, code);
  };

  test('every operation has a row, every row an operation, and the document names the same scope', () => {
    assert.deepEqual(orphanRows(contract.endpoints), []);
    for (const endpoint of contract.endpoints) {
      const { scope } = rowOf(endpoint);
      const { operationId, security } = endpoint.operation;
      assert.deepEqual(security, scope === null ? [] : [{ apiKey: [scope] }], operationId);
    }
  });

  test('a key with the one scope that an operation asks for is enough', async () => {
    await askAll(
      async (endpoint) => {
        const { scope } = rowOf(endpoint);
        return scope === null ? undefined : (await owner.newKey([scope])).key;
      },
      (answer) => assert.ok(answer.status < 300),
    );
  });

  test('without a key every operation behind one is INVALID_API_KEY', async () => {
    await askAll(() => undefined, refused(401, 'INVALID_API_KEY'));
  });

  test('a key that does not exist is INVALID_API_KEY', async () => {
    await askAll(() => newApiKey('production'), refused(401, 'INVALID_API_KEY'));
  });

  test('a key that is malformed is INVALID_API_KEY', async () => {
    await askAll(() => 'hk_live_nonsense', refused(401, 'INVALID_API_KEY'));
  });

  test('a revoked key is API_KEY_REVOKED', async () => {
    const { id, key } = await owner.newKey();
    await world.ctx.db.transaction((tx) => apiKeys.revoke(tx, world.clock.now(), id));
    await askAll(() => key, refused(401, 'API_KEY_REVOKED'));
  });

  test('an expired key is API_KEY_REVOKED', async () => {
    const { key } = await owner.newKey(SCOPES, world.clock.now());
    await askAll(() => key, refused(401, 'API_KEY_REVOKED'));
  });

  test('a key with every scope but the one that is needed is INSUFFICIENT_SCOPE', async () => {
    await askAll(
      async (endpoint) => {
        const { scope } = rowOf(endpoint);
        return (await owner.newKey(SCOPES.filter((each) => each !== scope))).key;
      },
      (answer, endpoint) => {
        const { scope } = rowOf(endpoint);
        refused(403, 'INSUFFICIENT_SCOPE')(answer, endpoint);
        if (scope !== null) assert.deepEqual(answer.body.error.details, { required_scope: scope });
      },
    );
  });

  test('a key of another host finds nothing, learns nothing and changes nothing', async () => {
    await asStranger(await openStage(world, await world.addHost()));
  });

  test('the same host’s key of the other environment finds nothing, learns nothing and changes nothing', async () => {
    await asStranger(await openStage(world, owner.hostId, 'sandbox'));
  });

  test('a calendar token opens the calendar of its own space and no other', async () => {
    const other = await openStage(world, await world.addHost());
    const feed = contract.endpoints.find(({ operation }) => operation.operationId === 'getIcalFeed')!;
    for (const token of [other.icalToken, owner.spaceId, '00000000-0000-0000-0000-000000000000', '']) {
      const answer = await ask(world, feed, { query: { space_id: owner.spaceId, token } });
      assert.equal(answer.status, 401);
      assert.equal(answer.body.error.code, 'INVALID_TOKEN');
    }
  });

  async function asStranger(stranger: Stage): Promise<void> {
    const { key } = await stranger.newKey();
    for (const endpoint of contract.endpoints) {
      const row = rowOf(endpoint);
      const { operationId } = endpoint.operation;
      const input = await row.input(owner);
      const before = await ownersThings();
      const answer = await ask(world, endpoint, input, { key });
      assert.equal(answer.status, row.stranger, `${operationId}: ${String(answer.bytes)}`);
      if (answer.status === 404) assert.equal(answer.body.error.code, 'NOT_FOUND');
      assert.equal(await ownersThings(), before, `${operationId} changed what belongs to somebody else`);
      if (row.scope !== null) assertNothingOf(owner, answer, operationId);
    }
  }

  async function ownersThings(): Promise<string> {
    return belongings(world, owner.hostId, owner.environment);
  }

  function assertNothingOf(stage: Stage, answer: Answer, operationId: string): void {
    const text = String(answer.bytes);
    for (const secret of [...stage.ids, 'The Owner of It All', 'Ada Miller']) {
      assert.ok(!text.includes(secret), `${operationId} tells a stranger of ${secret}`);
    }
  }
});
