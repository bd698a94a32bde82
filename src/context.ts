import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Db } from './db/database.ts';
import type { Clock } from './time/clock.ts';

/** What every part of the service is handed: nothing is global. */
export interface Context {
  readonly db: Db;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
}
