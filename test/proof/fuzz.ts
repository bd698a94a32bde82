import { parseArgs } from 'node:util';
import { startCluster } from '../support/cluster.ts';
import { say } from './table.ts';

// npm run fuzz: generated traffic on both engines, with a seed that can be given again.
//   node test/proof/fuzz.ts [--requests 50000] [--seed N] [--engine sqlite|postgres]

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    engine: { type: 'string' },
  },
});
const [requests, seed, only] = [Number(options.requests), Number(options.seed), options.engine];

const cluster =
  process.env['TEST_DATABASE_URL'] || only === 'sqlite' ? undefined : await startCluster({ fsync: 'on' });
if (cluster !== undefined) process.env['TEST_DATABASE_URL'] = cluster.url;
const { engines } = await import('../support/engines.ts');
const { fuzz } = await import('../fuzz/fire.ts');

const chosen = engines.filter((engine) => only === undefined || engine.name === only);
say(`fuzz, seed ${seed}, engines: ${chosen.map((engine) => engine.name).join(', ')}`);
if (only !== 'sqlite' && !chosen.some((engine) => engine.name === 'postgres'))
  say('PostgreSQL is NOT TESTED: set TEST_DATABASE_URL or install the server');
let failed = chosen.length === 0;
for (const engine of chosen) {
  const started = performance.now();
  try {
    const answers = await fuzz(engine, seed, requests);
    const seconds = Math.round((performance.now() - started) / 1000);
    const sent = Object.values(answers).reduce((sum, count) => sum + count, 0);
    say(`ok    [${engine.name}] ${sent} requests in ${seconds} s: none failed, none outside the document`);
    say(`      generated: ${JSON.stringify(answers)}`);
  } catch (error) {
    failed = true;
    say(`FAIL  [${engine.name}] ${error instanceof Error ? error.message : String(error)}`);
  }
}
cluster?.stop();
process.exit(failed ? 1 : 0);
