import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exitOnSignals, findBinaries, freePort, signalAll, unprivilegedUser } from './cluster.ts';
import { accepts } from './listening.ts';
import { movableClock, type MovableClock } from './movable-clock.ts';
import { onConnection } from './query.ts';
import { until } from './until.ts';

/** Two PostgreSQL servers of our own: a primary, and a standby without which nothing is committed. They change roles. */
export interface Pair {
  /** Both of them, as DATABASE_URL takes it. */
  url: string;
  primary: PairServer;
  standby: PairServer;
  /** The standby becomes the primary, and what was the primary is the standby to come. */
  promote(): Promise<void>;
  /** A new standby from a copy of the primary, in place of what was there; resolves when commits wait for it. */
  rebuildStandby(): Promise<void>;
  /** For good: the data goes too. */
  stop(): void;
}

export interface PairServer {
  url: string;
  port: number;
  /** Every process of it, as when the machine loses its power. */
  kill(): void;
  freeze(): void;
  thaw(): void;
  start(): Promise<void>;
  /** Moves its clock, where there is a C compiler. */
  stepClock?: MovableClock['step'] | undefined;
}

/** Its lock file would outlive a kill. */
const NO_SOCKET = { unix_socket_directories: "''" };

/** Undefined where PostgreSQL's programs are missing. */
export async function startPair(settings: Record<string, string> = {}): Promise<Pair | undefined> {
  const bin = findBinaries();
  if (bin === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-pair-'));
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const run = async (command: string, args: string[], clock?: MovableClock): Promise<void> => {
    const env = { ...process.env, ...clock?.variables };
    await promisify(execFile)(join(bin, command), args, { ...user, env, cwd: folder });
  };
  const options = {
    fsync: 'off',
    max_connections: '100',
    listen_addresses: '127.0.0.1',
    ...NO_SOCKET,
    ...settings,
  };
  const flags = Object.entries(options).map(([name, value]) => `-c ${name}=${value}`);

  const serverIn = async (name: string): Promise<PairServer & { data: string }> => {
    const data = join(folder, name);
    const port = await freePort();
    const clock = movableClock(`${data}.clock`);
    const start = ['-D', data, '-w', '-l', `${data}.log`, '-o', `-p ${port} ${flags.join(' ')}`];
    return {
      data,
      port,
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      kill: () => killNow(data),
      stepClock: clock?.step,
      freeze: () => signalAll(data, 'SIGSTOP'),
      thaw: () => signalAll(data, 'SIGCONT'),
      start: async () => {
        await run('pg_ctl', [...start, 'start'], clock).catch((error: unknown) => {
          throw new Error(readFileSync(`${data}.log`, 'utf8').slice(-2000), { cause: error });
        });
      },
    };
  };
  const both = [await serverIn('one'), await serverIn('two')] as const;
  let [primary, standby] = both;
  const stop = (): void => {
    process.off('exit', stop);
    for (const { data } of both) killNow(data);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', stop);
  exitOnSignals();
  const locale = ['-E', 'UTF8', '--locale=C.UTF-8'];
  await run('initdb', ['-D', primary.data, '-U', 'postgres', '-A', 'trust', ...locale, '--no-sync']);
  await primary.start();

  const pair: Pair = {
    url: `postgres://postgres@127.0.0.1:${both[0].port},127.0.0.1:${both[1].port}/postgres`,
    get primary() {
      return primary;
    },
    get standby() {
      return standby;
    },
    promote: async () => {
      await run('pg_ctl', ['-D', standby.data, '-w', 'promote']);
      [primary, standby] = [standby, primary];
    },
    rebuildStandby: async () => {
      killNow(standby.data);
      // Processes end a moment after their kill.
      await until(async () => !(await accepts(standby.port)));
      rmSync(standby.data, { recursive: true, force: true });
      const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'];
      await run('pg_basebackup', ['-D', standby.data, '-R', '-c', 'fast', '--no-sync', ...from]);
      await standby.start();
      await demandStandby(primary.url);
    },
    stop,
  };
  await pair.rebuildStandby();
  return pair;
}

/** Whatever runs there: a server that is frozen, or an old primary that goes on. */
function killNow(data: string): void {
  try {
    signalAll(data, 'SIGKILL');
    // A killed process is there until its parent has noticed, and a server does not start while this names one.
    rmSync(join(data, 'postmaster.pid'));
  } catch {
    // Nothing does.
  }
}

/** Only now, after the copy: a standby that was promoted has none of its own to wait for. */
async function demandStandby(url: string): Promise<void> {
  await onConnection(url, async (client) => {
    const streams = async (state: string): Promise<boolean> => {
      const { rowCount } = await client.query(`select 1 from pg_stat_replication where ${state}`);
      return rowCount === 1;
    };
    await until(() => streams("state = 'streaming'"));
    await client.query("alter system set synchronous_standby_names = '*'");
    await client.query('select pg_reload_conf()');
    await until(() => streams("sync_state = 'sync'"));
  });
}
