import { hash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { read, write, type Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';

/** The operator's key, or outside production one that is made on the first start and kept beside the data. */
export function resolveSecretKey(config: Config): string {
  const { secretKey, production, dataDir } = config;
  if (production && (secretKey === undefined || secretKey.length < MIN_LENGTH)) {
    const problem = secretKey === undefined ? 'must be set' : `must have at least ${MIN_LENGTH} characters`;
    throw new OperatorError(`SECRET_KEY ${problem} in production (for example: openssl rand -hex 32)`);
  }
  return secretKey ?? keptSecretKey(dataDir);
}

const MIN_LENGTH = 16;

/**
 * A database remembers which key its secrets were encrypted with. Starting with another one would make
 * every webhook secret unreadable, so it is refused.
 */
export async function checkFingerprint(tx: Tx, secretKey: string): Promise<void> {
  const fingerprint = hash('sha256', `hourkeep fingerprint ${secretKey}`, 'hex').slice(0, 16);
  await tx.run(insertFingerprint, [fingerprint]);
  const known = await tx.get(selectFingerprint);
  if (known?.value !== fingerprint) {
    throw new OperatorError(
      'SECRET_KEY is not the key this database was set up with; start with the original one',
    );
  }
}

function keptSecretKey(dataDir: string): string {
  const file = join(dataDir, 'secret.key');
  try {
    mkdirSync(dataDir, { recursive: true });
    return readIfThere(file) ?? makeOnce(file);
  } catch (error) {
    throw new OperatorError(`cannot use the data folder ${dataDir}: ${(error as Error).message}`);
  }
}

/** Linking is atomic and refuses an existing name: of processes that start together, one key wins. */
function makeOnce(file: string): string {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file, 'utf8').trim();
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const insertFingerprint = write(`
  insert into settings (name, value) values ('secret_key_fingerprint', $1) on conflict (name) do nothing`);

const selectFingerprint = read<{ value: string }>(`
  select value from settings where name = 'secret_key_fingerprint'`);
