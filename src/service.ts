import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { buildApp } from './app.ts';
import { baseUrl, type Config } from './config.ts';
import * as bookings from './bookings/by-clock.ts';
import { beginSealing } from './calendars/urls.ts';
import type { Context } from './context.ts';
import type { Tx } from './db/database.ts';
import { migrate, SchemaWatch } from './db/migrate.ts';
import { openDatabase } from './db/open.ts';
import { refuseCopied, lockForServing } from './db/sqlite/file.ts';
import * as demo from './demo/demo.ts';
import { clockTrouble } from './doctor/clock.ts';
import { OperatorError } from './errors.ts';
import { keepFigures } from './figures/figures.ts';
import { HostFigures } from './host-figures.ts';
import { addGauges } from './gauges.ts';
import type { App } from './http/server.ts';
import { serveMetrics } from './metrics.ts';
import { createGuard } from './outbound/guard.ts';
import { demandSecretKey, ensureSecretKey } from './secret-key/secret-key.ts';
import { createSecrets } from './secrets/secrets.ts';
import { systemClock } from './time/clock.ts';
import { startDeliveries } from './worker/deliver.ts';
import { tasksFor } from './worker/tasks.ts';
import { startWorker } from './worker/worker.ts';

export type Role = 'api' | 'worker';

export interface Address {
  /** What the process really listens on. */
  readonly bound: string;
  /** What clients put in front of every path: PUBLIC_URL where it is set. */
  readonly url: string;
}

export interface Service {
  /** Where the API is; undefined for a worker alone. */
  readonly address: Address | undefined;
  readonly demo: demo.DemoFile | undefined;
  /** Finishes what is in flight, then closes everything. */
  stop(): Promise<void>;
}

/** Starts the service. When a step fails, what was opened before is closed again. */
export async function startService(config: Config, log: Logger, roles: readonly Role[]): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  demandSecretKey(config);
  const guard = createGuard(config.webhookAllowCidrs);
  if (config.database.engine === 'sqlite') opened.defer(takeServeLock(config.database.file, roles));
  const db = openDatabase(config, log);
  opened.defer(() => db.close());
  let secretKey = '';
  const secrets = createSecrets(() => secretKey, config.secretKeyOld);
  const ctx: Context = { db, config, clock: systemClock, log, secrets, guard, figures: new HostFigures() };
  await prepare(ctx, (key) => {
    secretKey = key;
  });

  const clockWrong = await clockTrouble(db, ctx.clock.now);
  if (clockWrong !== undefined) log.warn(clockWrong);

  const figures = keepFigures(ctx);
  opened.defer(() => figures.stop());
  // Stopped at the same time: otherwise the API would go on taking requests while the last deliveries end.
  let app: App | undefined;
  const workers: { stop(): Promise<void> }[] = [];
  opened.defer(async () => {
    await Promise.all([app && close(app), ...workers.map((worker) => worker.stop())]);
  });
  const schema = new SchemaWatch(db, (reason) => {
    log.error(`${reason}: requests are rejected and the worker stops; start that version`);
    for (const worker of workers) void worker.stop();
  });
  opened.defer(() => schema.stop());
  let ready = false;
  let address: Address | undefined;
  let demoFile: demo.DemoFile | undefined;
  if (roles.includes('api')) {
    app = await buildApp(ctx, schema, () => ready);
    const { host, port } = await listen(app, config);
    const url = baseUrl(config, port);
    const ownUrl = baseUrl({ ...config, publicUrl: undefined }, port);
    address = { bound: `http://${host}:${port}${config.basePath}`, url };
    if (config.production && config.publicUrl === undefined)
      log.warn({ url }, 'PUBLIC_URL is not set: calendar URLs and the API document contain this URL');
    // Before the worker looks for calendars that are due.
    demoFile = await demo.announce(ctx, url, roles.includes('worker') ? ownUrl : undefined);
  }
  // After the API: where both settings have the same port, the message names METRICS_PORT.
  opened.defer(await startMetrics(ctx));
  if (roles.includes('worker')) {
    await bookings.logOverdue(ctx);
    workers.push(startWorker(ctx, tasksFor(config)));
    if (config.deliveries) workers.push(startDeliveries(ctx));
  }
  if (!config.deliveries)
    log.warn('DELIVERIES=off: no webhook is sent and no calendar is read; what is due waits');
  schema.start();
  ready = true;
  const service = opened.move();
  return {
    address,
    demo: demoFile,
    stop: async () => {
      log.info('stopping: finishing what is in flight');
      await service.disposeAsync();
      log.info('stopped');
    },
  };
}

