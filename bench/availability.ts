import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoFile } from '../src/demo/demo.ts';
import { LoadClient, sideBySide, Target } from './support/measure.ts';
import { share, type Report } from './support/report.ts';
import { startBare, startService } from './support/servers.ts';
import { availabilityPath } from './support/work.ts';

const CONNECTIONS = 64;
const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 6;

/** The availability read on the embedded engine and its demo data, against a bare route with the same bytes. */
export async function availability(folder: string): Promise<Report> {
  const service = await startService(join(folder, 'availability'));
  const demo = JSON.parse(readFileSync(join(folder, 'availability/demo.json'), 'utf8')) as DemoFile;
  const date = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  const key = demo.keys.production;
  const path = availabilityPath(demo.spaces[0]!.id, date);
  const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const bare = await startBare(join(folder, 'bare-availability'), await answer.text());
  const client = new LoadClient();
  try {
    const ours = new Target(service, { kind: 'fixed', path, key });
    const theirs = new Target(bare, { kind: 'fixed', path: '/x', key });
    for (const target of [theirs, ours]) await target.load(client, CONNECTIONS, WARM_UP_SECONDS);
    const [read, yardstick] = await sideBySide(
      ROUNDS,
      () => ours.load(client, CONNECTIONS, SECONDS),
      () => theirs.load(client, CONNECTIONS, SECONDS),
    );
    return {
      title: `Availability of a day, ${CONNECTIONS} connections`,
      rows: [share('embedded engine', read, 'bare Fastify route, same bytes', yardstick, 0.45)],
    };
  } finally {
    client.stop();
    await Promise.all([service.stop(), bare.stop()]);
  }
}
