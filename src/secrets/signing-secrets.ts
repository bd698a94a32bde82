import { keyOf, type Secrets } from './secrets.ts';
import { DAY_MS } from '../time/units.ts';

interface OldSecret {
  secret: string;
  until: number;
}

export interface SealedSecrets {
  secret: string;
  old_secrets: string;
}

const SIGNS_ALONG_MS = DAY_MS;
/** Keeps the signature header short when a secret is rotated again and again. */
const MAX_OLD_SECRETS = 5;

/**
 * The secrets that sign a delivery now: the current one, then those replaced within the last day. Undefined when this
 * process lacks the key of one of them: its receiver may know only that one.
 */
export function validSecrets(
  secrets: Secrets,
  webhookId: string,
  row: SealedSecrets,
  now: number,
): string[] | undefined {
  const sealed = stillSigning(row, now);
  const opened = sealed.flatMap((text) => secrets.open(webhookId, text) ?? []);
  return opened.length === sealed.length ? opened : undefined;
}

/** The same secrets encrypted with today's key. Undefined when this process lacks the key of one of them. */
export function sealedAnew(
  secrets: Secrets,
  webhookId: string,
  row: SealedSecrets,
  now: number,
): SealedSecrets | undefined {
  const opened = validSecrets(secrets, webhookId, row, now);
  if (opened === undefined) return undefined;
  const [secret = '', ...old] = opened.map((plain) => secrets.seal(webhookId, plain));
  const until = oldSecrets(row, now);
  return { secret, old_secrets: JSON.stringify(old.map((each, i) => ({ ...until[i], secret: each }))) };
}

export function allCurrent(secrets: Secrets, row: SealedSecrets, now: number): boolean {
  return stillSigning(row, now).every(secrets.isCurrent);
}

/** The fingerprints of the keys that are needed to sign. */
export function keysOf(row: SealedSecrets, now: number): string[] {
  return stillSigning(row, now).map(keyOf);
}

/** The old secrets after the current one is replaced. */
export function afterRotation(row: SealedSecrets, now: number): string {
  const old = [{ secret: row.secret, until: now + SIGNS_ALONG_MS }, ...oldSecrets(row, now)];
  return JSON.stringify(old.slice(0, MAX_OLD_SECRETS));
}

function stillSigning(row: SealedSecrets, now: number): string[] {
  return [row.secret, ...oldSecrets(row, now).map(({ secret }) => secret)];
}

function oldSecrets(row: SealedSecrets, now: number): OldSecret[] {
  return (JSON.parse(row.old_secrets) as OldSecret[]).filter(({ until }) => until > now);
}
