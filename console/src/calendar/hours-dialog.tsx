import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Space } from '@hourkeep/client';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { block, book, unblock, type Hours } from '../changes.ts';
import { BOOKING_DETAILS } from '../fields.ts';
import { hourRange, longDate } from '../format.ts';
import { strings } from '../strings.ts';
import { changedDetails, DetailFields, textsOf, wrongDetails } from '../ui/details.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Form, useFields } from '../ui/form.tsx';
import { useNow } from '../ui/hooks.ts';
import { HourRange } from '../ui/time.tsx';
import { wallClock } from '../zone.ts';
import { BlockForm } from './block-form.tsx';
import type { Cell, Range } from './cells.ts';
import { HourChips, HourFields, isQuickToType, Price, takenHours } from './form.tsx';
import { tell, tellBooked } from './undo.ts';

const t = strings.hours;

interface Props {
  space: Space;
  date: string;
  range: Range;
  cells: readonly Cell[];
  onClose: () => void;
}

/** Everything that can be done with hours that no booking holds. */
export default function HoursDialog(props: Props) {
  const { space, date, cells, onClose } = props;
  const [range, setRange] = useState(props.range);
  // What the hours were when the dialog opened: it must not turn into another one while they change behind it.
  const [{ state, block: blocked }] = useState(cells[range.start_hour]!);
  const shared = { ...props, setRange, hours: { spaceId: space.id, date, ...range } };
  return (
    <Dialog
      title={t.title}
      subtitle={
        <>
          <bdi>{space.title}</bdi>
          <br />
          <bdi>{longDate(date)}</bdi>, <HourRange {...range} />
        </>
      }
      onClose={onClose}
    >
      {state === 'external calendar' ? (
        <p className="note">{t.external}</p>
      ) : state === 'blocked' ? (
        <Blocked {...shared} reason={blocked?.reason ?? ''} />
      ) : (
        <Free {...shared} />
      )}
    </Dialog>
  );
}

type PartProps = Props & { setRange: (range: Range) => void; hours: Hours };

function Free({ space, date, cells, range: opened, hours, setRange, onClose }: PartProps) {
  const clock = wallClock(space.timezone, useNow());
  const isOver = (hour: number): boolean => date < clock.date || (date === clock.date && hour < clock.hour);
  const isNow = date === clock.date && hours.start_hour === clock.hour;
  const [bookable] = useState(() =>
    cells.slice(opened.start_hour, opened.end_hour).every(({ state }) => state === 'available'),
  );
  const [tab, setTab] = useState(bookable ? 'book' : 'block');
  const begun = isOver(hours.start_hour) || (isNow && !bookable);
  return (
    <>
      {/* An hour that has begun can still be blocked. */}
      <HourFields range={hours} setRange={setRange} closed={tab === 'book' ? isOver : undefined} />
      <Tabs className="tabs" selectedKey={tab} onSelectionChange={(key) => setTab(String(key))}>
        <TabList aria-label={t.tabs} className="tab-list">
          <Tab id="book" className="tab" isDisabled={begun && tab !== 'book'}>
            {t.book}
          </Tab>
          <Tab id="block" className="tab">
            {t.block}
          </Tab>
        </TabList>
        {begun && <p className="note">{t.begun}</p>}
        {/* Both stay: what was typed in one is there when the person comes back to it. */}
        <TabPanel id="book" shouldForceMount className="tab-panel">
          <BookForm space={space} hours={hours} walkIn={isNow} onClose={onClose} />
        </TabPanel>
        <TabPanel id="block" shouldForceMount className="tab-panel">
          <BlockForm hours={hours} onClose={onClose} />
        </TabPanel>
      </Tabs>
    </>
  );
}

interface FormProps {
  space: Space;
  hours: Hours;
  /** They begin with the hour that is running now. */
  walkIn: boolean;
  onClose: () => void;
}

const NOTHING = textsOf(BOOKING_DETAILS);
const NOBODY = { guest_name: '', guest_email: '', guest_phone: '', ...NOTHING };

function BookForm({ space, hours, walkIn, onClose }: FormProps) {
  const queries = useQueryClient();
  const form = useFields({
    values: { ...NOBODY, settlement_mode: 'host_settled' },
    required: walkIn ? ['guest_name'] : ['guest_name', 'guest_email'],
    check: (values) => wrongDetails(BOOKING_DETAILS, values),
    send: async (values, idempotency_key) => {
      const { spaceId, ...range } = hours;
      const booking = await book(queries, {
        ...range,
        ...changedDetails(BOOKING_DETAILS, values, NOTHING),
        space_id: spaceId,
        guest_name: values.guest_name,
        guest_email: values.guest_email || undefined,
        guest_phone: values.guest_phone || undefined,
        settlement_mode: values.settlement_mode,
        ...(walkIn && { walk_in: true }),
        idempotency_key,
      });
      tellBooked(queries, booking);
      onClose();
    },
  });
  const field = (name: keyof typeof NOBODY) => ({ ...form.field(name), autoComplete: 'off' });
  const optional = (name: keyof typeof NOBODY) => ({ ...field(name), placeholder: strings.optional });
  return (
    <Form of={form} scope="bookings:write" button={t.bookHours} beside={<Price of={space} range={hours} />}>
      <HourChips range={hours} taken={takenHours(form.error)} />
      <TextField {...field('guest_name')} autoFocus={isQuickToType()} />
      <TextField {...field('guest_email')} {...(walkIn && { label: t.optionalEmail })} type="email" />
      <div className="pair">
        <TextField {...optional('guest_phone')} type="tel" />
        <SelectField {...form.field('settlement_mode')}>
          <option value="host_settled">{t.toHost}</option>
          <option value="platform_settled">{t.toPlatform}</option>
        </SelectField>
      </div>
      <DetailFields details={BOOKING_DETAILS} field={optional} />
    </Form>
  );
}

function Blocked({ reason, hours, setRange, onClose }: PartProps & { reason: string }) {
  const queries = useQueryClient();
  const form = useFields({
    values: {},
    send: async () => {
      await unblock(queries, hours);
      const range = hourRange(hours);
      tell(t.unblocked(range), t.blocked(range), () => block(queries, hours, reason));
      onClose();
    },
  });
  return (
    <Form of={form} scope="blocks:write" button={t.unblockHours}>
      <p className="note">
        {t.youBlocked} {reason !== '' && <q dir="auto">{reason}</q>}
      </p>
      <HourFields range={hours} setRange={setRange} />
    </Form>
  );
}
