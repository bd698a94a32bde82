// The contract as a program: `step` says what an operation must lead to.
import type { ExpectedResponse, Operation, Request } from '../simulate/operation.ts';
import { cancelUnpaid, completeDue, wasPaid } from './bookings.ts';
import { pollDue } from './calendars.ts';
import { confirmPayment, run } from './commands.ts';
import { deliverDue, type ExpectedDelivery } from './events.ts';
import { NONE_YET } from './limit.ts';
import { respond } from './requests.ts';
import { adjust, closeDue } from './settlement.ts';
import { actualOf, nameOf, sandboxGuest, sortBy, without } from './world.ts';
import type { Emitted, Sending, Webhook, World } from './world.ts';

export { newWorld } from './world.ts';

export interface Expected {
  response?: ExpectedResponse;
  /** `exit` may be one of several; `json` is a part of what is printed. */
  printed?: { exit: number[]; json?: unknown };
  events: Emitted[];
  /** What the worker delivers; asked once the events have their ids, by which it goes. */
  deliveries?: () => ExpectedDelivery[];
}

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

/** The process has started anew: on SQLite it remembers no admissions. Returns the worlds that could be. */
export function restart(world: World, engine: 'sqlite' | 'postgres'): World[] {
  if (engine === 'sqlite') for (const key of world.keys.values()) key.admitted = { ...NONE_YET };
  world.feedReads.clear();
  const disabled = world.accounts
    .flatMap(({ webhooks }) => webhooks)
    .filter((webhook) => !webhook.is_active && webhook.updated_at === world.now);
  // What was in flight is due from now on, and stays pending where another delivery disables the subscription first.
  for (const sending of disabled.flatMap(({ deliveries }) => deliveries))
    sending.mayBeReleased ||= sending.status === 'pending' && sending.next_attempt_at! <= world.now;
  return [world, ...disabled.flatMap((webhook) => withoutRecords(world, webhook))];
}

/** One attempt has disabled the subscription; any others were made, but the process ended before they were recorded. */
function withoutRecords(world: World, webhook: Webhook): World[] {
  const made = webhook.deliveries.filter((one) => one.before !== null && one.last_attempt_at === world.now);
  // Of more there would be too many worlds.
  const open = made.slice(0, 6);
  const some = open.reduce<Sending[][]>((sets, one) => [...sets, ...sets.map((set) => [...set, one])], [[]]);
  return some.slice(1, -1).map((lost) => {
    const recorded = lost.map((sending) => ({ ...sending }));
    for (const sending of lost) Object.assign(sending, sending.before, { mayBeReleased: true });
    const tried = structuredClone(world);
    lost.forEach((sending, i) => Object.assign(sending, recorded[i]));
    return tried;
  });
}

/** Several processes poll calendars in any order. */
export function turnPolls(world: World): void {
  world.pollsTurned = true;
}

/** What the clock does, but for deliveries. */
function work(world: World): void {
  for (const account of world.accounts) {
    for (const booking of account.bookings)
      if (booking.payment_status === 'pending' && !wasPaid(booking))
        if (sandboxGuest(account, booking.guest_email) === 'pay') confirmPayment(world, booking, {});
    completeDue(world, account, (booking) => {
      if (booking.isLate) adjust('late_booking', booking, world.now);
    });
    cancelUnpaid(world, account);
  }
  for (const account of world.accounts) closeDue(world, account);
  pollDue(world);
}

/** The spaces and subscriptions that these requests change, as they are now: worlds with the same text cannot be told apart by them. */
export function left(world: World, changes: readonly Request[]): string {
  const webhooks = world.accounts.flatMap((account) => account.webhooks);
  const things = changes.map(({ path }) => {
    const id = nameOf(world, /\/(?:spaces|webhooks)\/([^/?]+)/.exec(path)?.[1]);
    const webhook = webhooks.find((one) => one.id === id);
    const space = world.spaces.get(id);
    if (webhook === undefined) return space && without(space, 'account', 'held');
    const secrets = sortBy(webhook.secrets, ({ until, secret }) => [until, actualOf(world, secret)]);
    const due = webhook.deliveries.map((one) => one.next_attempt_at);
    return { ...without(webhook, 'account', 'deliveries'), secrets, due };
  });
  return JSON.stringify(things).replace(/‹[^›]*›/g, (name) => actualOf(world, name));
}
