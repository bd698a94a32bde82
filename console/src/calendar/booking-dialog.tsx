import { useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Booking } from '@hourkeep/client';
import { cancel } from '../changes.ts';
import { emailOf, longDate, moment } from '../format.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { Dialog } from '../ui/dialog.tsx';
import { fieldError, TextField } from '../ui/field.tsx';
import { useNow } from '../ui/hooks.ts';
import { part } from '../ui/part.tsx';
import { BookingPrice } from '../ui/price.tsx';
import { MissingScope, Refusal, useLacks } from '../ui/refusal.tsx';
import { HourRange } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';

const MoveForm = part(null, () => import('./move-form.tsx'));

export function BookingDialog({
  booking,
  spaceTitle,
  onClose,
}: {
  booking: Booking;
  spaceTitle: string;
  onClose: () => void;
}) {
  const t = strings.booking;
  const [moving, setMoving] = useState(false);
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
        <Fact name={t.email}>{emailOf(booking)}</Fact>
        <Fact name={t.phone}>{booking.guest_phone}</Fact>
        <Fact name={strings.fields.guest_count}>{booking.guest_count}</Fact>
        <Fact name={strings.fields.reference}>{booking.reference}</Fact>
        <Fact name={strings.fields.notes}>{booking.notes}</Fact>
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
      {booking.status === 'confirmed' &&
        (moving ? (
          <MoveForm booking={booking} onKeep={() => setMoving(false)} onClose={onClose} />
        ) : (
          <CancelForm booking={booking} onMove={() => setMoving(true)} onClose={onClose} />
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

function CancelForm({
  booking,
  onMove,
  onClose,
}: {
  booking: Booking;
  onMove: () => void;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const now = useNow();
  const [reason, setReason] = useState('');
  const [whyNot, setWhyNot] = useState<string>();
  const lacksScope = useLacks('bookings:write');
  const { run, busy, error } = useAction(async () => {
    await cancel(queries, booking, reason);
    toast.set({ message: strings.booking.cancelled(booking.guest_name) });
    onClose();
  });
  const move = (): void => {
    const why = whatKeepsFromMoving(booking, now);
    if (why === undefined) onMove();
    else setWhyNot(why);
  };
  return (
    <form noValidate className="cancel-form" onSubmit={(event) => (event.preventDefault(), run())}>
      <TextField
        label={strings.booking.reasonRequired}
        value={reason}
        onChange={setReason}
        autoComplete="off"
        hint={strings.booking.reasonHint}
        error={fieldError(error, 'reason')}
      />
      <Refusal error={error} />
      <MissingScope scope="bookings:write" />
      {whyNot !== undefined && (
        <p role="alert" className="note">
          {whyNot}
        </p>
      )}
      <div className="actions">
        <button type="button" className="button move" onClick={move} disabled={lacksScope}>
          {strings.move.move}
        </button>
        <button type="submit" className="button danger" aria-busy={busy} disabled={lacksScope}>
          {strings.booking.cancelBooking}
        </button>
      </div>
    </form>
  );
}

/** What is sure before the API is asked; it has the last word. */
function whatKeepsFromMoving({ payment_status, starts_at }: Booking, now: number): string | undefined {
  if (Date.parse(starts_at) <= now) return strings.move.begun;
  return payment_status === 'confirmed' ? strings.move.paid : undefined;
}
