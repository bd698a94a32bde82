import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import * as apiKeys from '../src/api-keys/api-keys.ts';
import { SCOPES } from '../src/ids/scopes.ts';
import type { AnyCode } from '../src/errors.ts';
import { newApiKey } from '../src/ids/api-key.ts';
import type { Contract, Endpoint } from './contract/document.ts';
import { ask, openStage, orphanRows, rowOf, type Input, type Stage } from './contract/rows.ts';
import { refused } from './support/answer.ts';
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

  /** Asks an operation for what the owner may have. */
  async function tell(
    endpoint: Endpoint,
    input: Input,
    key: string | undefined,
    judge: (answer: Answer) => void,
  ) {
    const answer = await ask(world, endpoint, input, { key });
    try {
      judge(answer);
    } catch (error) {
      const { operationId } = endpoint.operation;
      throw new Error(`${operationId}: ${answer.status} ${String(answer.bytes)}`, { cause: error });
    }
  }

  test('every operation has a row, every row an operation, and the document names the same scope', () => {
    assert.deepEqual(orphanRows(contract.endpoints), []);
    for (const endpoint of contract.endpoints) {
      const { scope } = rowOf(endpoint);
      const { operationId, security } = endpoint.operation;
      assert.deepEqual(security, scope === null ? [] : [{ apiKey: [scope] }], operationId);
    }
  });

  test('a key with the one scope that an operation asks for is enough', async () => {
    for (const endpoint of contract.endpoints) {
      const { scope, input } = rowOf(endpoint);
      const key = scope === null ? undefined : (await owner.newKey([scope])).key;
      await tell(endpoint, await input(owner), key, (answer) => assert.ok(answer.status < 300));
    }
  });

  test('a key that is missing, unknown, malformed, revoked, expired or without the scope is refused, by its code', async () => {
    const revoked = await owner.newKey();
    await world.ctx.db.transaction((tx) => apiKeys.revoke(tx, world.clock.now(), revoked.id));
    const expired = await owner.newKey(SCOPES, world.clock.now());
    const WRONG: [key: string | undefined, code: AnyCode][] = [
      [undefined, 'INVALID_API_KEY'],
      [newApiKey('production'), 'INVALID_API_KEY'],
      ['hk_live_nonsense', 'INVALID_API_KEY'],
      [revoked.key, 'API_KEY_REVOKED'],
      [expired.key, 'API_KEY_REVOKED'],
    ];
    for (const endpoint of contract.endpoints) {
      const { scope, input } = rowOf(endpoint);
      const request = await input(owner);
      const lacking = await owner.newKey(SCOPES.filter((each) => each !== scope));
      if (scope !== null)
        await tell(endpoint, request, lacking.key, (answer) =>
          assert.deepEqual(refused(answer, 403, 'INSUFFICIENT_SCOPE').details, { required_scope: scope }),
        );
      // Public operations do not look at keys.
      for (const [key, code] of WRONG)
        await tell(endpoint, request, key, (answer) =>
          scope === null ? assert.equal(answer.status, 200) : refused(answer, 401, code),
        );
    }
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
