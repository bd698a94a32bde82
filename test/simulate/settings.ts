import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from './operation.ts';

/** In memory where the machine has such a folder: every transaction waits until its file is written. */
export const FOLDER = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'hourkeep-simulate-'));
process.on('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

export const SECRET_KEY = 'a key that only the simulation uses';

/** Of a process of the service. */
export function environment(settings: Settings, url: string): Record<string, string> {
  return {
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: '4',
    DATA_DIR: FOLDER,
    PORT: '0',
    SECRET_KEY,
    LOG_LEVEL: 'silent',
    PUBLIC_URL: settings.publicUrl,
    RATE_LIMIT_PRODUCTION: String(settings.rateLimit.production),
    RATE_LIMIT_SANDBOX: String(settings.rateLimit.sandbox),
    GUEST_VELOCITY_MAX: String(settings.velocity.max),
    GUEST_VELOCITY_WINDOW_MINUTES: String(settings.velocity.windowMinutes),
    // The contract names no retention: nothing is forgotten.
    EVENT_RETENTION_DAYS: '3650',
    UNPAID_CANCEL_MINUTES: String(settings.unpaidCancelMinutes),
    BOOKING_MAX_VALUE: String(settings.bookingMaxValue),
    // Loopback would be open outside production. Nothing is there.
    WEBHOOK_ALLOW_CIDRS: '192.0.2.0/24',
  };
}
