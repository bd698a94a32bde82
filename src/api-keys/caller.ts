import type { Environment } from '../ids/api-key.ts';

/** Who is asking: one host in one environment, and nothing beyond it exists for them. */
export interface Caller {
  readonly keyId: string;
  readonly hostId: string;
  readonly environment: Environment;
}
