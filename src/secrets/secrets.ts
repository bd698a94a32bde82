import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { BoundedMap } from '../bounded-map.ts';

/** Encrypts what must stand in the database but must not be readable there. */
export type Secrets = ReturnType<typeof createSecrets>;

interface SealingKey {
  /** Stands in front of what this key has sealed. */
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Seals with the key, and opens with that and the old one. The key is asked for at the first use: most commands never
 * need it.
 */
export function createSecrets(secretKey: () => string, oldKey?: string) {
  let derived: SealingKey | undefined;
  const current = (): SealingKey => (derived ??= sealingKey(secretKey()));
  const old = oldKey === undefined ? undefined : sealingKey(oldKey);
  const opened = new BoundedMap<string, string>(MAX_OPENED_SECRETS);
  return {
    /** `open` needs the same `owner`, the id of the row: a text copied into another row cannot be opened there. */
    seal: (owner: string, plain: string): string =>
      `${current().name}:${encrypt(current().bytes, owner, plain)}`,
    /** Undefined when it was sealed with a key that this process does not have. */
    open: (owner: string, sealed: string): string | undefined => {
      const known = opened.get(owner + sealed);
      if (known !== undefined) return known;
      const key = [current(), old].find((each) => each?.name === keyOf(sealed));
      if (key === undefined) return undefined;
      const plain = decrypt(key.bytes, owner, sealed.slice(key.name.length + 1));
      opened.set(owner + sealed, plain);
      return plain;
    },
    /** Whether it is sealed with SECRET_KEY, and not with an older key. */
    isCurrent: (sealed: string): boolean => keyOf(sealed) === current().name,
    /** Fingerprints of the two keys whose texts can be opened; the same one twice where there is no older key. */
    keys: (): readonly [string, string] => [current().name, (old ?? current()).name],
  };
}

/** Those of receivers that are busy: opening one was a tenth of what a delivery costs. */
const MAX_OPENED_SECRETS = 1000;

function sealingKey(secretKey: string): SealingKey {
  const bytes = Buffer.from(hkdfSync('sha256', secretKey, '', 'hourkeep webhook secrets', 32));
  return { name: fingerprint(secretKey), bytes };
}

/** The fingerprint of the key that it was sealed with. */
export function keyOf(sealed: string): string {
  return sealed.slice(0, Math.max(0, sealed.indexOf(':')));
}

/** Names a key without telling it. */
export function fingerprint(secretKey: string): string {
  return hash('sha256', `hourkeep fingerprint ${secretKey}`, 'hex').slice(0, 16);
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

function encrypt(key: Buffer, owner: string, plain: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
}

function decrypt(key: Buffer, owner: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
  const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}
