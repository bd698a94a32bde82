// The contract as a program: `step` says what an operation must lead to, `compare` whether it did.
import { cancelUnpaid, completeDue } from './bookings.ts';
import { pollDue } from './calendars.ts';
import { confirmPayment, run } from './commands.ts';
import type { Expected } from './compare.ts';
import { deliverDue } from './events.ts';
import type { Operation } from './operation.ts';
import { respond } from './requests.ts';
import { adjustLate, closeDue } from './settlement.ts';
import { sandboxGuest, type World } from './world.ts';

export { compare } from './compare.ts';
export { ics } from './calendars.ts';
export { newWorld, type World } from './world.ts';

/** What the operation leads to at this instant. The world changes accordingly. */
export function step(world: World, operation: Operation, now: number): Expected {
  world.now = now;
  world.requestId = operation.kind === 'request' ? (operation.headers['x-request-id'] ?? null) : null;
  world.emitted = [];
  const expected: Expected = { events: world.emitted };
  switch (operation.kind) {
    case 'request':
      expected.response = respond(world, operation);
      break;
    case 'command':
      expected.printed = run(world, operation.argv);
      break;
    case 'clock':
      work(world);
      expected.deliveries = () => deliverDue(world);
      break;
    case 'receiver':
      world.receivers.set(operation.url, operation);
      break;
    case 'calendar':
      world.served.set(operation.url, operation.serves);
  }
  return expected;
}

/** The process has started anew: on SQLite it remembers no admissions. */
export function restart(world: World, engine: 'sqlite' | 'postgres'): void {
  if (engine === 'sqlite') for (const key of world.keys.values()) key.admitted = [];
  world.feedReads.clear();
}

/** What the clock does, but for deliveries. */
function work(world: World): void {
  for (const account of world.accounts) {
    for (const booking of account.bookings)
      if (booking.payment === 'pending' && !booking.wasPaid)
        if (sandboxGuest(account, booking.guest.email) === 'pay') confirmPayment(world, booking, {}, 'clock');
    completeDue(world, account, (booking) => adjustLate(booking, world.now));
    cancelUnpaid(world, account);
  }
  for (const account of world.accounts) closeDue(world, account);
  pollDue(world);
}
