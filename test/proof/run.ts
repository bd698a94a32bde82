import { startCluster } from '../support/cluster.ts';

// npm run race: many processes' requests at the same moment, on both engines, with a seed that can be given again.
//   node test/proof/run.ts [--seed N] [--requests 2000] [--rivals 500]

const option = (name: string, fallback: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
};
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const cluster = process.env['TEST_DATABASE_URL'] ? undefined : await startCluster({ fsync: 'on' });
if (cluster !== undefined) process.env['TEST_DATABASE_URL'] = cluster.url;
const { engines } = await import('../support/engines.ts');
const { raceAtRandom, raceForOneSlot, seeded } = await import('./race.ts');
const { deploy, wantEvents } = await import('./services.ts');

const seed = option('seed', Date.now() % 1_000_000);
let failures = 0;
const judge = (title: string, facts: object, violations: readonly string[]): void => {
  say(`${violations.length === 0 ? 'ok  ' : 'FAIL'}  ${title}: ${JSON.stringify(facts)}`);
  for (const text of violations.slice(0, 20)) say(`      ${text}`);
  failures += violations.length;
};

say(`race, seed ${seed}, engines: ${engines.map((engine) => engine.name).join(', ')}`);
if (!engines.some(({ name }) => name === 'postgres'))
  say('PostgreSQL is NOT TESTED: set TEST_DATABASE_URL or install the server');
for (const engine of engines) {
  const deployment = await deploy(engine);
  await wantEvents(deployment);
  const rivals = option('rivals', 500);
  const one = await raceForOneSlot(deployment, rivals);
  const wrong =
    one.answers['200'] === 1 && one.answers['409 BOOKING_CONFLICT'] === rivals - 1
      ? []
      : ['not exactly one winner'];
  judge(`[${engine.name}] ${rivals} for one slot`, one.answers, [...wrong, ...one.violations]);
  const requests = option('requests', 2000);
  const many = await raceAtRandom(deployment, requests, seeded(seed));
  judge(`[${engine.name}] ${requests} at random`, many.answers, many.violations);
  await deployment.close();
}
cluster?.stop();
process.exit(failures === 0 ? 0 : 1);
