import type { Secrets } from '../secrets/secrets.ts';
import { DAY_MS } from '../time/units.ts';

interface OldSecret {
  secret: string;
  until: number;
}

interface SealedSecrets {
  secret: string;
  old_secrets: string;
}

const SIGNS_ALONG_MS = DAY_MS;
/** Keeps the signature header short when a secret is rotated again and again. */
const MOST_OLD_SECRETS = 5;

/** The secrets that sign a delivery now: the current one, then those replaced within the last day. */
export function validSecrets(secrets: Secrets, webhookId: string, row: SealedSecrets, now: number): string[] {
  const old = oldSecrets(row, now).map(({ secret }) => secret);
  return [row.secret, ...old].map((sealed) => secrets.open(webhookId, sealed));
}

/** The old secrets after the current one is replaced. */
export function afterRotation(row: SealedSecrets, now: number): string {
  const old = [{ secret: row.secret, until: now + SIGNS_ALONG_MS }, ...oldSecrets(row, now)];
  return JSON.stringify(old.slice(0, MOST_OLD_SECRETS));
}

function oldSecrets(row: SealedSecrets, now: number): OldSecret[] {
  return (JSON.parse(row.old_secrets) as OldSecret[]).filter(({ until }) => until > now);
}
