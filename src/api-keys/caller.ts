import type { Actor } from '../audit/audit.ts';
import type { Environment } from '../ids/api-key.ts';

/** One host's one environment, and nothing else. */
export interface Owner {
  readonly hostId: string;
  readonly environment: Environment;
}

/** On whose behalf something is done. */
export interface Caller extends Owner {
  /** The key that asks, or the operator who acts for the host; for the audit trail. */
  readonly actor: Actor;
}
