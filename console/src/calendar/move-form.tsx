import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { HourkeepError, type Booking, type Space } from '@hourkeep/client';
import { move } from '../changes.ts';
import { longDate, money, plainClock } from '../format.ts';
import { newKey } from '../new-key.ts';
import { useDays, useSpaces } from '../queries.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { DateField } from '../ui/date-field.tsx';
import { fieldError, SelectField } from '../ui/field.tsx';
import { useNow } from '../ui/hooks.ts';
import { MissingScope, Refusal, useLacks } from '../ui/refusal.tsx';
import { HourRange } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { wallClock } from '../zone.ts';
import { covers, type Range } from './cells.ts';
import { SpaceOptions } from './space-options.tsx';
import { HourChips, HourOptions, takenHours } from './taken-hours.tsx';

const t = strings.move;

/** Another day, other hours, another space: the old booking ends and the new one is made in one step. */
export default function MoveForm({
  booking,
  onKeep,
  onClose,
}: {
  booking: Booking;
  onKeep: () => void;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const spaces = useSpaces().data ?? [];
  const now = useNow();
  const [date, setDate] = useState<string | undefined>(booking.date);
  const [range, setRange] = useState<Range>({ start_hour: booking.start_hour, end_hour: booking.end_hour });
  const [spaceId, setSpaceId] = useState(booking.space_id);
  const [refused, setRefused] = useState<readonly number[]>([]);
  const key = useRef(newKey());
  const lacksScope = useLacks('bookings:write');
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

  const { run, busy, error } = useAction(async () => {
    if (date === undefined) return;
    setRefused([]);
    try {
      await move(queries, booking, { spaceId, date, ...range }, key.current);
    } catch (refusal) {
      // A refusal stores nothing. Without an answer it may have been moved: then the same key must be sent again.
      if (refusal instanceof HourkeepError && refusal.status >= 400 && refusal.status < 500)
        key.current = newKey();
      setRefused(takenHours(refusal));
      throw refusal;
    }
    toast.set({ message: t.moved(booking.guest_name, longDate(date)) });
    onClose();
  });
  const labels = { date: t.newDate, start_hour: t.from, end_hour: t.to, space_id: t.newSpace };
  // The length stays when the beginning changes.
  const from = (hour: number): void => {
    const length = range.end_hour - range.start_hour;
    setRange({ start_hour: hour, end_hour: Math.min(24, hour + length) });
  };
  const to = (hour: number): void =>
    setRange({ start_hour: Math.min(range.start_hour, hour - 1), end_hour: hour });
  return (
    <form noValidate className="move-form" onSubmit={(event) => (event.preventDefault(), run())}>
      <h3>{t.title}</h3>
      <DateField
        label={t.newDate}
        autoFocus
        value={date}
        onChange={setDate}
        error={fieldError(error, 'date', labels)}
      />
      <div className="pair">
        <SelectField
          label={t.from}
          value={plainClock(range.start_hour)}
          onChange={(hour) => from(Number.parseInt(hour))}
        >
          <HourOptions from={0} closed={hasBegun} />
        </SelectField>
        <SelectField
          label={t.to}
          value={plainClock(range.end_hour)}
          onChange={(hour) => to(Number.parseInt(hour))}
        >
          <HourOptions from={1} closed={hasBegun} />
        </SelectField>
      </div>
      <SelectField label={t.newSpace} value={spaceId} onChange={setSpaceId}>
        <SpaceOptions spaces={spaces} />
      </SelectField>
      <HourChips range={range} taken={[...held, ...refused]} />
      <PriceChange booking={booking} space={space} range={range} />
      <Refusal error={error} labels={labels} />
      <MissingScope scope="bookings:write" />
      <div className="actions">
        <button type="button" className="button" onClick={onKeep}>
          {t.keep}
        </button>
        <button type="submit" className="button primary" aria-busy={busy} disabled={lacksScope}>
          {t.moveBooking}
        </button>
      </div>
    </form>
  );
}

/** A move is charged at the space's price of today. */
function PriceChange({
  booking,
  space,
  range,
}: {
  booking: Booking;
  space: Space | undefined;
  range: Range;
}) {
  if (space === undefined || range.end_hour <= range.start_hour) return null;
  const price = (range.end_hour - range.start_hour) * space.price_per_hour;
  const [was, is] = [money(booking.total_price, booking.currency), money(price, space.currency)];
  return (
    <p className="small muted">
      <HourRange {...range} /> · <bdi>{was === is ? t.samePrice(is) : t.newPrice(was, is)}</bdi>
    </p>
  );
}
