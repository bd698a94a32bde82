import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Space } from '@hourkeep/client';
import { book } from '../changes.ts';
import { clock } from '../format.ts';
import { useDays } from '../queries.ts';
import { strings } from '../strings.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Form, useFields } from '../ui/form.tsx';
import { useNow } from '../ui/hooks.ts';
import { wallClock } from '../zone.ts';
import { isOpen } from './cells.ts';
import { HourChips, HourSelect, isQuickToType, Price, takenHours } from './form.tsx';
import { SpaceOptions } from './space-options.tsx';
import { tellBooked } from './undo.ts';

/** A guest who stands in the door: from the running hour on, by name alone. */
export default function WalkIn({
  spaces,
  first,
  onClose,
}: {
  spaces: readonly Space[];
  /** One that is free now, if any is. */
  first: Space;
  onClose: () => void;
}) {
  const t = strings.hours;
  const queries = useQueryClient();
  const now = useNow();
  const [spaceId, setSpaceId] = useState(first.id);
  const [chosenEnd, setEnd] = useState<number>();
  const space = spaces.find(({ id }) => id === spaceId) ?? first;
  const { date, hour } = wallClock(space.timezone, now);
  const [day] = useDays([{ spaceId, date }]);
  const end = Math.max(chosenEnd ?? 0, Math.min(24, hour + (space.booking_rules.min_hours ?? 1)));
  const range = { date, start_hour: hour, end_hour: end };
  const held = (day?.data?.slots ?? []).filter(({ block_reason }) => block_reason !== null);
  const form = useFields({
    values: { guest_name: '', guest_email: '' },
    required: ['guest_name'],
    send: async ({ guest_name, guest_email }, idempotency_key) => {
      const guest = { guest_name, guest_email: guest_email.trim() || undefined, walk_in: true };
      tellBooked(queries, await book(queries, { space_id: spaceId, ...range, ...guest, idempotency_key }));
      onClose();
    },
  });
  return (
    <Dialog title={strings.booking.walkIn} onClose={onClose}>
      <Form of={form} scope="bookings:write" button={t.bookNow} beside={<Price of={space} range={range} />}>
        <SelectField label={strings.booking.space} value={spaceId} onChange={setSpaceId}>
          <SpaceOptions spaces={spaces} />
        </SelectField>
        <div className="pair">
          <p className="field">
            <span>{t.starts}</span>
            <strong>{t.now(clock(hour))}</strong>
          </p>
          <HourSelect label={t.ends} value={end} onChange={setEnd} from={1} closed={(each) => each < hour} />
        </div>
        <HourChips range={range} taken={[...held.map((slot) => slot.hour), ...takenHours(form.error)]} />
        {!isOpen(space, date, hour) && <p className="note">{t.closedNow}</p>}
        <TextField {...form.field('guest_name')} autoComplete="off" autoFocus={isQuickToType()} />
        <TextField {...form.field('guest_email')} label={t.optionalEmail} autoComplete="off" type="email" />
      </Form>
    </Dialog>
  );
}
