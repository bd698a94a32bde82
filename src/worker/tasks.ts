import * as audit from '../audit/prune.ts';
import * as bookings from '../bookings/by-clock.ts';
import { serveSandboxGuests } from '../payments/sandbox-guests.ts';
import { closeDue } from '../settlement/closing.ts';
import { MINUTE_MS } from '../time/units.ts';
import { DELIVER } from '../webhooks/health.ts';
import { prune } from '../webhooks/prune.ts';
import { tidyPending } from '../webhooks/pending.ts';
import * as calendars from '../calendars/calendars.ts';
import * as sessions from '../sessions/sessions.ts';
import type { Config } from '../config.ts';
import { POLL_MS } from './deliver.ts';
import type { Task } from './worker.ts';

/** Everything that happens by the clock, except deliveries (deliver.ts). */
const tasks: readonly Task[] = [
  {
    name: 'complete-bookings',
    everyMs: 5000,
    step: async (ctx) => (await bookings.completeDue(ctx)).more,
  },
  {
    name: 'cancel-unpaid-bookings',
    everyMs: 5000,
    isOn: ({ unpaidCancelMinutes }) => unpaidCancelMinutes > 0,
    step: async (ctx) => (await bookings.cancelUnpaid(ctx)).more,
  },
  { name: 'close-months', everyMs: 2000, step: closeDue },
  { name: 'serve-sandbox-guests', everyMs: 2000, step: serveSandboxGuests },
  { name: 'tidy-pending', everyMs: 10 * MINUTE_MS, step: tidyPending },
  { name: 'prune-events', everyMs: 60_000, step: prune },
  { name: 'prune-audit', everyMs: 10 * MINUTE_MS, step: audit.prune },
  { name: 'prune-sessions', everyMs: 10 * MINUTE_MS, step: sessions.prune },
  { name: 'encrypt-calendar-urls', everyMs: 10_000, step: calendars.sealClear },
  { name: 'import-calendars', everyMs: 2000, step: calendars.pollDue, isOn: ({ deliveries }) => deliveries },
];

/** Those that run under these settings. */
export function tasksFor(config: Config): readonly Task[] {
  return tasks.filter(({ isOn }) => isOn?.(config) ?? true);
}

/** Everything that runs again and again under these settings, deliveries included. */
export function loopsFor(config: Config): readonly Pick<Task, 'name' | 'everyMs'>[] {
  return [...(config.deliveries ? [{ name: DELIVER, everyMs: POLL_MS }] : []), ...tasksFor(config)];
}
