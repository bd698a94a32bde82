import type { Environment } from './ids/api-key.ts';

/** Who makes a change. */
export interface Actor {
  readonly type: 'key' | 'operator' | 'clock';
  /** A key's id, an operator's name on the machine, or a task's name. */
  readonly id: string;
  /** Of the API's request; null for the command line and the clock. */
  readonly requestId: string | null;
  /** Of that request, where it had one: its place in a trace. */
  readonly traceparent?: string | undefined;
}

/** One host's one environment, and nothing else. */
export interface Owner {
  readonly hostId: string;
  readonly environment: Environment;
}

/** A row of a host's one environment. */
export interface Owned {
  readonly host_id: string;
  readonly environment: Environment;
}

export function ownerOf({ host_id: hostId, environment }: Owned): Owner {
  return { hostId, environment };
}

/** On whose behalf something is done. */
export interface Caller extends Owner {
  /** The key that asks, or the operator who acts for the host; for the audit trail. */
  readonly actor: Actor;
}
