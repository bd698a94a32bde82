import { useMemo, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { HourkeepError, type Space } from '@hourkeep/client';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { block, book, unblock, type Hours } from '../changes.ts';
import { hourRange, longDate, money, plainClock, readCount } from '../format.ts';
import { newKey } from '../new-key.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { Dialog } from '../ui/dialog.tsx';
import { fieldError, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { useNow } from '../ui/hooks.ts';
import { messageOf, MissingScope, Refusal, useLacks } from '../ui/refusal.tsx';
import { HourRange } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { wallClock } from '../zone.ts';
import { BlockForm } from './block-form.tsx';
import type { Cell, Range } from './cells.ts';
import { HourChips, HourOptions, takenHours } from './taken-hours.tsx';

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
  const [state] = useState(cells[range.start_hour]!.state);
  const [reason] = useState(cells[range.start_hour]!.block?.reason ?? '');
  const hours: Hours = { spaceId: space.id, date, ...range };
  const subtitle = (
    <>
      <bdi>{space.title}</bdi>
      <br />
      <bdi>{longDate(date)}</bdi>, <HourRange {...range} />
    </>
  );
  const shared = { ...props, range, setRange, hours };
  return (
    <Dialog title={strings.hours.title} subtitle={subtitle} onClose={onClose}>
      {state === 'external calendar' ? (
        <p className="note">{strings.hours.external}</p>
      ) : state === 'blocked' ? (
        <Blocked {...shared} reason={reason} />
      ) : (
        <Free {...shared} />
      )}
    </Dialog>
  );
}

type PartProps = Props & { setRange: (range: Range) => void; hours: Hours };

function Free(props: PartProps) {
  const { space, date, cells, range } = props;
  const clock = wallClock(space.timezone, useNow());
  const hasBegun = (hour: number): boolean =>
    date < clock.date || (date === clock.date && hour <= clock.hour);
  const [bookable] = useState(() =>
    cells.slice(range.start_hour, range.end_hour).every(({ state }) => state === 'available'),
  );
  const [tab, setTab] = useState(bookable ? 'book' : 'block');
  const [taken, setTaken] = useState<readonly number[]>([]);
  const begun = hasBegun(range.start_hour);
  return (
    <>
      {/* An hour that has begun can still be blocked. */}
      <HourPicker {...props} taken={taken} closed={tab === 'book' ? hasBegun : undefined} />
      <Tabs className="tabs" selectedKey={tab} onSelectionChange={(key) => setTab(String(key))}>
        <TabList aria-label={strings.hours.tabs} className="tab-list">
          <Tab id="book" className="tab" isDisabled={begun && tab !== 'book'}>
            {strings.hours.book}
          </Tab>
          <Tab id="block" className="tab">
            {strings.hours.block}
          </Tab>
        </TabList>
        {begun && <p className="note">{strings.hours.begun}</p>}
        {/* Both stay: what was typed in one is there when the person comes back to it. */}
        <TabPanel id="book" shouldForceMount className="tab-panel">
          <BookForm {...props} onTaken={setTaken} />
        </TabPanel>
        <TabPanel id="block" shouldForceMount className="tab-panel">
          <BlockForm hours={props.hours} onTaken={setTaken} onClose={props.onClose} />
        </TabPanel>
      </Tabs>
    </>
  );
}

/** First and last hour can be changed, and hours that the API called taken are marked. */
function HourPicker({
  range,
  setRange,
  taken,
  closed,
}: PartProps & { taken: readonly number[]; closed?: ((hour: number) => boolean) | undefined }) {
  const starts = (hour: number): void =>
    setRange({ start_hour: hour, end_hour: Math.max(range.end_hour, hour + 1) });
  const ends = (hour: number): void =>
    setRange({ start_hour: Math.min(range.start_hour, hour - 1), end_hour: hour });
  return (
    <div className="hour-picker">
      <div className="pair">
        <SelectField
          label={strings.hours.starts}
          value={plainClock(range.start_hour)}
          onChange={(v) => starts(Number.parseInt(v))}
        >
          <HourOptions from={0} closed={closed} />
        </SelectField>
        <SelectField
          label={strings.hours.ends}
          value={plainClock(range.end_hour)}
          onChange={(v) => ends(Number.parseInt(v))}
        >
          <HourOptions from={1} closed={closed} />
        </SelectField>
      </div>
      <HourChips range={range} taken={taken} />
    </div>
  );
}

type FormProps = PartProps & { onTaken: (hours: readonly number[]) => void };

function BookForm({ space, hours, onTaken, onClose }: FormProps) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [phone, setPhone] = useState('');
  const [guests, setGuests] = useState('');
  const [reference, setReference] = useState('');
  const [notes, setNotes] = useState('');
  const [unreadable, setUnreadable] = useState(false);
  const [mode, setMode] = useState('host_settled');
  const key = useRef(newKey());
  const lacksScope = useLacks('bookings:write');
  const price = useMemo(
    () => money((hours.end_hour - hours.start_hour) * space.price_per_hour, space.currency),
    [hours.end_hour, hours.start_hour, space],
  );
  const { run, busy, error } = useAction(async () => {
    const { spaceId, ...range } = hours;
    const guest_count = readCount(guests);
    setUnreadable(guest_count === undefined);
    if (guest_count === undefined) return;
    try {
      await book(queries, {
        space_id: spaceId,
        ...range,
        guest_name: name,
        guest_email: email,
        ...(phone === '' ? {} : { guest_phone: phone }),
        guest_count,
        reference: reference.trim() || null,
        notes: notes.trim() || null,
        settlement_mode: mode,
        idempotency_key: key.current,
      });
    } catch (refusal) {
      // A refusal stores nothing. Without an answer it may have been booked: then the same key must be sent again.
      if (refusal instanceof HourkeepError && refusal.status >= 400 && refusal.status < 500)
        key.current = newKey();
      onTaken(takenHours(refusal));
      throw refusal;
    }
    toast.set({ message: strings.hours.booked(name, hourRange(hours)) });
    onClose();
  });
  return (
    <form noValidate onSubmit={(event) => (event.preventDefault(), run())}>
      <TextField
        label={strings.hours.guestName}
        autoFocus={isQuickToType()}
        value={name}
        onChange={setName}
        autoComplete="off"
        error={fieldError(error, 'guest_name')}
      />
      <TextField
        label={strings.hours.guestEmail}
        type="email"
        value={email}
        onChange={setEmail}
        autoComplete="off"
        error={fieldError(error, 'guest_email')}
      />
      <div className="pair">
        <TextField
          label={strings.hours.guestPhone}
          type="tel"
          value={phone}
          onChange={setPhone}
          autoComplete="off"
          placeholder={strings.optional}
          error={fieldError(error, 'guest_phone')}
        />
        <TextField
          label={strings.fields.guest_count}
          value={guests}
          onChange={setGuests}
          inputMode="numeric"
          autoComplete="off"
          placeholder={strings.optional}
          error={
            unreadable
              ? strings.spaces.notANumber(strings.fields.guest_count)
              : fieldError(error, 'guest_count')
          }
          errorRole={unreadable ? 'alert' : undefined}
        />
      </div>
      <div className="pair">
        <SelectField label={strings.hours.paidTo} value={mode} onChange={setMode}>
          <option value="host_settled">{strings.hours.toHost}</option>
          <option value="platform_settled">{strings.hours.toPlatform}</option>
        </SelectField>
        <TextField
          label={strings.fields.reference}
          value={reference}
          onChange={setReference}
          autoComplete="off"
          dir="auto"
          placeholder={strings.optional}
          error={fieldError(error, 'reference')}
        />
      </div>
      <TextArea
        label={strings.fields.notes}
        value={notes}
        onChange={setNotes}
        rows={2}
        placeholder={strings.optional}
        error={fieldError(error, 'notes')}
      />
      <Refusal error={error} />
      <MissingScope scope="bookings:write" />
      <div className="actions">
        <span className="price">{price}</span>
        <button type="submit" className="button primary" aria-busy={busy} disabled={lacksScope}>
          {strings.hours.bookHours}
        </button>
      </div>
    </form>
  );
}

