import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts what must stand in the database but must not be readable there. */
export interface Secrets {
  /** `open` needs the same `owner`, the id of the row: a text copied into another row cannot be opened there. */
  seal(owner: string, plain: string): string;
  open(owner: string, sealed: string): string;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The key is asked for at the first use: most commands never need it. */
export function createSecrets(secretKey: () => string): Secrets {
  let derived: Buffer | undefined;
  const key = (): Buffer =>
    (derived ??= Buffer.from(hkdfSync('sha256', secretKey(), '', 'hourkeep webhook secrets', 32)));
  return {
    seal: (owner, plain) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key(), iv).setAAD(Buffer.from(owner));
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
    },
    open: (owner, sealed) => {
      const bytes = Buffer.from(sealed, 'base64');
      const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
      const decipher = createDecipheriv(CIPHER, key(), bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
      const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    },
  };
}
