import type { Environment } from '../ids/api-key.ts';

/** Who is asking. They see one host's one environment and nothing else. */
export interface Caller {
  readonly keyId: string;
  readonly hostId: string;
  readonly environment: Environment;
}
