import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Db } from './db/database.ts';
import type { HostFigures } from './host-figures.ts';
import type { Guard } from './outbound/guard.ts';
import type { Secrets } from './secrets/secrets.ts';
import type { Clock } from './time/clock.ts';

/** What the parts of the service are handed. Tests hand in their own. */
export interface Context {
  readonly db: Db;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** Encrypts what the database keeps of webhook secrets and calendars' URLs. */
  readonly secrets: Secrets;
  /** What this process has counted of each host's requests and deliveries. */
  readonly figures: HostFigures;
  /** Where requests to addresses that customers gave us may go. */
  readonly guard: Guard;
}
