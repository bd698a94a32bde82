import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, MIN_SECRET_KEY_LENGTH } from '../config.ts';
import { createDataFolder } from '../data-folder.ts';
import { read, write, type Sql, type Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { fileProblem } from '../file-problem.ts';
import { fingerprint, keyOf } from '../secrets/secrets.ts';

/** In production the operator chooses the key: one that stands beside the data would be lost or stolen with it. */
export function demandSecretKey({ production, secretKey }: Config): void {
  if (production && secretKey === undefined)
    throw new OperatorError('SECRET_KEY must be set in production (for example: openssl rand -hex 32)');
}

/**
 * The key of this database: SECRET_KEY, or else what stands in DATA_DIR/secret.key. The first start on a new database
 * creates that file. A database remembers a fingerprint of its key, and another key is refused: it could not decrypt
 * what is encrypted. Nothing is written to the folder before that has been checked.
 *
 * A start with the database's key as SECRET_KEY_OLD begins the change to a new one. From then on the database takes both,
 * until "hourkeep secret rotate" has encrypted everything anew.
 *
 * Needs the migration's transaction: processes that start together must agree on one key.
 */
export async function ensureSecretKey(tx: Tx, config: Config): Promise<string> {
  await tx.lock(SEALING);
  const { current, next } = await knownFingerprints(tx);
  const key =
    config.secretKey ?? readKeyFile(config) ?? (current === undefined ? createKeyFile(config) : undefined);
  if (key === undefined) throw noKeyFile(config);
  const own = fingerprint(key);
  if (current === undefined) await tx.run(insertFingerprint, [CURRENT, own]);
  else if (own !== current && own !== next) {
    if (config.secretKeyOld === undefined || fingerprint(config.secretKeyOld) !== current)
      throw wrongKey(config);
    if (next !== undefined)
      throw new OperatorError(
        'this database is being changed to yet another SECRET_KEY; finish that with "hourkeep secret rotate", then change to this one',
      );
    await tx.run(insertFingerprint, [NEXT, own]);
  }
  return key;
}

/** Before everything is encrypted anew with SECRET_KEY: refuses keys that are not this database's. */
export async function beginRotation(tx: Tx, config: Config): Promise<void> {
  if (config.secretKeyOld === undefined)
    throw new OperatorError(
      'SECRET_KEY_OLD must be set to the key that the database has had so far, and SECRET_KEY to the new one',
    );
  if (findSecretKey(config) === config.secretKeyOld)
    throw new OperatorError(
      'SECRET_KEY and SECRET_KEY_OLD are the same; make a new key with openssl rand -hex 32',
    );
  await ensureSecretKey(tx, config);
}

/** From now on a start needs SECRET_KEY and takes no older one. Returns whether that is new. */
export async function endRotation(tx: Tx, config: Config): Promise<boolean> {
  const own = fingerprint(findSecretKey(config));
  const { current, next } = await knownFingerprints(tx);
  if (current === own && next === undefined) return false;
  await tx.run(deleteFingerprints);
  await tx.run(insertFingerprint, [CURRENT, own]);
  return true;
}

/** For commands, which never create a key. */
export function findSecretKey(config: Config): string {
  const key = config.secretKey ?? readKeyFile(config);
  if (key === undefined) throw noKeyFile(config);
  return key;
}

/**
 * A name for something that must not be told, always the same one. Made with the secret key: whoever could make it
 * without would only have to try the addresses they know.
 */
export function pseudonym(config: Config, text: string): string {
  const key = Buffer.from(hkdfSync('sha256', findSecretKey(config), '', 'hourkeep pseudonyms', 32));
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
}

/** Throws where the key is missing or is not this database's. False: the database has none yet. */
export async function checkSecretKey(db: Sql, config: Config): Promise<boolean> {
  const { current, next } = await knownFingerprints(db);
  if (current === undefined) return false;
  if (![current, next].includes(fingerprint(findSecretKey(config)))) throw wrongKey(config);
  return true;
}

/**
 * Whoever stores what is sealed, or looks at the fingerprints to begin or end a change of keys, holds this name: else a process with the old key could store
 * something right after the last look for what is still sealed with it.
 */
export const SEALING = 'sealing with the secret key';

/**
 * A process that was not restarted when the secret key changed must not store what nobody could open later. Before the
 * first start of the service the database has no key to compare with.
 */
export async function requireKnownKey(tx: Tx, sealed: string): Promise<void> {
  const [, known] = await Promise.all([tx.lock(SEALING), knownKeys(tx)]);
  if (known.length === 0 || known.includes(keyOf(sealed))) return;
  throw new OperatorError(
    'SECRET_KEY of this process is no longer the key of this database; restart it with the current one',
  );
}

/** Fingerprints of the keys that this database takes now. None: no service has been started on it yet. */
export async function knownKeys(db: Sql): Promise<string[]> {
  const { current, next } = await knownFingerprints(db);
  return [current, next].filter((key) => key !== undefined);
}

function readKeyFile(config: Config): string | undefined {
  const file = keyFile(config);
  let key: string;
  try {
    key = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new OperatorError(`cannot read the secret key: ${fileProblem(error)}`);
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
      throw new OperatorError(`cannot write the secret key: ${fileProblem(error)}`);
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
  return new OperatorError(`${what} is not the key of this database; start with the one it has now`);
}

const CURRENT = 'secret_key_fingerprint';
const NEXT = 'next_secret_key_fingerprint';

/** `next` is that of the key that the database is being changed to. */
async function knownFingerprints(db: Sql) {
  const known = new Map((await db.all(selectFingerprints)).map(({ name, value }) => [name, value]));
  return { current: known.get(CURRENT), next: known.get(NEXT) };
}

const selectFingerprints = read<{ name: string; value: string }>(`
  select name, value from settings where name in ('${CURRENT}', '${NEXT}')`);

const insertFingerprint = write('insert into settings (name, value) values ($1, $2)');

const deleteFingerprints = write(`delete from settings where name in ('${CURRENT}', '${NEXT}')`);
