import { useQueryClient } from '@tanstack/react-query';
import type { Booking } from '@hourkeep/client';
import { move, type Hours } from '../changes.ts';
import { money } from '../format.ts';
import { useDays, useSpaces } from '../queries.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { DateField } from '../ui/date-field.tsx';
import { SelectField } from '../ui/field.tsx';
import { Form, useFields } from '../ui/form.tsx';
import { useNow } from '../ui/hooks.ts';
import { HourRange } from '../ui/time.tsx';
import { wallClock } from '../zone.ts';
import { covers, type Range } from './cells.ts';
import { HourChips, HourFields, takenHours } from './form.tsx';
import { SpaceOptions } from './space-options.tsx';
import { tellMoved } from './undo.ts';

const t = strings.move;

interface Goal {
  date: string | undefined;
  range: Range;
  space_id: string;
}

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
  const queries = useQueryClient();
  const spaces = useSpaces().data ?? [];
  const now = useNow();
  const { start_hour, end_hour } = to ?? booking;
  const form = useFields<Goal>({
    values: {
      date: to?.date ?? booking.date,
      range: { start_hour, end_hour },
      space_id: to?.spaceId ?? booking.space_id,
    },
    labels: { date: t.newDate, start_hour: t.from, end_hour: t.to, space_id: t.newSpace },
    send: async ({ date, range, space_id }, key) => {
      if (date === undefined) return;
      tellMoved(queries, booking, await move(queries, booking, { spaceId: space_id, date, ...range }, key));
      onClose();
    },
  });
  const { date, range, space_id: spaceId } = form.values;
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
  const price = space && money((range.end_hour - range.start_hour) * space.price_per_hour, space.currency);
  const was = money(booking.total_price, booking.currency);
  return (
    <Form
      of={form}
      scope="bookings:write"
      button={t.moveBooking}
      beside={<Button onClick={onKeep}>{t.keep}</Button>}
    >
      <h3>{t.title}</h3>
      <DateField {...form.field('date')} autoFocus />
      <HourFields
        labels={[t.from, t.to]}
        range={range}
        setRange={(to) => form.set({ range: to })}
        closed={hasBegun}
      />
      <HourChips range={range} taken={[...held, ...takenHours(form.error)]} />
      <SelectField {...form.field('space_id')}>
        <SpaceOptions spaces={spaces} />
      </SelectField>
      {/* A move is charged at the space's price of today. */}
      {price !== undefined && (
        <p className="small muted">
          <HourRange {...range} /> · <bdi>{was === price ? t.samePrice(price) : t.newPrice(was, price)}</bdi>
        </p>
      )}
    </Form>
  );
}
