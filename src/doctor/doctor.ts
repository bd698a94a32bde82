import { type Config, describeDatabase, readConfig } from '../config.ts';
import type { Db } from '../db/database.ts';
import { openDatabase } from '../db/open.ts';
import { refuseCopied } from '../db/sqlite/file.ts';
import { startError } from '../db/postgres/errors.ts';
import { createLogger } from '../log.ts';
import { checks, checkDisk, checkFile, checkSettings, type Finding } from './checks.ts';
import { systemClock } from '../time/clock.ts';

export interface Check extends Finding {
  check: string;
}

const ORDER = [
  'settings',
  'database',
  'schema',
  'clock',
  'disk',
  'secret',
  'worker',
  'backlog',
  'calendars',
  'backup',
] as const;

type Findings = Partial<Record<(typeof ORDER)[number], Finding>>;

/** Looks at everything that the service needs. Creates and changes nothing, and answers whatever is wrong. */
export async function examine(environment: NodeJS.ProcessEnv, now = systemClock.now): Promise<Check[]> {
  const findings: Findings = {};
  let unknown = 'the settings must be put right first';
  try {
    const config = readConfig(environment);
    findings.settings = await Promise.try(checkSettings, config, environment).catch(fail);
    findings.disk = await Promise.try(checkDisk, config).catch(fail);
    unknown = 'the database must be put right first';
    Object.assign(findings, await examineDatabase(config, now));
  } catch (error) {
    findings.settings = fail(error);
  }
  return ORDER.map((check) => ({
    check,
    ...(findings[check] ?? { status: 'warn', message: `not checked: ${unknown}` }),
  }));
}

async function examineDatabase(config: Config, now: () => number): Promise<Findings> {
  let db: Db | undefined;
  try {
    checkFile(config);
    db = openDatabase(config, createLogger('silent'));
    await db.check();
  } catch (error) {
    await db?.close();
    return {
      database: fail(config.database.engine === 'postgres' ? startError(error, config.database.url) : error),
    };
  }
  const findings: Findings = {
    database: { status: 'ok', message: `${ENGINES[db.engine]} at ${describeDatabase(config)}` },
  };
  const patient = { db, config, now };
  for (const [name, check] of Object.entries(checks)) {
    const finding = await check(patient).catch(fail);
    findings[name as keyof typeof checks] = finding;
    // Without the tables the others would only tell that they are missing.
    if (name === 'schema' && finding.status === 'fail') break;
  }
  if (config.database.engine === 'sqlite')
    await refuseCopied(db, config.database).catch((error: unknown) => (findings.database = fail(error)));
  await db.close();
  return findings;
}

const ENGINES = { sqlite: 'SQLite file', postgres: 'PostgreSQL' };

function fail(error: unknown): Finding {
  return { status: 'fail', message: error instanceof Error ? error.message : String(error) };
}
