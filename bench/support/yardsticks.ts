import { startBare } from './servers.ts';
import { CONNECTIONS, type OnPostgres, type Prepared, type Stage } from './sides.ts';
import { CLIENTS, type Script } from './pgbench.ts';
import { Target } from './measure.ts';
import type { Figures, Side } from './turns.ts';
import { requestText, type Work } from './work.ts';

/** A bare route that answers the same bytes. It has no hours that could be taken, so a crowd is for it as any other. */
export async function bareSide<What extends string>(
  { client, pace }: Stage,
  { start, works }: Prepared<What>,
  folder: string,
): Promise<Side<What>> {
  const whats = Object.keys(works) as What[];
  const body = await answerTo(start, works[whats[0]!]);
  return async () => {
    const bare = await startBare(folder, body);
    try {
      const figures: Partial<Figures<What>> = {};
      const [many, lone] = [CONNECTIONS, 1].map(
        (connections) => async (what: What, seconds: number) =>
          new Target(onBareRoute(works[what])).load(bare, client, connections, seconds),
      );
      await many!(whats[0]!, pace.warmUp);
      for (const what of whats)
        Object.assign(figures, { [what]: await (what === 'lone' ? lone! : many!)(what, pace.seconds) });
      return figures as Figures<What>;
    } finally {
      await bare.stop();
    }
  };
}

function onBareRoute(work: Work): Work {
  if (work.kind === 'paths') return { ...work, paths: work.paths.map(({ key }) => ({ key, path: '/x' })) };
  if (work.kind === 'create') return { ...work, path: '/x' };
  throw new Error(`a bare route has no ${work.kind}`);
}

/** The bytes that the service answers to the first request. */
async function answerTo(start: Prepared<string>['start'], work: Work): Promise<string> {
  const server = await start();
  try {
    const [head = '', body = ''] = requestText(work, 0).split('\r\n\r\n');
    const [method = '', path] = head.split(' ');
    const authorization = /Bearer \S+/.exec(head)?.[0] ?? '';
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: { authorization, ...(body === '' ? {} : { 'content-type': 'application/json' }) },
      ...(body === '' ? {} : { body }),
    });
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${await answer.text()}`);
    return await answer.text();
  } finally {
    await server.stop();
  }
}

/** pgbench sends the same statements, one after the other: with as many clients as the service has connections, or one. */
export function pgbenchSide<What extends string>(
  { pace }: Stage,
  { url, databaseCpu }: OnPostgres<What>,
  scripts: Readonly<Record<What, Script>>,
): Side<What> {
  return async () => {
    const figures: Partial<Figures<What>> = {};
    for (const what of Object.keys(scripts) as What[]) {
      const clients = what === 'lone' ? 1 : CLIENTS;
      Object.assign(figures, { [what]: await scripts[what].run(url, clients, pace.seconds, databaseCpu) });
    }
    return figures as Figures<What>;
  };
}
