/** A line of the project that is wrong once. */
export interface Planted {
  readonly what: string;
  readonly file: string;
  /** Occurs once. */
  readonly text: string;
  readonly becomes: string;
}

/** A rule of the contract that is broken once. */
export interface Defect extends Planted {
  /** It shows only where things go wrong. */
  readonly withFaults?: true;
}

const RULES = 'src/bookings/rules.ts';
const SCHEDULE = 'src/hours/schedule.ts';
const HOURS = 'src/hours/hours.ts';
const CANCEL = 'src/bookings/cancel.ts';
const BOOKINGS = 'src/bookings/sql.ts';
const PAYMENTS = 'src/payments/payments.ts';
const BOOKS = 'src/books/books.ts';
const CLOSING = 'src/settlement/closing.ts';
const PAYOUTS = 'src/books/payouts.ts';
const MOVE = 'src/bookings/move.ts';
const HEALTH = 'src/webhooks/health.ts';
const RETRIES = 'src/webhooks/schedule.ts';
const LIMIT = 'src/rate-limit/memory.ts';
const TOTALS = 'src/settlement/totals.ts';

/** For the simulation to find. */
export const DEFECTS: readonly Defect[] = [
  defect(
    'the host may book',
    RULES,
    'if (guest === guestKey(terms.host_email)) throw',
    'if (request.guest_email === terms.host_email) throw',
  ),
  defect('a settlement mode that the host has not', RULES, '|| !allowed.includes(mode)', ''),
  defect(
    'operators keep the lengths of bookings',
    RULES,
    '...NO_RULES }',
    '...NO_RULES, min_hours: terms.min_hours, max_hours: terms.max_hours }',
  ),
  defect(
    'operators keep the lead time',
    RULES,
    `through === 'api' ? terms : { ...terms, ...NO_RULES }`,
    'terms',
  ),
  defect(
    'one hour too few is enough',
    RULES,
    'min_hours !== null && hours < min_hours',
    'min_hours !== null && hours < min_hours - 1',
  ),
  defect(
    'one hour too many is allowed',
    RULES,
    'max_hours !== null && hours > max_hours',
    'max_hours !== null && hours > max_hours + 1',
  ),
  defect(
    'a maximum value for platform bookings',
    RULES,
    `if (through === 'api' && total > limit)`,
    'if (total > limit)',
  ),
  defect('a maximum value that must not be reached', RULES, 'total > limit)', 'total >= limit)'),
  defect('one guest too many', RULES, 'guest_count > capacity', 'guest_count > capacity + 1'),
  defect(
    'velocity counts moves',
    RULES,
    `row.replaces !== null || through === 'platform'`,
    `through === 'platform'`,
  ),
  defect('velocity lets one more in', BOOKINGS, 'case when count(*) < $6', 'case when count(*) <= $6'),
  defect(
    'velocity counts platform bookings',
    BOOKINGS,
    `source = 'api' and replaces is null and created_at > $7`,
    'replaces is null and created_at > $7',
  ),
  defect(
    'velocity counts moved bookings',
    BOOKINGS,
    'and replaces is null and created_at > $7',
    'and created_at > $7',
  ),
  defect(
    'velocity waits a second too long',
    RULES,
    'Math.max(1, Math.ceil(waitMs / 1000))',
    '1 + Math.ceil(waitMs / 1000)',
  ),
  defect('the closing hour can be booked', SCHEDULE, 'hour >= open.end_hour', 'hour > open.end_hour'),
  defect('a skipped hour can be booked', SCHEDULE, `if (isSkipped(day, hour)) return 'skipped';`, ''),
  defect(
    'walk-ins keep the lead time',
    SCHEDULE,
    '!isWalkIn && day.startsAt[hour]! < earliest',
    'day.startsAt[hour]! < earliest',
  ),
  defect('a horizon that is a day too short', SCHEDULE, 'date > lastDate', 'date >= lastDate'),
  defect('an inactive space shows free hours', SCHEDULE, `if (isActive === 0) return 'inactive';`, ''),
  defect('weekly hours do not decide', SCHEDULE, 'week === null ?', 'week !== undefined ?'),
  defect(
    'blocks are shown before external calendars',
    HOURS,
    ': held.external & bit',
    ': held.external & bit & ~(blocked[hour] === undefined ? 0 : bit)',
  ),
  defect(
    'a move keeps hours that an external calendar calls busy',
    HOURS,
    '!own.includes(hour) || elsewhere.has(hour)',
    '!own.includes(hour)',
  ),
  defect(
    'a move frees the hours that it keeps',
    HOURS,
    'freed = before.filter((hour) => !kept.includes(hour))',
    'freed = before',
  ),
  defect('a cancelled booking keeps its hours', CANCEL, 'hours.release(tx, range, row.id),', ''),
  defect(
    'a cancellation tells nothing of its hours',
    CANCEL,
    `events.availabilityChanged(range, hours.hoursOf(range), 'booking_cancelled'),`,
    '',
  ),
  defect(
    'a cancellation for another reason',
    CANCEL,
    `hours.hoursOf(range), 'booking_cancelled')`,
    `hours.hoursOf(range), 'booking_created')`,
  ),
  defect(
    'a booking can be cancelled an hour too late',
    BOOKINGS,
    '(starts_at - $5) / 3600000 >= (',
    '(starts_at - $5) / 3600000 + 1 >= (',
  ),
  defect(
    'a guest who keeps a booking loses it',
    CANCEL,
    `if (through === 'api' && sandboxGuest(row) === 'keep') throw keptByGuest();`,
    '',
  ),
  defect(
    'a booking that is paid for can be moved',
    MOVE,
    `if (row.payment_status === 'confirmed')`,
    `if (row.payment_status === 'refunded')`,
  ),
  defect(
    'operators wait for the notice',
    MOVE,
    'whatKeepsFromCancelling(row, now, through)',
    `whatKeepsFromCancelling(row, now, 'api')`,
  ),
  defect(
    'a move tells of hours that it kept',
    MOVE,
    `...changeOf(to, taken, 'booking_created')`,
    `...changeOf(to, hours.hoursOf(to), 'booking_created')`,
  ),
  defect(
    'a refund of a booking that stands',
    PAYMENTS,
    `if (kind === 'refunded' && status !== 'cancelled')`,
    `if (kind === 'refunded' && status === undefined)`,
  ),
  defect(
    'a payment is told to nobody',
    PAYMENTS,
    `if (kind === 'confirmed')
    await events.append(`,
    `if (kind === 'refunded')
    await events.append(`,
  ),
  defect(
    'one payment for two bookings',
    PAYMENTS,
    `refuseObstacle(row, done);
      await refuseTaken(tx, row, reference, isShared);`,
    'refuseObstacle(row, done);',
  ),
  defect('a voided payment keeps its time', PAYMENTS, 'paid_at: null,', 'paid_at: row.paid_at,'),
  defect(
    'a bounced payment stays in the balance',
    BOOKS,
    `kind === 'payment_voided' ? -net : net`,
    `kind === 'payment_voided' ? 0 : net`,
  ),
  defect(
    'a late booking is due before it is paid',
    BOOKS,
    `if (isLateBooking && row.payment_status !== 'confirmed') return { payout_due: 0, commission_due: 0 };`,
    '',
  ),
  defect(
    'what was cancelled is due',
    BOOKS,
    `if (row.status === 'cancelled') return { payout_due: 0, commission_due: 0 };`,
    '',
  ),
  defect(
    'late bookings are not added',
    BOOKS,
    'if (row.is_late === 0) continue;',
    'if (row.is_late >= 0) continue;',
  ),
  defect(
    'months close by UTC',
    'src/time/month.ts',
    'firstAfter.toZonedDateTime(timezone)',
    `firstAfter.toZonedDateTime('UTC')`,
  ),
  defect(
    'a balance that is not carried forward',
    CLOSING,
    'const opening = before?.closing_balance ?? 0;',
    'const opening = 0 * (before?.closing_balance ?? 0);',
  ),
  defect('a payout of tomorrow', PAYOUTS, 'paidOn > today', 'paidOn > localDate(timezone, now + 86_400_000)'),
  defect(
    'one reference for two payouts',
    PAYOUTS,
    'if (earlier !== undefined && earlier.amount !== amount)',
    'if (earlier !== undefined && earlier.amount === amount + 1)',
  ),
  defect(
    'commission is rounded down',
    'src/money/commission.ts',
    '(rest * millionths + RATE_UNIT / 2)',
    '(rest * millionths)',
  ),
  defect(
    'a host pays the commission twice',
    TOTALS,
    'return payout_due - commission_due;',
    'return payout_due - 2 * commission_due;',
  ),
  defect(
    'retries come too early',
    RETRIES,
    'Math.max(base, retryAfter)',
    'Math.min(base, Math.max(retryAfter, 1))',
  ),
  defect(
    'the sandbox retries once more',
    RETRIES,
    'sandbox: [5 * SECOND_MS,',
    'sandbox: [5 * SECOND_MS, 5 * SECOND_MS,',
  ),
  defect('a receiver that has gone is called again', HEALTH, 'const GONE = 410;', 'const GONE = 411;'),
  defect(
    'six days of failures',
    RETRIES,
    'GIVE_UP_ENDPOINT_AFTER = 5 * DAY_MS',
    'GIVE_UP_ENDPOINT_AFTER = 6 * DAY_MS',
  ),
  defect(
    'an event that is lost now and then',
    'src/events/events.ts',
    'for (const [webhookId] of receivers) written',
    `for (const [webhookId] of id.endsWith('0') ? [] : receivers) written`,
  ),
  defect('one request too many in a minute', LIMIT, '<= now - WINDOW_MS)', '<= now - WINDOW_MS + 1)'),
  defect(
    'a window that slides too fast',
    LIMIT,
    'resetsAt: times[0]! + WINDOW_MS',
    'resetsAt: times[0]! + WINDOW_MS / 2',
  ),
  defect(
    'a replay for another guest',
    'src/bookings/fields.ts',
    'FIRST.map((name) => request[name])',
    "FIRST.map((name) => name === 'guest_email' || request[name])",
  ),
  defect(
    'bookings are completed an hour early',
    'src/bookings/by-clock.ts',
    '[ctx.clock.now()], sql.complete',
    '[ctx.clock.now() + 3_600_000], sql.complete',
  ),
  defect(
    'the clock cancels a minute late',
    'src/bookings/by-clock.ts',
    'now - config.unpaidCancelMinutes * MINUTE_MS',
    'now - (config.unpaidCancelMinutes + 1) * MINUTE_MS',
  ),
  defect(
    'hours that are over are told',
    'src/calendars/import.ts',
    'date === today ? hours.filter((hour) => !isOver(timezone, date, hour, now)) : hours',
    'hours',
  ),
  {
    ...defect(
      'a cancellation is committed in two parts',
      CANCEL,
      '    hours.release(tx, range, row.id),',
      `    hours.release(tx, range, row.id).then(() => tx.script('commit; begin immediate')),`,
    ),
    withFaults: true,
  },
  {
    ...defect(
      'a transaction that has ended goes on',
      'src/db/sqlite/engine.ts',
      'if (isOver || !writer.inTransaction) throw transactionOver();',
      '',
    ),
    withFaults: true,
  },
  {
    ...defect(
      'a crash loses what waits in the log',
      'src/db/sqlite/connection.ts',
      'pragma journal_mode = wal;',
      'pragma journal_mode = wal; pragma journal_mode = memory;',
    ),
    withFaults: true,
  },
];

function defect(what: string, file: string, text: string, becomes: string): Defect {
  return { what, file, text, becomes };
}