/** Schema, secret key and, outside production, demo data: all under the migration lock. */
async function prepare(ctx: Context, onSecretKey: (key: string) => void): Promise<void> {
  const { database } = ctx.config;
  const afterwards = async (tx: Tx): Promise<void> => {
    if (database.engine === 'sqlite') await refuseCopied(tx, database);
    onSecretKey(await ensureSecretKey(tx, ctx.config));
    await beginSealing(tx, database.engine);
    if (!ctx.config.production) await demo.seedIfEmpty(ctx, tx);
  };
  const onWait = (why: string): void => ctx.log.warn(why);
  const { applied } = await migrate(ctx.db, ctx.clock, { afterwards, onWait });
  for (const { name, oldest } of applied) ctx.log.info({ migration: name, oldest }, 'migrated');
}

function takeServeLock(file: string, roles: readonly Role[]): () => void {
  if (roles.length === 1) {
    throw new OperatorError(
      `"hourkeep ${roles[0]}" runs beside other processes and needs PostgreSQL; for an SQLite file use "hourkeep serve"`,
    );
  }
  return lockForServing(file).release;
}

/** Answers with what was bound: a name has become an address, and where the setting is 0 the system has chosen a port. */
async function listen(app: App, config: Config): Promise<{ host: string; port: number }> {
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    throw listenError(error, `${config.host}:${config.port}`, 'PORT');
  }
  const { address, family, port } = app.server.address() as AddressInfo;
  return { host: family === 'IPv6' ? `[${address}]` : address, port };
}

/** Longer than the proxy of deploy/nginx keeps an idle connection. */
const IDLE_KEPT_MS = 6000;

/**
 * Answers what is in flight, and what is on its way: a request that a proxy has just sent on an idle connection would be lost if
 * the connection were closed, and a POST is not sent again. So no new connections are taken, every answer closes its own,
 * and idle ones are left for the proxy to close. Answers that had begun to be sent when stopping began cannot say so: their
 * connections are closed at the end, as soon as they are idle.
 */
async function close(app: App): Promise<void> {
  app.stopping = true;
  // Just after Node has taken the connections that wait: those that it has not taken are reset.
  await setImmediate();
  const allClosed = once(app.server, 'close');
  // Not the server's own close, which closes idle connections too.
  NetServer.prototype.close.call(app.server);
  await Promise.race([allClosed, setTimeout(IDLE_KEPT_MS, undefined, { ref: false })]);
  const sweep = setInterval(() => app.server.closeIdleConnections(), 20);
  await app.close();
  clearInterval(sweep);
}

/** Where the default port is taken, the service runs without metrics. Where a chosen one is, it does not start. */
async function startMetrics(ctx: Context): Promise<() => void> {
  const { host, port, chosen } = ctx.config.metrics;
  if (port === 0) return () => undefined;
  let server: Server;
  try {
    server = await serveMetrics({ host, port }, (registry) => addGauges(ctx, registry));
  } catch (error) {
    if (chosen) throw listenError(error, `${host}:${port}`, 'METRICS_PORT');
    ctx.log.warn({ port, error }, 'metrics are off: their default port cannot be had; set METRICS_PORT');
    return () => undefined;
  }
  return () => server.close();
}

function listenError(error: unknown, address: string, setting: string): Error {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE')
    return new OperatorError(`${address} is already in use; choose another ${setting}`);
  if (code === 'EACCES')
    return new OperatorError(`no permission to listen on ${address}; choose another ${setting}`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new OperatorError(`cannot listen on ${address}: this machine has no such address`);
  return error as Error;
}
