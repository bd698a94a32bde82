import { misspelt, readConfig, type Config } from '../config.ts';
import type { DemoFile } from '../demo/demo.ts';
import { createLogger } from '../log.ts';
import type { Address, Role, Service } from '../service.ts';
import { systemClock } from '../time/clock.ts';
import { DAY_MS } from '../time/units.ts';
import { command, flag } from './command.ts';
import { note } from './output.ts';

export const serve = command('serve', {
  about: 'run the API and the worker in one process',
  options: { anyway: flag('also an SQLite file that was copied to PostgreSQL') },
  examples: ['PORT=8080 hourkeep serve'],
  start: ({ anyway }) => run(['api', 'worker'], anyway),
});

const alone = (role: Role, what: string, example: string) =>
  command(role, {
    about: `run the ${what} alone (PostgreSQL; start as many as you like)`,
    examples: [example],
    start: () => run([role]),
  });

export const api = alone('api', 'API', 'DATABASE_URL=postgres://… PORT=3001 hourkeep api');
export const worker = alone('worker', 'worker', 'DATABASE_URL=postgres://… hourkeep worker');

async function run(roles: readonly Role[], anyway = false): Promise<void> {
  const config = readConfig({ ...process.env, ...(anyway && { HOURKEEP_ANYWAY: '1' }) });
  const log = createLogger(config.logLevel);
  for (const warning of misspelt(process.env)) log.warn(warning);
  // Loaded here and not above: commands that need no HTTP server start three times as fast without it.
  const { startService } = await import('../service.ts');
  const service = await startService(config, log, roles);
  stopOnSignals(service, log.flush.bind(log));
  // After that: whoever reads this line may send a signal at once.
  const { address } = service;
  const places = address && placesOf(address, config);
  log.info({ ...places, roles, engine: config.database.engine }, 'ready');
  if (address !== undefined && process.stderr.isTTY) welcome(address, config, service.demo);
  setTimeout(
    () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    TIDY_AFTER_MS,
  ).unref();
}

/**
 * When to give back what a start has left behind: 18 of 118 MB, which V8 keeps as long as nothing happens. It takes 0.1 s.
 * bin/hourkeep exposes `gc`.
 */
const TIDY_AFTER_MS = 5000;

/** Nearly every request takes less. systemd and containers kill a process that takes much longer to stop. */
const STOP_WITHIN_MS = 10_000;
const GONE_WITHIN_MS = 500;

function stopOnSignals(service: Service, flush: () => void): void {
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    const late = setTimeout(() => {
      note(`hourkeep: stopped after ${STOP_WITHIN_MS / 1000} s, before everything in flight was finished`);
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
    await service.stop();
    clearTimeout(late);
    flush();
    // Stopped is gone, whatever was forgotten. Until then the log is written.
    setTimeout(() => process.exit(), GONE_WITHIN_MS).unref();
  };
  const stopOrFail = (): void => void stop().catch(() => process.exit(1));
  process.on('SIGTERM', stopOrFail).on('SIGINT', stopOrFail);
}

function placesOf({ bound, url }: Address, config: Config) {
  return {
    url: bound,
    public_url: config.publicUrl === undefined ? undefined : url,
    docs: `${url}/docs`,
    console: config.console ? `${url}/console` : undefined,
  };
}

/** For a person at a terminal. Elsewhere standard error ends up in a log, beside the JSON lines of standard output. */
function welcome(address: Address, config: Config, demo: DemoFile | undefined): void {
  const { url, public_url, docs, console } = placesOf(address, config);
  note(['', `Hourkeep listens on ${url}`]);
  if (public_url !== undefined) note(`Public URL:      ${public_url}`);
  note(`Reference page:  ${docs}`);
  if (console !== undefined) note(`Console:         ${console}`);
  const space = demo?.spaces[0];
  if (demo !== undefined && space !== undefined) {
    const date = new Date(systemClock.now() + 2 * DAY_MS).toISOString().slice(0, 10);
    const curl = `  curl -H "Authorization: Bearer ${demo.keys.production}"`;
    note([
      `Demo key:        ${demo.keys.production}`,
      '',
      'Try it:',
      `${curl} ${address.url}/api-listings/api/v1/spaces`,
      `${curl} "${address.url}/api-availability/api/v1/spaces/${space.id}/availability?date=${date}"`,
    ]);
  }
  note('');
}
