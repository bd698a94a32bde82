import { useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Booking } from '@hourkeep/client';
import { cancel } from '../changes.ts';
import { hourRange, longDate, moment, money } from '../format.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { Dialog } from '../ui/dialog.tsx';
import { fieldError, TextField } from '../ui/field.tsx';
import { MissingScope, Refusal, useLacks } from '../ui/refusal.tsx';
import { toast } from '../ui/toast.tsx';

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
  return (
    <Dialog title={t.title} subtitle={<bdi>{booking.guest_name}</bdi>} onClose={onClose}>
      <dl className="facts">
        <Fact name={t.when}>
          {longDate(booking.date)}, {hourRange(booking)}
        </Fact>
        <Fact name={t.space}>{spaceTitle}</Fact>
        <Fact name={t.status}>
          <span className="badge" data-status={booking.status}>
            {t.statuses[booking.status]}
          </span>
        </Fact>
        <Fact name={t.email}>{booking.guest_email}</Fact>
        {booking.guest_phone !== null && <Fact name={t.phone}>{booking.guest_phone}</Fact>}
        <Fact name={t.price}>{money(booking.total_price, booking.currency)}</Fact>
        <Fact name={t.payment}>{t.payments(booking.settlement_mode, booking.payment_status)}</Fact>
        <Fact name={t.made}>
          {moment(booking.created_at)}, {t.sources[booking.source]}
        </Fact>
        {booking.cancelled_at !== null && <Fact name={t.cancelledAt}>{moment(booking.cancelled_at)}</Fact>}
        {booking.cancellation_reason !== null && <Fact name={t.reason}>{booking.cancellation_reason}</Fact>}
      </dl>
      {booking.status === 'confirmed' && <CancelForm booking={booking} onClose={onClose} />}
    </Dialog>
  );
}

/** Guests write what they like: it is isolated from the words around it and breaks anywhere. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{children}</bdi>
      </dd>
    </div>
  );
}

function CancelForm({ booking, onClose }: { booking: Booking; onClose: () => void }) {
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const lacksScope = useLacks('bookings:write');
  const { run, busy, error } = useAction(async () => {
    await cancel(queries, booking, reason);
    toast.set({ message: strings.booking.cancelled(booking.guest_name) });
    onClose();
  });
  return (
    <form noValidate className="cancel-form" onSubmit={(event) => (event.preventDefault(), run())}>
      <TextField
        label={strings.booking.reason}
        value={reason}
        onChange={setReason}
        autoComplete="off"
        hint={strings.booking.reasonHint}
        error={fieldError(error, 'reason')}
      />
      <Refusal error={error} />
      <MissingScope scope="bookings:write" />
      <div className="actions">
        <button type="submit" className="button danger" aria-busy={busy} disabled={lacksScope}>
          {strings.booking.cancelBooking}
        </button>
      </div>
    </form>
  );
}
