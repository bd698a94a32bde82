import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { Client } from 'pg';
import { readConfig } from '../../src/config.ts';
import { beginSealing } from '../../src/calendars/urls.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createLogger } from '../../src/log.ts';
import { systemClock } from '../../src/time/clock.ts';
import { createOnNodes } from './citus.ts';

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
    const copied = from === 'template' && template !== undefined;
    await onServer(
      `create database ${name}${copied ? ` template ${new URL(template).pathname.slice(1)}` : ''}`,
    );
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    return {
      url: url.href,
      drop: () => onServer(`drop database ${name} with (force)`),
    };
  },
};

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
      return template;
    }),
  );
}

/** Every behaviour is told once and holds twice. (npm test says loudly when there is no PostgreSQL.) */
export function onBothEngines(title: string, define: (engine: Engine) => void): void {
  for (const engine of engines) describe(`${title} [${engine.name}]`, () => define(engine));
}

/** For what only many processes on one database can show. */
export function onPostgres(title: string, define: (engine: Engine) => void): void {
  if (engines.includes(postgres)) describe(`${title} [postgres]`, () => define(postgres));
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
