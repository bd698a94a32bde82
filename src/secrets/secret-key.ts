import { hash, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, MIN_SECRET_KEY_LENGTH } from '../config.ts';
import { createDataFolder } from '../data-folder.ts';
import { read, write, type Sql, type Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';

/** In production the operator chooses the key: one that stands beside the data would be lost or stolen with it. */
export function demandSecretKey({ production, secretKey }: Config): void {
  if (production && secretKey === undefined)
    throw new OperatorError('SECRET_KEY must be set in production (for example: openssl rand -hex 32)');
}

/**
 * The key of this database: SECRET_KEY, or else what stands in DATA_DIR/secret.key. The first start on a new database
 * creates that file. A database remembers a fingerprint of its key, and another key is refused: it could not decrypt
 * the webhook secrets. Nothing is written to the folder before that has been checked.
 *
 * Needs the migration's transaction: processes that start together must agree on one key.
 */
export async function settleSecretKey(tx: Tx, config: Config): Promise<string> {
  const known = (await tx.get(selectFingerprint))?.value;
  const key =
    config.secretKey ?? readKeyFile(config) ?? (known === undefined ? createKeyFile(config) : undefined);
  if (key === undefined) throw noKeyFile(config);
  if (known === undefined) await tx.run(insertFingerprint, [fingerprint(key)]);
  else if (known !== fingerprint(key)) throw wrongKey(config);
  return key;
}

function fingerprint(key: string): string {
  return hash('sha256', `hourkeep fingerprint ${key}`, 'hex').slice(0, 16);
}

/** For commands, which never create a key. */
export function findSecretKey(config: Config): string {
  const key = config.secretKey ?? readKeyFile(config);
  if (key === undefined) throw noKeyFile(config);
  return key;
}

/** Throws where the key is missing or is not this database's. False: the database has none yet. */
export async function checkSecretKey(db: Sql, config: Config): Promise<boolean> {
  const known = (await db.get(selectFingerprint))?.value;
  if (known === undefined) return false;
  if (known !== fingerprint(findSecretKey(config))) throw wrongKey(config);
  return true;
}

function readKeyFile(config: Config): string | undefined {
  const file = keyFile(config);
  let key: string;
  try {
    key = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new OperatorError(`cannot read the secret key: ${(error as Error).message}`);
  }
  if (key.length >= MIN_SECRET_KEY_LENGTH) return key;
  throw new OperatorError(
    `${file} must hold a key of at least ${MIN_SECRET_KEY_LENGTH} characters and has ${key.length}; ` +
      'put the original back, or for a new database delete the file',
  );
}

/**
 * Written under another name first: no crash leaves half a key. Linking refuses a name that exists, so of services that
 * share the folder and start together one writes the key and the others read it.
 */
function createKeyFile(config: Config): string | undefined {
  const draft = `${keyFile(config)}.${process.pid}`;
  createDataFolder(config.dataDir);
  try {
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
    try {
      linkSync(draft, keyFile(config));
    } finally {
      unlinkSync(draft);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new OperatorError(`cannot write the secret key: ${(error as Error).message}`);
  }
  return readKeyFile(config);
}

function keyFile({ dataDir }: Config): string {
  return join(dataDir, 'secret.key');
}

function noKeyFile(config: Config): OperatorError {
  return new OperatorError(
    `${keyFile(config)} is missing, and the database was set up with a key; put the file back, or set SECRET_KEY`,
  );
}

function wrongKey(config: Config): OperatorError {
  const what = config.secretKey === undefined ? keyFile(config) : 'SECRET_KEY';
  return new OperatorError(
    `${what} is not the key this database was set up with; start with the original one`,
  );
}

const selectFingerprint = read<{ value: string }>(`
  select value from settings where name = 'secret_key_fingerprint'`);

const insertFingerprint = write(`
  insert into settings (name, value) values ('secret_key_fingerprint', $1)`);
