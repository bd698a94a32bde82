import { createHmac, hkdfSync } from 'node:crypto';
import type { Config } from '../config.ts';
import { findSecretKey } from './secret-key.ts';

/**
 * A name for something that must not be told, always the same one. Made with the secret key: whoever could make it
 * without would only have to try the addresses they know.
 */
export function pseudonym(config: Config, text: string): string {
  const key = Buffer.from(hkdfSync('sha256', findSecretKey(config), '', 'hourkeep pseudonyms', 32));
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
}
