import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { onOneEngine } from '../support/engines.ts';
import { makeFolder } from '../support/process.ts';
import { LOCALHOST_CERTIFICATES } from '../support/tls.ts';
import { useWorld } from '../support/world.ts';
import { openBench, type Bench } from './bench.ts';
import { CALLS } from './calls.ts';
import { ClientProcess, CLIENTS, missingClients } from './client-process.ts';
import { NETWORK } from './network.ts';
import { WEBHOOKS } from './webhooks.ts';

// One table of cases for all our clients: client/, clients/python and clients/php, each driven by a small program. On one engine:
// clients speak HTTP and cannot know which stands behind it.

const missing = missingClients();
if (missing.length > 0) {
  const line = '!'.repeat(100);
  process.stderr.write(
    `${line}\nNot installed: ${missing.join(', ')} (Debian: apt-get install python3 php-cli).\n` +
      `Their clients are NOT TESTED in this run.\n${line}\n`,
  );
}
test('every client’s language is there to be tested, in CI', () => {
  if (process.env['CI'] === 'true') assert.deepEqual(missing, []);
});

const folder = makeFolder();
writeFileSync(join(folder.path, 'trusted.pem'), LOCALHOST_CERTIFICATES[0].cert);
after(() => folder.remove());

/** Most cases wait. Those of a lane follow one another, with a client and a host of their own; the lanes run side by side. */
const waiting = Object.entries(NETWORK);
const LANES = [
  Object.entries({ ...CALLS, ...WEBHOOKS }),
  ...[0, 1, 2].map((lane) => waiting.filter((_, position) => position % 3 === lane)),
];

onOneEngine('the clients and the service', (engine) => {
  const world = useWorld(engine);
  describe('side by side', { concurrency: LANES.length * CLIENTS.length }, () => {
    for (const name of CLIENTS.filter((client) => !missing.includes(client)))
      for (const [lane, cases] of LANES.entries())
        describe(`${name}, ${lane + 1}`, { concurrency: 1 }, () => {
          let driver: ClientProcess;
          let bench: Bench;
          before(async () => {
            driver = new ClientProcess(name, join(folder.path, 'trusted.pem'));
            bench = await openBench(driver, world);
          });
          after(async () => {
            await bench.close();
            await driver.end();
          });
          for (const [title, run] of cases)
            test(`${title}: ${name}`, async () => {
              bench.proxy.play();
              await run(bench);
            });
        });
  });
});
