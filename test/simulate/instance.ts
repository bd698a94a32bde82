import { CommanderError, type Command as Program } from 'commander';
import type { Config } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { PHASES, type Phase, type Printed, type Request, type Response } from './operation.ts';
import { keepDatabaseOfCommands } from './kept-database.ts';
import { takeOverNetwork } from './network.ts';
import { machine, takeOverMachine } from './random.ts';
import { FOLDER, SECRET_KEY } from './settings.ts';

// The service in this process, but for its sockets.

takeOverMachine();
takeOverNetwork();
keepDatabaseOfCommands();

// Imported only now: what they import is replaced above.
const { buildApp } = await import('../../src/app.ts');
const { readConfig } = await import('../../src/config.ts');
const { openDatabase } = await import('../../src/db/open.ts');
const { migrate } = await import('../../src/db/migrate.ts');
const { beginSealing } = await import('../../src/calendars/urls.ts');
const { HostFigures } = await import('../../src/host-figures.ts');
const { createLogger } = await import('../../src/log.ts');
const { createGuard } = await import('../../src/outbound/guard.ts');
const { createSecrets } = await import('../../src/secrets/secrets.ts');
const { ensureSecretKey } = await import('../../src/secret-key/secret-key.ts');
const { deliverDue } = await import('../../src/worker/deliver.ts');
const { tasksFor } = await import('../../src/worker/tasks.ts');
const { ApiError, DatabaseAway, OperatorError } = await import('../../src/errors.ts');
const { buildProgram } = await import('../../src/cli/program.ts');

const NEVER = new AbortController().signal;

/** One process of the service, but for its sockets. */
export interface Instance {
  ctx: Context;
  app: Awaited<ReturnType<typeof buildApp>>;
}

export async function open(config: Config): Promise<Instance> {
  const log = createLogger('silent');
  const db = openDatabase(config, log);
  const secrets = createSecrets(() => SECRET_KEY);
  const guard = createGuard(config.webhookAllowCidrs);
  const clock = { now: () => machine.now };
  const ctx: Context = { db, config, clock, log, secrets, guard, figures: new HostFigures() };
  const app = await buildApp(ctx);
  await app.ready();
  return { ctx, app };
}

/** By Fastify's inject: the whole way of a request but its socket, so that nothing depends on when bytes arrive. */
export async function respond(
  { app }: Instance,
  { method, path, headers, body }: Request,
): Promise<Response> {
  const response = await app.inject({
    method: method as 'GET',
    url: path,
    headers: { host: 'hourkeep.test', ...headers },
    ...(body !== null && { payload: body }),
  });
  const shown = Object.entries(response.headers).filter(([name]) => name !== 'date' && name !== 'connection');
  return {
    status: response.statusCode,
    headers: Object.fromEntries(shown.map(([name, value]) => [name, String(value)])),
    body: parsed(response.payload, response.headers['content-type'] ?? ''),
  };
}

/** Everything of this phase that is due, until nothing is. */
export async function work(ctx: Context, phase: Phase): Promise<void> {
  if (phase === 'deliveries') return deliverDue(ctx);
  const isInOrder = (name: string): boolean => PHASES.some((one) => one === name);
  const tasks = tasksFor(ctx.config).filter(({ name }) =>
    phase === 'rest' ? !isInOrder(name) : name === phase,
  );
  for (const task of tasks) while (await task.step(ctx, NEVER, async () => undefined));
}

/** An empty database. */
export async function makeTemplate(url: string): Promise<void> {
  const config = readConfig({ DATABASE_URL: url, DATA_DIR: FOLDER, SECRET_KEY });
  const db = openDatabase(config, createLogger('silent'));
  await migrate(
    db,
    { now: () => machine.now },
    {
      afterwards: async (tx) => {
        await ensureSecretKey(tx, config);
        await beginSealing(tx, config.database.engine);
      },
    },
  );
  await db.close();
}

function parsed(text: string, type: string): unknown {
  if (text === '') return null;
  return type.startsWith('application/json') ? JSON.parse(text) : text;
}

const programs = new Map<string, Promise<Program>>();

/** As typed at a terminal, on the database that the service serves, by a connection of its own. */
export async function runCommand(argv: readonly string[], stdin?: string): Promise<Printed> {
  if (stdin !== undefined) throw new Error('standard input is not simulated');
  const noun = argv[0] ?? '';
  if (!programs.has(noun)) programs.set(noun, buildProgram(noun));
  const program = await programs.get(noun)!;
  const printed: string[] = [];
  const streams = [process.stdout, process.stderr] as const;
  const writers = streams.map((stream) => stream.write);
  process.stdout.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  process.stderr.write = () => true;
  let exit = 0;
  try {
    await program.parseAsync([...argv, '--json'], { from: 'user' });
  } catch (error) {
    const isRefusal = [OperatorError, ApiError, DatabaseAway].some((type) => error instanceof type);
    if (!isRefusal && !(error instanceof CommanderError)) throw error;
    exit = isRefusal ? 1 : 2;
  } finally {
    for (const [i, stream] of streams.entries()) stream.write = writers[i]!;
  }
  const text = printed.join('');
  return { exit, json: text === '' ? null : JSON.parse(text) };
}
