import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Booking } from '@hourkeep/client';
import { move, type Hours } from '../changes.ts';
import { money } from '../format.ts';
import { useDays, useSpaces } from '../queries.ts';
import { strings } from '../strings.ts';
import { DateField } from '../ui/date-field.tsx';
import { fieldError, SelectField } from '../ui/field.tsx';
import { useNow } from '../ui/hooks.ts';
import { HourRange } from '../ui/time.tsx';
import { wallClock } from '../zone.ts';
import { covers, type Range } from './cells.ts';
import { FormEnd, HourFields, useHoursAction } from './form.tsx';
import { SpaceOptions } from './space-options.tsx';
import { tellMoved } from './undo.ts';

const t = strings.move;

/** Another day, other hours, another space: the old booking ends and the new one is made in one step. */
export default function MoveForm({
  booking,
  to,
  onKeep,
  onClose,
}: {
  booking: Booking;
  /** Where it was dragged to. */
  to: Hours | undefined;
  onKeep: () => void;
  onClose: () => void;
}) {
  const labels = { date: t.newDate, start_hour: t.from, end_hour: t.to, space_id: t.newSpace };
  const queries = useQueryClient();
  const spaces = useSpaces().data ?? [];
  const now = useNow();
  const [date, setDate] = useState<string | undefined>(to?.date ?? booking.date);
  const [range, setRange] = useState<Range>({
    start_hour: (to ?? booking).start_hour,
    end_hour: (to ?? booking).end_hour,
  });
  const [spaceId, setSpaceId] = useState(to?.spaceId ?? booking.space_id);
  const [refused, setRefused] = useState<readonly number[]>([]);
  const space = spaces.find(({ id }) => id === spaceId);
  const [day] = useDays([date === undefined ? undefined : { spaceId, date }]);
  const isOwn = (hour: number): boolean =>
    spaceId === booking.space_id && date === booking.date && covers(booking, hour);
  const held = (day?.data?.slots ?? [])
    .filter(({ hour, block_reason }) => block_reason !== null && !(block_reason === 'booked' && isOwn(hour)))
    .map(({ hour }) => hour);
  const clock = wallClock(space?.timezone ?? booking.timezone, now);
  const hasBegun = (hour: number): boolean =>
    date !== undefined && (date < clock.date || (date === clock.date && hour <= clock.hour));
  const action = useHoursAction(async (key) => {
    if (date === undefined) return;
    tellMoved(queries, booking, await move(queries, booking, { spaceId, date, ...range }, key));
    onClose();
  }, setRefused);
  const price = space && money((range.end_hour - range.start_hour) * space.price_per_hour, space.currency);
  const was = money(booking.total_price, booking.currency);
  return (
    <form noValidate className="move-form" onSubmit={(event) => (event.preventDefault(), action.run())}>
      <h3>{t.title}</h3>
      <DateField
        label={t.newDate}
        autoFocus
        value={date}
        onChange={setDate}
        error={fieldError(action.error, 'date', labels)}
      />
      <HourFields
        labels={[t.from, t.to]}
        range={range}
        setRange={setRange}
        taken={[...held, ...refused]}
        closed={hasBegun}
      />
      <SelectField label={t.newSpace} value={spaceId} onChange={setSpaceId}>
        <SpaceOptions spaces={spaces} />
      </SelectField>
      {/* A move is charged at the space's price of today. */}
      {price !== undefined && (
        <p className="small muted">
          <HourRange {...range} /> · <bdi>{was === price ? t.samePrice(price) : t.newPrice(was, price)}</bdi>
        </p>
      )}
      <FormEnd scope="bookings:write" action={action} labels={labels} button={t.moveBooking}>
        <button type="button" className="button" onClick={onKeep}>
          {t.keep}
        </button>
      </FormEnd>
    </form>
  );
}
