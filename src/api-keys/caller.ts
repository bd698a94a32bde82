import type { Actor } from '../audit/audit.ts';
import type { Environment } from '../ids/api-key.ts';

/** On whose behalf something is done: one host's one environment and nothing else. */
export interface Caller {
  readonly hostId: string;
  readonly environment: Environment;
  /** The key that asks, or the operator who acts for the host; for the audit trail. */
  readonly actor: Actor;
}
