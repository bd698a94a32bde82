import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOnNodes } from '../support/citus.ts';
import { stopNode } from './away.ts';
import { findCitus } from './cluster.ts';
import { measureCreates } from './creates.ts';
import { distributeFilled } from './filled.ts';
import { grow } from './grow.ts';
import { measureRequests } from './requests.ts';
import { planAll, seenIn } from './plans.ts';

// npm run citus [-- filled tests plans race crash away grow requests creates]: the service on a database that Citus distributes by host.
//   filled   a filled database has the same rows when it is distributed
//   tests    the behaviour of the test suite, with the shards on the coordinator
//   plans    every statement that those tests' requests have sent is planned onto one shard
//   race           as npm run race, shorter, with the shards on all nodes
//   away     one of two nodes is stopped: requests of its hosts get 503, all others go on (on servers of our own)
//   grow     a node is added, and shards move to it, while bookings are made (on servers of our own)
//   requests what requests cost the database beside PostgreSQL, and which statements are planned from the fast path
//   creates  creates per second with 1, 2, … nodes
// Citus is the coordinator that CITUS_URL names (a superuser's address), or is started here on three loopback ports
// where it is installed beside PostgreSQL.

const PARTS = ['filled', 'tests', 'plans', 'race', 'away', 'grow', 'requests', 'creates'];
const asked = process.argv.slice(2);
const parts = asked.length === 0 ? PARTS : asked;

/** Test files that are about something else than what the service does. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'src/bookings/plans.test.ts': 'looks at plans of PostgreSQL itself',
  'test/money-plans.test.ts': 'looks at plans of PostgreSQL itself',
  'src/db/schema.test.ts': 'Citus has tables and views of its own',
};

/** Tests, by their names, that do not apply: about plans of PostgreSQL itself, SQLite itself, overload, a trigger. */
const NOT_HERE = [
  'query plans of the gauges',
  'get the plan for any values',
  'start no other processes',
  'reads no farther than leases last',
  'has the rows that the code declares',
  'keeps the database locked',
  'a migration breaks on SQLite',
  'fit into a database of today',
  'more is asked at once',
  'none has committed before both',
].join('|');

const cluster = await findCitus();
if (cluster === undefined) {
  const line = '!'.repeat(100);
  process.stderr.write(
    `${line}\nNo Citus: set CITUS_URL to a superuser's address of a coordinator.\n` +
      `Everything that needs it is NOT TESTED in this run.\n${line}\n`,
  );
  process.exit(0);
}
const { url, nodes } = cluster;
const isOurs = cluster.servers.length > 0;
const say = (text: string): boolean => process.stdout.write(`${text}\n`);
let failures = 0;
const judge = (what: string, trouble: readonly string[]): void => {
  say(`${trouble.length === 0 ? 'ok  ' : 'FAIL'}  ${what}`);
  for (const text of trouble) say(`      ${text}`);
  failures += trouble.length;
};
/** Runs a script of the project with databases on so many nodes. */
const script = (what: string, args: readonly string[], onNodes: number, more: object = {}): void => {
  const env = { ...process.env, TEST_DATABASE_URL: url, TEST_CITUS: String(onNodes), ...more };
  const { status } = spawnSync(process.execPath, args, { env, stdio: 'inherit' });
  judge(what, status === 0 ? [] : [`ended with ${status}`]);
};

const seen = mkdtempSync(join(tmpdir(), 'hourkeep-statements-'));
try {
  if (parts.includes('filled')) judge('a filled database is distributed', await distributeFilled(cluster));
  if (parts.includes('tests') || parts.includes('plans')) {
    const files = globSync(['test/*.test.ts', 'src/**/*.test.ts']).filter((file) => !(file in LEFT_OUT));
    script(`the tests of ${files.length} files`, ['test/run.ts', ...files], 1, {
      STATEMENTS_SEEN: seen,
      TEST_SKIP: NOT_HERE,
    });
  }
  if (parts.includes('plans')) await judgePlans();
  if (parts.includes('race'))
    script('race', ['test/proof/race.ts', '--rivals', '100', '--requests', '500'], nodes);
  if (parts.includes('away') && isOurs)
    judge('a node that is away stops only requests of its own hosts', await stopNode(cluster));
  if (parts.includes('grow') && isOurs) {
    const { told, trouble } = await grow(cluster);
    judge(`a node is added: ${told}`, trouble);
  }
  if (parts.includes('requests')) for (const line of await measureRequests(cluster)) say(line);
  if (parts.includes('creates')) {
    say(
      `creates, one API process; all nodes share this machine's cores, so more of them make nothing faster here`,
    );
    for (const line of await measureCreates(cluster)) say(line);
  }
} finally {
  rmSync(seen, { recursive: true });
  cluster.stop();
}
process.exit(failures === 0 ? 0 : 1);

async function judgePlans(): Promise<void> {
  const ofRequests = seenIn(seen);
  const name = `hourkeep_plans_${randomBytes(6).toString('hex')}`;
  const database = await createOnNodes(url, name, nodes, 32);
  await database.distribute();
  const plans = await planAll(database.url);
  await database.drop();
  const refused = plans.filter(({ trouble }) => trouble?.startsWith('refused'));
  judge(`${plans.length} statements, none refused`, refused.map(describe));
  const sent = plans.filter(({ text }) => ofRequests.has(text));
  const spread = sent.filter(({ trouble }) => trouble !== undefined);
  judge(`${sent.length} statements of requests, each on one shard`, spread.map(describe));
  if (sent.length < 40) judge('requests have sent most of their statements', [`only ${sent.length}`]);
  const others = plans.filter((plan) => !sent.includes(plan) && plan.trouble !== undefined);
  say(`      over all shards, of workers and commands: ${others.length}`);
}

function describe({
  file,
  text,
  trouble,
}: {
  file: string;
  text: string;
  trouble: string | undefined;
}): string {
  return `${file}: ${trouble}: ${text.replaceAll(/\s+/g, ' ').slice(0, 150)}`;
}
