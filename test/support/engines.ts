import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { beginSealing } from '../../src/calendars/urls.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createLogger } from '../../src/log.ts';
import { systemClock } from '../../src/time/clock.ts';
import { createOnNodes } from './citus.ts';
import { query } from './query.ts';
import { lookAtFresh, wipe } from './wiped.ts';

export interface TestDatabase {
  /** As DATABASE_URL takes it. */
  url: string;
  drop(): Promise<void>;
}

export interface Engine {
  name: 'sqlite' | 'postgres';
  /** An empty one, or a copy of the run's template, where it has one: whoever asks for that still migrates. */
  createDatabase(from?: 'template'): Promise<TestDatabase>;
}

const sqlite: Engine = {
  name: 'sqlite',
  async createDatabase(from) {
    const folder = mkdtempSync(join(tmpdir(), 'hourkeep-test-'));
    const file = join(folder, 'test.db');
    const template = process.env['TEST_TEMPLATE_SQLITE'];
    if (from === 'template' && template !== undefined) copyFileSync(template.slice('sqlite:'.length), file);
    return {
      url: `sqlite:${file}`,
      drop: async () => rmSync(folder, { recursive: true }),
    };
  },
};

const serverUrl = process.env['TEST_DATABASE_URL'] ?? '';
/** The server is the coordinator of a Citus cluster: databases are distributed, and the embedded engine is left out. */
const onCitus = (process.env['TEST_CITUS'] ?? '') !== '';

const postgres: Engine = {
  name: 'postgres',
  async createDatabase(from) {
    const name = `hourkeep_test_${randomBytes(6).toString('hex')}`;
    if (onCitus) {
      const database = await createOnNodes(serverUrl, name, Number(process.env['TEST_CITUS']));
      if (from === 'template') await database.distribute();
      return database;
    }
    const template = process.env['TEST_TEMPLATE_POSTGRES'];
    if (from === 'template' && template !== undefined) return copyOf(new URL(template).pathname.slice(1));
    await onServer(`create database ${name}`);
    return {
      url: urlOf(name),
      drop: async () => void (await onServer(`drop database ${name} with (force)`)),
    };
  },
};

/** Copies of the template that are free again. To make one and to drop it takes 190 ms of a core's time; to wipe it takes 30. */
const wiped: TestDatabase[] = [];

async function copyOf(template: string): Promise<TestDatabase> {
  const again = wiped.pop();
  if (again !== undefined) return again;
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  await onServer(`create database ${name} template ${template}`);
  const url = urlOf(name);
  await lookAtFresh(url);
  const copy: TestDatabase = {
    url,
    drop: async () => {
      if (await wipe(url)) wiped.push(copy);
      else await onServer(`drop database ${name} with (force)`);
    },
  };
  return copy;
}

/** Processes keep theirs for the next world, and end with them. */
async function dropCopies(template: TestDatabase): Promise<void> {
  const names = await onServer(
    `select datname as name from pg_database where datname like '${new URL(template.url).pathname.slice(1)}\\_%'`,
  );
  for (const { name } of names) await onServer(`drop database ${name} with (force)`);
  await template.drop();
}

function urlOf(database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

export const engines: readonly Engine[] = onCitus
  ? [postgres]
  : serverUrl === ''
    ? [sqlite]
    : [sqlite, postgres];

/**
 * A database of each engine that is migrated once for all tests of a run; test/run.ts makes them. The processes that it starts
 * find them in the environment. On PostgreSQL a copy took about a third of
 * the time of a new database and its migration.
 */
export async function makeTemplates(): Promise<TestDatabase[]> {
  if (onCitus) return [];
  return Promise.all(
    engines.map(async (engine) => {
      const template = await engine.createDatabase();
      const db = openDatabase(readConfig({ DATABASE_URL: template.url }), createLogger('silent'));
      await migrate(db, systemClock, {
        afterwards: async (tx) => void (await beginSealing(tx, engine.name)),
      });
      await db.close();
      process.env[`TEST_TEMPLATE_${engine.name.toUpperCase()}`] = template.url;
      return engine.name === 'sqlite' ? template : { ...template, drop: () => dropCopies(template) };
    }),
  );
}

/** Every behaviour is told once and holds twice. (npm test says loudly when there is no PostgreSQL.) */
export function onBothEngines(title: string, define: (engine: Engine) => void): void {
  for (const engine of engines) describe(`${title} [${engine.name}]`, () => define(engine));
}

/** For what the engine has no part in: connections, pages, the document. */
export function onOneEngine(title: string, define: (engine: Engine) => void): void {
  describe(title, () => define(engines[0]!));
}

/** For what only many processes on one database can show. */
export function onPostgres(title: string, define: (engine: Engine) => void): void {
  if (engines.includes(postgres)) describe(`${title} [postgres]`, () => define(postgres));
}

function onServer(statement: string): Promise<{ name: string }[]> {
  return query(serverUrl, statement);
}