function Blocked({ reason, hours, onClose, ...rest }: PartProps & { reason: string }) {
  const queries = useQueryClient();
  const lacksScope = useLacks('blocks:write');
  const { run, busy, error } = useAction(async () => {
    await unblock(queries, hours);
    const undo = (): void => {
      block(queries, hours, reason).then(
        () => toast.set({ message: strings.hours.blocked(hourRange(hours)) }),
        (failed: unknown) => toast.set({ message: messageOf(failed) }),
      );
    };
    toast.set({ message: strings.hours.unblocked(hourRange(hours)), undo });
    onClose();
  });
  return (
    <form noValidate onSubmit={(event) => (event.preventDefault(), run())}>
      <p className="note">
        {strings.hours.youBlocked} {reason !== '' && <q dir="auto">{reason}</q>}
      </p>
      <HourPicker {...rest} hours={hours} onClose={onClose} taken={[]} />
      <Refusal error={error} />
      <MissingScope scope="blocks:write" />
      <div className="actions">
        <button type="submit" className="button primary" aria-busy={busy} disabled={lacksScope}>
          {strings.hours.unblockHours}
        </button>
      </div>
    </form>
  );
}

/** On a touch screen a focused field would cover half of the sheet with the keyboard. */
const isQuickToType = (): boolean => matchMedia('(hover: hover)').matches;
