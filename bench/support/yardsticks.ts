import type { Bench, Place } from './bench.ts';
import { loadsOf, type Case } from './compare.ts';
import type { Figure } from './measure.ts';
import { CLIENTS, type Script } from './pgbench.ts';
import { startBare, withServer, type Server } from './servers.ts';
import { loadedSide, type Side } from './turns.ts';
import { requestText, type Work } from './work.ts';

/** A bare route that answers the same bytes. It has no hours that could be taken, so a crowd is for it as any other. */
export async function bareSide(
  bench: Bench,
  { folder }: Place,
  cases: readonly Case[],
  start: () => Promise<Server>,
): Promise<Side> {
  const body = await withServer(start, (server) => answerTo(server, cases[0]!.work));
  const bareCases = cases.map((each) => ({ ...each, work: { ...each.work, path: '/x' } }));
  return loadedSide(bench.client, () => startBare(folder, body), loadsOf(bench, bareCases));
}

/** The bytes that the service answers to the first request. */
async function answerTo({ port }: Server, work: Work): Promise<string> {
  const [head = '', body = ''] = requestText(work, 0).split('\r\n\r\n');
  const [method = '', path] = head.split(' ');
  const authorization = /Bearer \S+/.exec(head)?.[0] ?? '';
  const sent = body === '' ? {} : { body };
  const headers = { authorization, ...(body === '' ? {} : { 'content-type': 'application/json' }) };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...sent });
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${await answer.text()}`);
  return answer.text();
}

/** pgbench sends the same statements, one after the other: with as many clients as the service has connections, or one. */
export function pgbenchSide(
  { pace }: Bench,
  { url, databaseCpu }: Place,
  cases: readonly Case[],
  scripts: readonly Script[],
): Side {
  return async () => {
    const figures: Record<string, Figure> = {};
    for (const [i, { what, isLone }] of cases.entries())
      figures[what] = await scripts[i]!.run(url, isLone ? 1 : CLIENTS, pace.seconds, databaseCpu);
    return figures;
  };
}
