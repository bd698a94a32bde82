import { type ChangesOf, type Fields, type NewOf, type RecordOf, type RowOf } from '../fields/fields.ts';
import {
  anyText,
  currency,
  email,
  id,
  instant,
  money,
  nullable,
  rate,
  someOf,
  text,
  timezone,
} from '../fields/kinds.ts';
import { DEFAULT_RATE } from '../money/commission.ts';

export const SETTLEMENT_MODES = ['host_settled', 'platform_settled'] as const;
export type SettlementMode = (typeof SETTLEMENT_MODES)[number];

/** Every field of a host. Hosts themselves read none of it: operators manage accounts. */
export const HOST = {
  id: id('the host'),
  name: {
    ...anyText('The name by which the operator knows the host', 200),
    setBy: 'operator',
    flag: '--name <name>',
    help: 'as the operator knows them',
  },
  email: {
    ...email('Nobody books their own space with it'),
    setBy: 'operator',
    flag: '--email <email>',
    help: 'nobody books their own space with it',
  },
  timezone: {
    ...timezone('IANA name; decides which month it is in reports'),
    setBy: 'operator',
    flag: '--timezone <zone>',
    help: 'IANA name; decides which month it is in reports',
  },
  currency: {
    ...currency('ISO 4217; all their prices are in it'),
    setBy: 'operator',
    flag: '--currency <code>',
    help: 'ISO 4217; all their prices are in it. Changed only while the host has no bookings',
  },
  commission_rate: {
    ...rate('The platform’s share, from 0 to 1', 'commission_millionths'),
    setBy: 'operator',
    initial: DEFAULT_RATE,
    flag: '--commission <rate>',
    help: 'the platform’s share, from 0 to 1',
  },
  settlement_modes: {
    ...someOf('Which modes bookings may use', SETTLEMENT_MODES),
    setBy: 'operator',
    initial: [...SETTLEMENT_MODES],
    flag: '--settlement-modes <list>',
    help: 'which modes bookings may use',
  },
  max_booking_value: {
    ...nullable(money('Most expensive booking, in major units; null: the setting BOOKING_MAX_VALUE')),
    setBy: 'operator',
    initial: null,
    flag: '--max-booking-value <amount>',
    help: 'most expensive booking, in major units; without it the setting BOOKING_MAX_VALUE',
  },
  created_at: instant('When it was added'),
  /** Since when its keys and feeds are rejected; null while it is active. */
  deactivated_at: { ...nullable(instant('When it was deactivated')), initial: null },
  ref: nullable(text('The operator’s own name for it', 200)),
} as const satisfies Fields;

export type HostRow = RowOf<typeof HOST>;
export type HostRecord = RecordOf<typeof HOST>;
export type NewHost = NewOf<typeof HOST>;
export type HostChanges = ChangesOf<typeof HOST>;
