import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addHosts, withDatabase } from '../traffic/world.ts';
import { ClientProcess, CLIENTS, missingClients, type Call } from '../conformance/client-process.ts';
import { makeFolder, startProcess } from '../support/process.ts';
import { printTable, say, type Line } from './table.ts';

// npm run callers: a dozen callers of one client, at the limit of its key, must all be served.
//   node test/proof/callers.ts [--seconds 120] [--callers 12] [--limit 100]
// Every client has a key of its own; all ask the same service at the same time, as fast as they are let: a dozen together, again and
// again. PHP does one thing at a time: there the callers take turns.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    callers: { type: 'string', default: '12' },
    limit: { type: 'string', default: '100' },
  },
});
const [seconds, callers] = [Number(options.seconds), Number(options.callers)];
const missing = missingClients();
for (const name of missing) say(`${name} is not installed: its client is NOT TESTED`);
const names = CLIENTS.filter((name) => !missing.includes(name));

const folder = makeFolder();
try {
  const url = `sqlite:${join(folder.path, 'hourkeep.db')}`;
  const hosts = await withDatabase(url, (ctx) => addHosts(ctx, names.length, 1));
  const settings = { DATA_DIR: folder.path, DATABASE_URL: url, RATE_LIMIT_PRODUCTION: options.limit };
  const service = await startProcess('serve', settings);
  say(`${callers} callers of each client for ${seconds} s, ${options.limit} requests a minute for each key`);
  const lines = await Promise.all(names.map((name, i) => served(name, hosts[i]!.key, service.url)));
  await service.end();
  printTable(['client', 'calls', 'thrown', 'refused (429)', 'longest round s'], lines, 1);
  process.exitCode = missing.length === 0 && lines.every(({ violations }) => violations.length === 0) ? 0 : 1;
} finally {
  folder.remove();
}

async function served(title: string, apiKey: string, baseUrl: string): Promise<Line> {
  const client = new ClientProcess(title);
  const options = { apiKey, baseUrl };
  const together = Array.from({ length: callers }, (): Call => ['spaces.list']);
  const thrown: string[] = [];
  let [rounds, longest] = [0, 0];
  for (const begun = performance.now(); performance.now() < begun + seconds * 1000; rounds++) {
    const asked = performance.now();
    for (const { error, mistake } of await client.ask({ options, calls: together }))
      if (error !== undefined || mistake !== undefined) thrown.push(error?.code ?? mistake!);
    longest = Math.max(longest, (performance.now() - asked) / 1000);
  }
  const [seen] = await client.ask({ options, calls: [['seen']] });
  await client.end();
  const refused = (seen!.value as { status: number }[]).filter(({ status }) => status === 429).length;
  const cells = [title, rounds * callers, thrown.length, refused, longest.toFixed(1)].map(String);
  return { title, cells, violations: thrown };
}
