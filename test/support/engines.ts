import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { Client } from 'pg';
import { createOnNodes } from './citus.ts';

export interface TestDatabase {
  /** As DATABASE_URL takes it. */
  url: string;
  /** Where the server is a Citus cluster: migrates the database and distributes it. */
  distribute?(): Promise<void>;
  drop(): Promise<void>;
}

export interface Engine {
  name: 'sqlite' | 'postgres';
  createDatabase(): Promise<TestDatabase>;
}

const sqlite: Engine = {
  name: 'sqlite',
  async createDatabase() {
    const folder = mkdtempSync(join(tmpdir(), 'hourkeep-test-'));
    return {
      url: `sqlite:${join(folder, 'test.db')}`,
      drop: async () => rmSync(folder, { recursive: true }),
    };
  },
};

const serverUrl = process.env['TEST_DATABASE_URL'] ?? '';
/** The server is the coordinator of a Citus cluster: databases are distributed, and the embedded engine is left out. */
const onCitus = (process.env['TEST_CITUS'] ?? '') !== '';

const postgres: Engine = {
  name: 'postgres',
  async createDatabase() {
    const name = `hourkeep_test_${randomBytes(6).toString('hex')}`;
    if (onCitus) return createOnNodes(serverUrl, name, Number(process.env['TEST_CITUS']));
    await onServer(`create database ${name}`);
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
