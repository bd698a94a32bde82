import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addHosts, withDatabase } from '../traffic/world.ts';
import { ClientProcess, CLIENTS, missingClients, type Served } from '../conformance/client-process.ts';
import { makeFolder, startProcess } from '../support/process.ts';
import { printTable, say, type Line } from './table.ts';

// npm run callers: a dozen callers of one client, at the limit of its key, must all be served.
//   node test/proof/callers.ts [--seconds 120] [--callers 12] [--limit 100]
// Every client has a key of its own; all ask the same service at the same time, as fast as they are let. PHP does one thing at a time:
// there the callers take turns. Each client counts what it threw, and the answers that it was told of.

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
  printTable(['client', 'calls', 'thrown', 'refused (429)', 'longest wait s'], lines, 1);
  process.exitCode = missing.length === 0 && lines.every(({ violations }) => violations.length === 0) ? 0 : 1;
} finally {
  folder.remove();
}

async function served(title: string, apiKey: string, baseUrl: string): Promise<Line> {
  const client = new ClientProcess(title);
  const connected = { apiKey, baseUrl };
  const { calls, thrown, longest } = (await client.ask({
    options: connected,
    calls: [['spaces.list']],
    callers,
    seconds,
  })) as Served;
  const [seen] = (await client.ask({ options: connected, calls: [['seen']] })) as [
    { value: { status: number }[] },
  ];
  await client.end();
  const refused = seen.value.filter(({ status }) => status === 429).length;
  const cells = [title, calls, thrown.length, refused, longest.toFixed(1)].map(String);
  return { title, cells, violations: thrown };
}
