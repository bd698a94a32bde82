import { availability, book, cancel, list, move, nextPage, replay } from './drawing/bookings.ts';
import { drawCommand } from './drawing/commands.ts';
import { Drawing, remember, request, ZONES, type Account, type Engine } from './drawing/drawing.ts';
import { drawFault } from './drawing/faults.ts';
import { moveOnBusyDay } from './drawing/busy.ts';
import { bookLate } from './drawing/late.ts';
import { lookAtAll } from './drawing/look.ts';
import { calendar, clock, fillWindow, receiver } from './drawing/outside.ts';
import { addHost } from './drawing/setup.ts';
import { block, feed, unblock, update } from './drawing/spaces.ts';
import { changeWebhook, subscribe } from './drawing/webhooks.ts';
import type { Fault } from './faults.ts';
import { spoil } from './mistakes.ts';
import type { Actual, Operation, Request } from './operation.ts';

export type { Engine } from './drawing/drawing.ts';

/** An operation and when it happens. Its texts may hold references, `{{17:data.booking.id}}` (references.ts). */
export interface Step {
  /** Its number, by which others refer to it. */
  readonly at: number;
  readonly now: number;
  readonly operation: Operation;
  readonly fault?: Fault;
  /** Requests at the same time, to other processes. */
  readonly beside?: readonly Request[];
}

/** Draws operations by weight. It knows nothing of the service but what responses said. */
export class Generator extends Drawing {
  readonly #withFaults: boolean;

  constructor(seed: number, engine: Engine = 'sqlite', withFaults = false) {
    super(seed, engine, withFaults);
    this.#withFaults = withFaults;
    const zones = [this.random.one(ZONES), this.random.one(ZONES)];
    for (const [i, zone] of zones.entries()) addHost(this, i, zone);
  }

  next(): Step {
    let operation: Operation | undefined;
    while (operation === undefined) operation = (this.queue.shift() ?? (() => this.draw()))();
    if (operation.kind !== 'clock') this.now += this.#pause(operation);
    const fault = this.#withFaults && this.index > 60 ? drawFault(this, operation) : undefined;
    const step = { at: this.index++, now: this.now, operation, ...(fault && { fault }) };
    const others = this.engine === 'postgres' ? beside(this, operation) : [];
    return others.length === 0 ? step : { ...step, beside: others };
  }

  /** Records that commands make are listed by their ids: those of several processes have no order within a millisecond. */
  #pause({ kind }: Operation): number {
    const least = this.engine === 'postgres' && kind === 'command' ? 1 : 0;
    return this.random.chance(0.3) ? least : this.random.between(1, 3000);
  }

  draw(): Operation | undefined {
    return anything(this);
  }

  /**
   * Learns ids from what the service returned. Undefined: takes it that everything was done, so that what is drawn depends on the seed
   * alone; some references have no value then.
   */
  observe({ at, operation }: Step, actual: Actual | undefined): void {
    if (operation.kind === 'request') {
      if (actual === undefined || (actual.response?.status ?? 500) < 300)
        this.#observeRequest(at, operation, actual?.response?.body);
    } else if (operation.kind === 'command' && (actual === undefined || actual.printed?.exit === 0)) {
      const words = operation.argv.slice(0, 2).join(' ');
      if (words === 'booking create' || words === 'booking move')
        this.accountOfCommand?.bookings.push(`{{${at}:id}}`);
      if (words === 'payout record') remember(this.payouts, `{{${at}:id}}`);
      if (words === 'calendar add' && this.accountOfCommand !== undefined)
        remember(this.accountOfCommand.calendars, `{{${at}:id}}`);
    }
  }

  #observeRequest(at: number, { method, path, headers, body }: Request, result: unknown): void {
    const account = this.accountOf(headers);
    if (account === undefined) return;
    const isAssumed = result === undefined;
    const { data } = (result ?? {}) as { data?: Record<string, never> };
    if (path.startsWith('/api-create-booking')) account.bookings.push(`{{${at}:data.booking.id}}`);
    if (path.startsWith('/api-webhooks') && method === 'POST')
      account.webhooks.push(`{{${at}:data.webhook.id}}`);
    if (path.startsWith('/api-bookings')) {
      const { next_cursor, synced_to } = (data?.['pagination'] ?? {}) as {
        next_cursor?: string | null;
        synced_to?: string;
      };
      const query = (path.split('?')[1] ?? '').replace(/&?(cursor|offset)=[^&]*/g, '').replace(/^&/, '');
      if (isAssumed ? /limit=[123](&|$)/.test(query) : typeof next_cursor === 'string')
        remember(this.cursors, {
          key: headers['authorization']!,
          query,
          cursor: `{{${at}:data.pagination.next_cursor}}`,
        });
      if (isAssumed ? query.includes('updated_since=') : synced_to !== undefined)
        remember(this.synced, `{{${at}:data.pagination.synced_to}}`);
    }
    if (body?.includes('connect_calendar') === true) {
      const connected =
        (data?.['space'] as { external_calendars?: unknown[] } | undefined)?.external_calendars ?? [];
      if (isAssumed || connected.length > 0)
        remember(
          account.calendars,
          `{{${at}:data.space.external_calendars.${isAssumed ? -1 : connected.length - 1}.id}}`,
        );
    }
    if (body?.includes('"rotate_ical_token":true') === true) {
      const space = /spaces\/([^/?]*)/.exec(path)?.[1];
      if (space !== undefined && (isAssumed || data?.['ical_feed_url'] !== undefined))
        remember(this.feeds, { space, token: `{{${at}:data.ical_feed_url|token}}` });
    }
  }
}

