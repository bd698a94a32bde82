import type { Operation } from '../operation.ts';
import { command, GUESTS, ZONES, type Account, type Drawing, type Host } from './drawing.ts';
import { addKey } from './setup.ts';

export function drawCommand(g: Drawing, account: Account): Operation | undefined {
  const random = g.random;
  const { host, environment, calendars, webhooks } = account;
  g.accountOfCommand = account;
  const reference = `--reference ${random.one(['pi_1', 'pi_2', 'pi_3', 'pi_4'])}`;
  const { date, start_hour, end_hour } = g.range();
  const hours = `--date ${date} --hours ${start_hour}-${end_hour}`;
  const booking = () => g.booking(account);
  const space = () => g.space(account);
  const maybe = (words: string, probability = 0.5) => (random.chance(probability) ? ` ${words}` : '');
  const drawn = random.weighted<() => string | Operation | undefined>(
    [20, () => `payment confirm ${booking()}${maybe(reference)}${maybe('--shared', 0.1)}`],
    [5, () => `payment refund ${booking()}${maybe(reference)}`],
    [5, () => `payment void ${booking()} --reason bounced`],
    [2, () => `payment list ${booking()}`],
    [
      8,
      () =>
        `booking create --space ${space()} ${hours} --guest-name Pat --guest-email ${random.one(GUESTS)}${maybe('--settlement-mode host_settled', 0.2)}`,
    ],
    [5, () => `booking cancel ${booking()} --reason heating`],
    [5, () => `booking move ${booking()} ${hours}`],
    [2, () => `booking show ${booking()}`],
    [
      5,
      () => {
        const amount = `${random.one(['', '-'])}${g.amount(host.currency, 30)}`;
        const known = () => `--reference ${random.one(['po_1', 'po_2', 'po_3'])}`;
        const paidOn = () => `--paid-on ${g.date()}`;
        return `payout record --host ${host.id} --amount=${amount} --env ${environment}${maybe(known())}${maybe(paidOn(), 0.2)}`;
      },
    ],
    [2, () => (g.payouts.length > 0 ? `payout void ${random.one(g.payouts)} --reason mistyped` : undefined)],
    [1, () => `payout list --host ${host.id}`],
    [2, () => `settlement --month ${g.month()}${maybe(`--host ${host.id}`)}`],
    [1.5, () => deactivate(g, host)],
    [0.5, () => `host activate ${host.id}`],
    [
      2,
      () =>
        `host update ${host.id} ${random.one([
          '--commission 0.2',
          `--max-booking-value ${g.amount(host.currency, 80)}`,
          '--name Renamed',
          '--settlement-modes host_settled,platform_settled',
          '--currency EUR',
          `--timezone ${random.one(ZONES)}`,
        ])}`,
    ],
    [
      3,
      () =>
        `space update ${space()} ${random.one([
          `--price ${g.amount(host.currency, 15)}`,
          '--cancellation-notice 2',
          `--timezone ${random.one(ZONES)}`,
          '--inactive',
          '--active',
          '--hours 8-20',
          '--no-weekly-hours',
          '--title Hall',
        ])}`,
    ],
    [1, () => addKey(g, account)],
    [0.5, () => `key revoke ${random.one(g.keyIds)}`],
    [1, () => `ical-token rotate --space ${space()}`],
    [2, () => `calendar add --space ${space()} --url ${g.calendarUrl()}`],
    [
      2,
      () =>
        calendars.length > 0
          ? `calendar ${random.one(['remove', 'sync', 'sync'])} ${random.one(calendars)}`
          : undefined,
    ],
    [2, () => (webhooks.length > 0 ? `webhook disable ${g.webhook(account)} --reason noisy` : undefined)],
    [3, () => (webhooks.length > 0 ? `webhook enable ${g.webhook(account)}` : undefined)],
    [2, () => (webhooks.length > 0 ? `webhook resend ${g.webhook(account)} --failed` : undefined)],
    [0.7, () => `guest erase --email ${random.one(GUESTS)} --yes${maybe(`--host ${host.id}`)}`],
  )();
  return typeof drawn === 'string' ? command(drawn) : drawn;
}

/** For a few operations. */
function deactivate(g: Drawing, host: Host): Operation {
  for (let n = g.random.between(3, 15); n > 0; n--) g.queue.push(() => g.draw());
  g.queue.push(() => command(`host activate ${host.id}`));
  return command(`host deactivate ${host.id}`);
}
