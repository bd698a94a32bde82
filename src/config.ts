import { resolve } from 'node:path';
import { placeOf, serverUrls, sslTrouble } from './postgres-url.ts';
import { OperatorError } from './errors.ts';
import { MAX_AMOUNT_MINOR } from './money/currency.ts';
import { nearest } from './nearest.ts';

export interface EmbeddedDatabase {
  readonly engine: 'sqlite';
  readonly file: string;
  /** Serve it, and write to it, even if it was copied. */
  readonly anyway?: boolean;
}

export interface PostgresDatabase {
  readonly engine: 'postgres';
  readonly url: string;
  readonly pooler: Pooler | undefined;
  /** Past the pooler. */
  readonly directUrl: string | undefined;
}

/**
 * What stands between us and the server. In session mode it keeps one connection to the server for each of ours. In
 * transaction mode each transaction gets any of its connections: nothing may be left behind on one of them, and LISTEN
 * must go past the pooler.
 */
export type Pooler = 'session' | 'transaction';

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Reads all settings. A bad value throws one line that names its setting. docs/settings.md says what each is for. */
export function readConfig(environment: Environment) {
  const env = new Reader(environment);
  const production = env.text('NODE_ENV') === 'production';
  const dataDir = resolve(env.text('DATA_DIR') ?? 'data');
  return {
    production,
    host: env.text('HOST') ?? '127.0.0.1',
    port: env.integer('PORT', 3000, 0, 65_535),
    /** The address for clients, without a slash at its end; undefined: the one where the service listens. */
    publicUrl: env.url('PUBLIC_URL'),
    /** Stands in front of every path. */
    basePath: env.basePath('BASE_PATH'),
    dataDir,
    database: env.database('DATABASE_URL', dataDir),
    databasePoolSize: env.integer('DATABASE_POOL_SIZE', 8, 1, 1000),
    secretKey: env.secretKey('SECRET_KEY'),
    /** The key before this one: opens what it has encrypted, until everything is encrypted anew. */
    secretKeyOld: env.secretKey('SECRET_KEY_OLD'),
    /** Requests per minute for a key of each environment; 0 is no limit. */
    rateLimits: {
      production: env.integer('RATE_LIMIT_PRODUCTION', 100, 0, MAX_RATE_LIMIT),
      sandbox: env.integer('RATE_LIMIT_SANDBOX', 20, 0, MAX_RATE_LIMIT),
    },
    guestVelocity: {
      max: env.integer('GUEST_VELOCITY_MAX', 10, 1, 1_000_000),
      windowMinutes: env.integer('GUEST_VELOCITY_WINDOW_MINUTES', 60, 1, 525_600),
    },
    /** After so long a booking is cancelled that the guest should have paid to the platform; 0: never. */
    unpaidCancelMinutes: env.integer('UNPAID_CANCEL_MINUTES', 0, 0, 43_200),
    bookingMaxValue: env.integer('BOOKING_MAX_VALUE', 1_000_000, 0, MAX_AMOUNT_MINOR),
    webhookAllowCidrs: env.cidrs('WEBHOOK_ALLOW_CIDRS', production ? [] : ['127.0.0.0/8', '::1/128']),
    eventRetentionDays: env.integer('EVENT_RETENTION_DAYS', 30, 2, 3650),
    auditRetentionDays: env.integer('AUDIT_RETENTION_DAYS', 400, 1, 36_500),
    calendarPollMinutes: env.integer('CALENDAR_POLL_MINUTES', 15, 1, 1440),
    /** Whether webhooks are sent and calendars read: off for a restored copy. */
    deliveries: env.oneOf('DELIVERIES', ['on', 'off'], 'on') === 'on',
    console: env.oneOf('CONSOLE', ['on', 'off'], 'on') === 'on',
    mcp: env.oneOf('MCP', ['on', 'off'], 'on') === 'on',
    metrics: {
      host: env.text('METRICS_HOST') ?? '127.0.0.1',
      /** 0: none. */
      port: env.integer('METRICS_PORT', 9464, 0, 65_535),
      /** Set by the operator, who then wants to know when it cannot be had. */
      chosen: env.text('METRICS_PORT') !== undefined || env.text('METRICS_HOST') !== undefined,
    },
    logLevel: env.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
}

/** The names that `readConfig` looks for. */
export function knownSettings(): string[] {
  const asked = new Set<string>();
  readConfig(new Proxy<Environment>({}, { get: (_, name) => void asked.add(String(name)) }));
  return [...asked];
}

/** A long name can be misspelt in two letters; a short one would then often be another program's. */
const mostDiffering = ({ length }: string): number => (length >= 8 ? 2 : length > 3 ? 1 : 0);

/** What is set and is no setting, but nearly the name of one. */
export function misspelt(environment: Environment): string[] {
  const known = knownSettings();
  return Object.keys(environment)
    .filter((name) => !known.includes(name) && environment[name]?.trim() !== '')
    .flatMap((name) => {
      const meant = nearest(name, known, mostDiffering);
      return meant === undefined ? [] : `${name} is not a setting; did you mean ${meant}?`;
    });
}

export const MIN_SECRET_KEY_LENGTH = 16;
/** An admission costs the same up to here. */
const MAX_RATE_LIMIT = 10_000;

class Reader {
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** An empty value counts as unset. */
  text(name: string): string | undefined {
    const value = this.#env[name]?.trim();
    return value === '' ? undefined : value;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) throw bad(name, text, `a whole number from ${min} to ${max}`);
    return value;
  }

  oneOf(name: string, allowed: readonly string[], fallback: string): string {
    const value = this.text(name) ?? fallback;
    if (!allowed.includes(value)) throw bad(name, value, `one of ${allowed.join(', ')}`);
    return value;
  }

  url(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
      throw bad(name, text, 'an http or https address such as https://api.example.com');
    }
    return text.replace(/\/+$/, '');
  }

  /** Without `.` and `..`: clients resolve them before they send a request, so such a path would never match. */
  basePath(name: string): '' | `/${string}` {
    const text = this.text(name) ?? '';
    const path = text.replace(/\/+$/, '');
    const dots = path.split('/').some((part) => part === '.' || part === '..');
    if (dots || (path !== '' && !/^(?:\/[A-Za-z0-9._~-]+)+$/.test(path)))
      throw bad(name, text, 'a path such as /hourkeep');
    return path as '' | `/${string}`;
  }

  /** Messages never show the value. */
  secretKey(name: string): string | undefined {
    const key = this.text(name);
    if (key === undefined || key.length >= MIN_SECRET_KEY_LENGTH) return key;
    throw new OperatorError(
      `${name} must have at least ${MIN_SECRET_KEY_LENGTH} characters (for example: openssl rand -hex 32)`,
    );
  }

  database(name: string, dataDir: string): EmbeddedDatabase | PostgresDatabase {
    const text = this.text(name);
    if (text !== undefined && isPostgres(text)) {
      refuseBadSsl(name, text);
      return { engine: 'postgres', url: text, ...this.pooler() };
    }
    for (const other of ['DATABASE_POOLER', 'DATABASE_DIRECT_URL']) {
      if (this.text(other) === undefined) continue;
      throw new OperatorError(`${other} is for PostgreSQL: ${name} must be ${POSTGRES_ADDRESS} with it`);
    }
    const anyway = this.oneOf('HOURKEEP_ANYWAY', ['0', '1'], '0') === '1';
    if (text === undefined) return { engine: 'sqlite', file: resolve(dataDir, 'hourkeep.db'), anyway };
    const file = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(text)?.[1];
    if (file !== undefined) return { engine: 'sqlite', file: resolve(file), anyway };
    // Without the value: it may hold a password.
    throw new OperatorError(
      `${name} must be sqlite:<path> or ${POSTGRES_ADDRESS} (several servers: @one:5432,two:5432/)`,
    );
  }

  pooler(): Pick<PostgresDatabase, 'pooler' | 'directUrl'> {
    const pooler = this.text('DATABASE_POOLER');
    const directUrl = this.text('DATABASE_DIRECT_URL');
    if (pooler !== undefined && pooler !== 'session' && pooler !== 'transaction')
      throw bad('DATABASE_POOLER', pooler, 'session or transaction');
    if (directUrl === undefined ? pooler === 'transaction' : !isPostgres(directUrl)) {
      const why = directUrl === undefined ? ' with DATABASE_POOLER=transaction' : '';
      throw new OperatorError(
        `DATABASE_DIRECT_URL must be ${POSTGRES_ADDRESS}${why}: the server itself, past the pooler`,
      );
    }
    if (directUrl !== undefined) refuseBadSsl('DATABASE_DIRECT_URL', directUrl);
    return { pooler, directUrl };
  }

  cidrs(name: string, fallback: string[]): string[] {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const list = text.split(',').map((item) => item.trim());
    const wrong = list.find((item) => !/^[0-9a-fA-F.:]+\/\d{1,3}$/.test(item));
    if (wrong !== undefined) throw bad(name, wrong, 'a list of address ranges such as 10.0.0.0/8,::1/128');
    return list;
  }
}

const POSTGRES_ADDRESS = 'postgres://user:password@host:port/database';

function isPostgres(text: string): boolean {
  return serverUrls(text) !== undefined;
}

function refuseBadSsl(name: string, url: string): void {
  const trouble = sslTrouble(url);
  if (trouble !== undefined) throw new OperatorError(`${name}: ${trouble}`);
}

function bad(name: string, value: string, wanted: string): OperatorError {
  return new OperatorError(`${name} must be ${wanted}, not "${value}"`);
}

/** What clients put in front of every path. PUBLIC_URL may be written with BASE_PATH at its end or without. */
export function baseUrl(config: Config, listeningPort = config.port): string {
  const host = config.host.includes(':')
    ? `[${config.host}]`
    : config.host.replace(/^0\.0\.0\.0$/, '127.0.0.1');
  const url = config.publicUrl ?? `http://${host}:${listeningPort}`;
  return new URL(url).pathname.endsWith(config.basePath) ? url : url + config.basePath;
}

/** The database's place, for messages: without user and password. */
export function describeDatabase({ database }: Config): string {
  if (database.engine === 'sqlite') return database.file;
  const place = placeOf(database.url);
  return `postgres://${place.hosts}/${place.database}`;
}
