import { readConfig } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { openDatabase } from '../../src/db/open.ts';
import { HostFigures } from '../../src/host-figures.ts';
import { createLogger } from '../../src/log.ts';
import { createGuard } from '../../src/outbound/guard.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { systemClock } from '../../src/time/clock.ts';

/** What the service would hand to its functions with these settings, without a service. */
export function openContext(settings: Record<string, string>, lockWaitMs?: number): Context {
  const config = readConfig(settings);
  const log = createLogger('silent');
  return {
    db: openDatabase(config, log, lockWaitMs),
    config,
    clock: systemClock,
    log,
    secrets: createSecrets(() => settings['SECRET_KEY'] ?? 'a key for tests alone'),
    guard: createGuard(config.webhookAllowCidrs),
    figures: new HostFigures(),
  };
}
