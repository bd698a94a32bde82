import { EVENT_TYPES } from '../events/events.ts';
import type { Fields, HostRecordOf, RowOf } from '../fields/fields.ts';
import { id, instant, nullable, oneOf, plain, someOf, yesOrNo } from '../fields/kinds.ts';
import { Type } from '../http/input/type.ts';
import { ENVIRONMENTS } from '../ids/api-key.ts';

const DISABLED_REASONS = ['receiver_gone', 'five_days_of_failures', 'operator'] as const;

/** Every field of a subscription; each has the column of its own name. */
export const WEBHOOK = {
  id: id('the subscription'),
  host_id: { ...id('the host'), shownTo: 'operator' },
  environment: { ...oneOf('Whose events are sent', ENVIRONMENTS), shownTo: 'operator' },
  url: {
    ...plain(
      Type.String({
        maxLength: 2048,
        description:
          'Where to send events: an https URL with a public IP address, without credentials or white space; any port',
      }),
    ),
    setBy: 'host',
  },
  events: { ...someOf('Which events are sent', EVENT_TYPES), setBy: 'host' },
  description: {
    ...nullable(plain(Type.String({ maxLength: 500, description: 'A note for yourself: what it is for' }))),
    setBy: 'host',
    initial: null,
  },
  is_active: {
    ...yesOrNo(
      'While false, new events are not collected; pending deliveries are kept and sent immediately when it is true again',
    ),
    setBy: 'host',
    initial: true,
  },
  disabled_reason: {
    ...nullable(
      oneOf(
        'Why it was disabled: the receiver returned 410, every attempt failed for five days, or the operator disabled it (and only they can enable it again). Null while active, and if you set `is_active` to false.',
        DISABLED_REASONS,
      ),
    ),
    initial: null,
  },
  secret: { ...plain(Type.String()), shownTo: 'nobody' },
  old_secrets: { ...plain(Type.String()), shownTo: 'nobody', initial: '[]' },
  failing_since: { ...nullable(plain(Type.Integer())), shownTo: 'nobody', initial: null },
  created_at: instant('When it was made'),
  updated_at: instant('When it last changed'),
} as const satisfies Fields;

export type WebhookRow = RowOf<typeof WEBHOOK>;
/** As its host reads it, without its deliveries. */
export type Subscription = HostRecordOf<typeof WEBHOOK>;
