import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { engines } from '../support/engines.ts';
import { useWorld } from '../support/world.ts';

// Clients that others' generators make of the published document: test/clients is what a developer writes with them.
// It is a package of its own because the generators need a TypeScript that still has a compiler API; the code is
// compiled by the TypeScript of the project.

const ROOT = join(import.meta.dirname, '../..');
const CLIENTS = join(ROOT, 'test/clients');
const GENERATED = join(CLIENTS, 'generated');
const DOCUMENT = join(GENERATED, 'openapi.json');

describe('a client that is generated from the document', () => {
  const world = useWorld(engines[0]!);
  let hostId: string;
  before(async () => {
    mkdirSync(GENERATED, { recursive: true });
    writeFileSync(DOCUMENT, (await world.call('GET', '/api-openapi')).bytes);
    hostId = await world.addHost();
    await generator('openapi-typescript', [DOCUMENT, '--output', join(GENERATED, 'openapi-typescript.ts')]);
    await generator('oazapfts', [DOCUMENT, join(GENERATED, 'oazapfts.ts')]);
  });
  after(() => rmSync(GENERATED, { recursive: true }));

  test('compiles strictly, and asks for nothing that may be left out', async () => {
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', CLIENTS]);
  });

  for (const client of ['openapi-fetch', 'oazapfts']) {
    test(`books, reads and is refused, by ${client}`, async () => {
      const { key: KEY } = await world.addKey(hostId);
      const env = { ...process.env, KEY, SPACE: await world.addSpace(hostId), URL: world.url };
      const { stdout } = await run(process.execPath, [join(CLIENTS, `${client}.ts`)], { env });
      assert.deepEqual(JSON.parse(stdout), {
        status: 'confirmed',
        mode: 'host_settled',
        reason: 'booked',
        refused: 'BOOKING_CONFLICT',
      });
    });
  }
});

const run = promisify(execFile);

/** A command of one of the generators, wherever npm has put it. */
async function generator(name: string, args: readonly string[]): Promise<void> {
  const workspace = ['exec', '--workspace', 'hourkeep-generated-clients', '--no', '--', name];
  await run('npm', [...workspace, ...args], { cwd: ROOT });
}