/** Anything, by weight. */
function anything(g: Drawing): Operation | undefined {
  const random = g.random;
  if (g.index > 60 && random.chance(1 / 250)) lookAtAll(g);
  const account = random.weighted(
    ...g.accounts.map((each) => [each.environment === 'production' ? 3 : 1, each] as const),
  );
  const operation = random.weighted<() => Operation | undefined>(
    [24, () => book(g, account)],
    [6, () => replay(g, account)],
    [7, () => move(g, account)],
    [9, () => cancel(g, account)],
    [4, () => g.call(account, 'GET', `/api-booking-detail/api/v1/bookings/${g.booking(account)}`)],
    [8, () => list(g, account)],
    [2, () => nextPage(g)],
    [10, () => availability(g, account)],
    [6, () => block(g, account)],
    [4, () => unblock(g, account)],
    [5, () => update(g, account)],
    [2, () => g.call(account, 'GET', '/api-listings/api/v1/spaces')],
    [1, () => g.call(account, 'GET', `/api-listings/api/v1/spaces/${g.space(account)}`)],
    [3, () => g.call(account, 'GET', `/api-settlement-report/api/v1/settlement/report?month=${g.month()}`)],
    [2, () => g.call(account, 'GET', '/api-earnings/api/v1/earnings')],
    [2, () => g.call(account, 'GET', '/api-webhooks/api/v1/webhooks')],
    [1, () => subscribe(g, account)],
    [3, () => changeWebhook(g, account)],
    [0.5, () => g.call(account, 'DELETE', `/api-webhooks/api/v1/webhooks/${g.webhook(account)}`)],
    [2, () => feed(g)],
    [0.1, () => request('GET', '/api-openapi', g.requestId())],
    [9, () => clock(g)],
    [2, () => receiver(g)],
    [2, () => calendar(g)],
    [8, () => drawCommand(g, account)],
    [0.5, () => fillWindow(g, account)],
    [0.5, () => bookLate(g, account)],
    [0.5, () => moveOnBusyDay(g, account)],
  )();
  if (operation?.kind !== 'request' || !random.chance(0.1)) return operation;
  return spoil(random, operation, {
    keys: [...g.otherKeys, ...g.accounts.flatMap(({ keys }) => keys)],
    ids: g.accounts.flatMap(({ spaces, bookings, webhooks }) => [
      ...spaces,
      ...bookings.slice(-5),
      ...webhooks,
    ]),
  });
}

/** The same again, the same of other hours, or something else of the same account. */
function beside(g: Drawing, operation: Operation): Request[] {
  const random = g.random;
  // Which of them counted first says nothing of which was committed first.
  if (g.settings.rateLimit.production > 0 || g.index < 60 || !random.chance(0.25)) return [];
  if (operation.kind !== 'request' || operation.method === 'GET') return [];
  // Whether a change counts that is made while a subscription changes, the contract leaves open.
  const isOfWebhooks = operation.path.startsWith('/api-webhooks');
  const account = isOfWebhooks ? undefined : g.accountOf(operation.headers);
  return Array.from({ length: random.between(1, 3) }, (): Request => {
    const headers = { ...operation.headers, 'x-request-id': g.requestId() };
    if (account !== undefined && random.chance(0.3)) return write(g, account);
    if (random.chance(0.4) || operation.body === null) return { ...operation, headers };
    const body = operation.body
      .replace(/"start_hour":\d+/, () => `"start_hour":${random.between(8, 12)}`)
      .replace(/"end_hour":\d+/, () => `"end_hour":${random.between(11, 15)}`)
      .replace(/"guest_name":"[^"]*"/, () => `"guest_name":"${random.one(['Ada', 'Bob'])}"`);
    return { ...operation, headers, body };
  });
}

function write(g: Drawing, account: Account): Request {
  return g.random.weighted(
    [4, () => book(g, account)],
    [3, () => move(g, account)],
    [4, () => cancel(g, account)],
    [3, () => block(g, account)],
    [2, () => unblock(g, account)],
    [3, () => update(g, account)],
  )();
}
