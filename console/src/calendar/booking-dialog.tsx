import { useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Booking } from '@hourkeep/client';
import { cancel, type Hours } from '../changes.ts';
import { detailNames } from '../fields.ts';
import { emailOf, longDate, moment } from '../format.ts';
import { hrefOf } from '../router.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Form, useFields } from '../ui/form.tsx';
import { useNow } from '../ui/hooks.ts';
import { Link } from '../ui/link.tsx';
import { part } from '../ui/part.tsx';
import { BookingPrice } from '../ui/price.tsx';
import { useLacks } from '../ui/refusal.tsx';
import { HourRange } from '../ui/time.tsx';
import { tellCancelled } from './undo.ts';

const MoveForm = part(null, () => import('./move-form.tsx'));

export function BookingDialog({
  booking,
  spaceTitle,
  moveTo,
  onClose,
}: {
  booking: Booking;
  spaceTitle: string;
  /** Where it was dragged to. */
  moveTo?: Hours | undefined;
  onClose: () => void;
}) {
  const t = strings.booking;
  const whyNot = whatKeepsFromMoving(booking, useNow());
  const [wantsMove, setWantsMove] = useState(moveTo !== undefined);
  const email = emailOf(booking);
  const lacksScope = useLacks('bookings:write');
  return (
    <Dialog title={t.title} subtitle={<bdi>{booking.guest_name}</bdi>} onClose={onClose}>
      <dl className="facts">
        <Fact name={t.when}>
          <bdi>{longDate(booking.date)}</bdi>, <HourRange {...booking} />
        </Fact>
        <Fact name={t.space}>{spaceTitle}</Fact>
        <Fact name={t.status}>
          <span className="badge" data-status={booking.status}>
            {t.statuses[booking.status]}
          </span>{' '}
          {booking.walk_in && <span className="badge">{t.walkIn}</span>}
        </Fact>
        <Fact name={t.email}>
          {email && <a href={`mailto:${encodeURIComponent(email).replace('%40', '@')}`}>{email}</a>}
        </Fact>
        <Fact name={t.phone}>
          {booking.guest_phone && (
            <a href={`tel:${booking.guest_phone.replaceAll(/[^+\d]/g, '')}`} dir="ltr">
              {booking.guest_phone}
            </a>
          )}
        </Fact>
        {detailNames.map((name) => (
          <Fact key={name} name={strings.fields[name]}>
            {booking[name]}
          </Fact>
        ))}
        <Fact name={t.price}>
          <BookingPrice {...booking} />
        </Fact>
        <Fact name={t.payment}>
          {t.payments(booking.settlement_mode, booking.payment_status, booking.status)}
        </Fact>
        <Fact name={t.payBy}>{booking.payment_due_at && t.orCancelled(moment(booking.payment_due_at))}</Fact>
        <Fact name={t.made}>
          {moment(booking.created_at)}, {t.sources[booking.source]}
        </Fact>
        <Fact name={t.cancelledAt}>{booking.cancelled_at && moment(booking.cancelled_at)}</Fact>
        <Fact name={t.reason}>{booking.cancellation_reason}</Fact>
      </dl>
      {email !== null && (
        <Link href={hrefOf('bookings', { guest: email, order: 'newest', from: '' })} onFollow={onClose}>
          {t.allOfGuest}
        </Link>
      )}
      {booking.status === 'confirmed' &&
        (wantsMove && whyNot === undefined ? (
          <MoveForm booking={booking} to={moveTo} onKeep={() => setWantsMove(false)} onClose={onClose} />
        ) : (
          <>
            {wantsMove && (
              <p role="alert" className="note">
                {whyNot}
              </p>
            )}
            <div className="actions">
              <Button kind="primary" onClick={() => setWantsMove(true)} disabled={lacksScope}>
                {strings.move.move}
              </Button>
            </div>
            <CancelForm booking={booking} onClose={onClose} />
          </>
        ))}
    </Dialog>
  );
}

/**
 * Guests write what they like: it is isolated from the words around it and breaks anywhere. What a booking does not have is
 * left out.
 */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  return children === null ? null : (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{children}</bdi>
      </dd>
    </div>
  );
}

/** Below the facts, and apart from them: few who open a booking want to cancel it. */
function CancelForm({ booking, onClose }: { booking: Booking; onClose: () => void }) {
  const t = strings.booking;
  const queries = useQueryClient();
  const form = useFields({
    values: { reason: '' },
    labels: { reason: t.reason },
    required: ['reason'],
    send: async ({ reason }) => {
      await cancel(queries, booking, reason);
      tellCancelled(queries, booking);
      onClose();
    },
  });
  return (
    <div className="cancel-form">
      <Form of={form} scope="bookings:write" button={t.cancelBooking} tone="danger">
        <TextField
          {...form.field('reason')}
          label={t.reasonRequired}
          hint={t.reasonHint}
          autoComplete="off"
        />
      </Form>
    </div>
  );
}

/** What is sure before the API is asked; it has the last word. */
function whatKeepsFromMoving({ payment_status, starts_at }: Booking, now: number): string | undefined {
  if (Date.parse(starts_at) <= now) return strings.move.begun;
  return payment_status === 'confirmed' ? strings.move.paid : undefined;
}
