import { useMemo, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { HourkeepError, type Space } from '@hourkeep/client';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { block, book, unblock, type Hours } from '../changes.ts';
import { clock, hourRange, longDate, money, plainClock } from '../format.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { Dialog } from '../ui/dialog.tsx';
import { fieldError, SelectField, TextField } from '../ui/field.tsx';
import { MissingScope, Refusal, useLacks } from '../ui/refusal.tsx';
import { toast } from '../ui/toast.tsx';
import type { Cell, Range } from './cells.ts';

interface Props {
  space: Space;
  date: string;
  range: Range;
  cells: readonly Cell[];
  onClose: () => void;
}

/** Everything that can be done with hours that no booking holds. */
export function HoursDialog(props: Props) {
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
      {longDate(date)}, <span className="nowrap">{hourRange(range)}</span>
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
  const { cells, range } = props;
  const [bookable] = useState(() =>
    cells.slice(range.start_hour, range.end_hour).every(({ state }) => state === 'available'),
  );
  const [taken, setTaken] = useState<readonly number[]>([]);
  return (
    <>
      <HourPicker {...props} taken={taken} />
      <Tabs className="tabs" defaultSelectedKey={bookable ? 'book' : 'block'}>
        <TabList aria-label={strings.hours.tabs} className="tab-list">
          <Tab id="book" className="tab">
            {strings.hours.book}
          </Tab>
          <Tab id="block" className="tab">
            {strings.hours.block}
          </Tab>
        </TabList>
        {/* Both stay: what was typed in one is there when the person comes back to it. */}
        <TabPanel id="book" shouldForceMount className="tab-panel">
          <BookForm {...props} onTaken={setTaken} />
        </TabPanel>
        <TabPanel id="block" shouldForceMount className="tab-panel">
          <BlockForm {...props} onTaken={setTaken} />
        </TabPanel>
      </Tabs>
    </>
  );
}

/** First and last hour can be changed, and hours that the API called taken are marked. */
function HourPicker({ range, setRange, taken }: PartProps & { taken: readonly number[] }) {
  const hours = Array.from(
    { length: range.end_hour - range.start_hour },
    (_, index) => range.start_hour + index,
  );
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
          <HourOptions from={0} />
        </SelectField>
        <SelectField
          label={strings.hours.ends}
          value={plainClock(range.end_hour)}
          onChange={(v) => ends(Number.parseInt(v))}
        >
          <HourOptions from={1} />
        </SelectField>
      </div>
      {taken.length > 0 && (
        <ul className="chips" aria-label={strings.hours.chosen}>
          {hours.map((hour) => (
            <li key={hour} data-taken={taken.includes(hour) || undefined}>
              {clock(hour)} {taken.includes(hour) ? strings.hours.taken : strings.hours.free}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function HourOptions({ from }: { from: number }) {
  return Array.from({ length: 24 }, (_, index) => (
    <option key={index} value={plainClock(index + from)}>
      {clock(index + from)}
    </option>
  ));
}

type FormProps = PartProps & { onTaken: (hours: readonly number[]) => void };

function BookForm({ space, hours, onTaken, onClose }: FormProps) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [phone, setPhone] = useState('');
  const [mode, setMode] = useState('host_settled');
  const key = useRef(newKey());
  const lacksScope = useLacks('bookings:write');
  const price = useMemo(
    () => money((hours.end_hour - hours.start_hour) * space.price_per_hour, space.currency),
    [hours.end_hour, hours.start_hour, space],
  );
  const { run, busy, error } = useAction(async () => {
    const { spaceId, ...range } = hours;
    try {
      await book(queries, {
        space_id: spaceId,
        ...range,
        guest_name: name,
        guest_email: email,
        ...(phone === '' ? {} : { guest_phone: phone }),
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
      <TextField
        label={strings.hours.guestPhone}
        type="tel"
        value={phone}
        onChange={setPhone}
        autoComplete="off"
        placeholder={strings.optional}
        error={fieldError(error, 'guest_phone')}
      />
      <SelectField label={strings.hours.paidTo} value={mode} onChange={setMode}>
        <option value="host_settled">{strings.hours.toHost}</option>
        <option value="platform_settled">{strings.hours.toPlatform}</option>
      </SelectField>
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

function BlockForm({ hours, onTaken, onClose }: FormProps) {
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const lacksScope = useLacks('blocks:write');
  const { run, busy, error } = useAction(async () => {
    try {
      await block(queries, hours, reason);
    } catch (refusal) {
      onTaken(takenHours(refusal));
      throw refusal;
    }
    const undo = (): void => {
      unblock(queries, hours).then(
        () => toast.set({ message: strings.hours.unblocked(hourRange(hours)) }),
        (failed: Error) => toast.set({ message: failed.message }),
      );
    };
    toast.set({ message: strings.hours.blocked(hourRange(hours)), undo });
    onClose();
  });
  return (
    <form noValidate onSubmit={(event) => (event.preventDefault(), run())}>
      <TextField
        label={strings.hours.reason}
        value={reason}
        onChange={setReason}
        autoComplete="off"
        hint={strings.hours.reasonHint}
        error={fieldError(error, 'reason')}
      />
      <Refusal error={error} />
      <MissingScope scope="blocks:write" />
      <div className="actions">
        <button type="submit" className="button primary" aria-busy={busy} disabled={lacksScope}>
          {strings.hours.blockHours}
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
        (failed: Error) => toast.set({ message: failed.message }),
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

/** The hours that a 409 names. */
function takenHours(error: unknown): number[] {
  if (!(error instanceof HourkeepError)) return [];
  const isTaken = error.code === 'BOOKING_CONFLICT' || error.code === 'BLOCK_SLOT_OCCUPIED';
  return isTaken ? (error.details?.hours ?? []) : [];
}

/** Not `randomUUID`, which browsers have on https pages alone. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
