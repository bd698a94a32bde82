import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { onOneEngine } from '../support/engines.ts';
import { makeFolder } from '../support/process.ts';
import { LOCALHOST_CERTIFICATES } from '../support/tls.ts';
import { useWorld } from '../support/world.ts';
import { openBench, type Bench, type Case } from './bench.ts';
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

/** By case, the clients that hold it. */
const held = new Map<string, Set<string>>();

/** Most cases wait. Those of a lane follow one another, with a client and a host of their own; the lanes run side by side. */
const LANES: readonly Case[][] = [
  [...CALLS, ...WEBHOOKS],
  ...[0, 1, 2].map((lane) => NETWORK.filter((_, position) => position % 3 === lane)),
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
            bench.close();
            await driver.end();
          });
          for (const each of cases)
            test(each.title, async () => {
              bench.proxy.play();
              await each.run(bench);
              note(each.title, name);
            });
        });
  });
  after(() => printTable(LANES.flat()));
});

function note(title: string, client: string): void {
  held.set(title, (held.get(title) ?? new Set()).add(client));
}

function printTable(cases: readonly Case[]): void {
  const rows = cases.map(({ title }) => {
    const by = held.get(title);
    return `${CLIENTS.map((client) => (by?.has(client) === true ? 'ok' : 'NO').padEnd(client.length + 2)).join('')}${title}`;
  });
  const count = cases.reduce((sum, { title }) => sum + (held.get(title)?.size ?? 0), 0);
  const sum = `${cases.length} cases × ${CLIENTS.length} clients: ${count} of ${cases.length * CLIENTS.length} hold`;
  process.stdout.write(`${CLIENTS.map((client) => `${client}  `).join('')}\n${rows.join('\n')}\n${sum}\n`);
}
