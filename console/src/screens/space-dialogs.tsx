import { useEffect, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Space, UpdateListing } from '@hourkeep/client';
import { read, write } from '../calls.ts';
import { rememberSpace, updateSpace } from '../changes.ts';
import { hourRange, mediumDate, moment, readCount } from '../format.ts';
import { useSpaces } from '../queries.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { Ask } from '../ui/ask.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { fieldError, TextArea, TextField } from '../ui/field.tsx';
import { OnceDialog } from '../ui/once.tsx';
import { MissingScope, Refusal, useLacks } from '../ui/refusal.tsx';
import { toast } from '../ui/toast.tsx';
import { wallClock } from '../zone.ts';
import {
  labelledRules,
  openingChanges,
  OpeningFields,
  openingOf,
  ruleChanges,
  RuleFields,
  ruleTexts,
} from './opening-fields.tsx';

const t = strings.spaces;

interface Props {
  space: Space;
  onClose: () => void;
}

const NAMED = 5;

/** Who has booked it stays booked: the person shall know who that is before nobody else can. */
export function DeactivateDialog({ space, work, onClose }: Props & { work: () => Promise<void> }) {
  const { data, error, isPending } = useQuery({
    queryKey: ['bookings', 'ahead', space.id],
    queryFn: ({ signal }) =>
      read(
        (hk) =>
          hk.bookings.list(
            {
              space_id: space.id,
              status: 'confirmed',
              from: wallClock(space.timezone).date,
              limit: NAMED,
            },
            { signal },
          ),
        signal,
      ),
    staleTime: 0,
  });
  const total = data?.pagination.total ?? 0;
  return (
    <Ask
      title={t.deactivate}
      subtitle={<bdi>{space.title}</bdi>}
      button={t.deactivate}
      work={work}
      onClose={onClose}
    >
      <p>{t.deactivateWhat}</p>
      {isPending && <div className="skeleton" />}
      <Refusal error={error} />
      {data !== undefined && <p className="note">{t.ahead(total)}</p>}
      {total > 0 && (
        <ul className="stack tight bullets">
          {data?.bookings.map((booking) => (
            <li key={booking.id}>
              {mediumDate(booking.date)} <span className="hours">{hourRange(booking)}</span>{' '}
              <bdi>{booking.guest_name}</bdi>
            </li>
          ))}
          {total > NAMED && <li>{t.more(total - NAMED)}</li>}
        </ul>
      )}
    </Ask>
  );
}

/** What guests read about the space. Only what was changed is sent. */
export function DetailsDialog({ space, onClose }: Props) {
  const queries = useQueryClient();
  const lacksScope = useLacks('spaces:write');
  const [description, setDescription] = useState(space.description ?? '');
  const [opening, setOpening] = useState(() => openingOf(space));
  const [rules, setRules] = useState(() => ruleTexts(space));
  const [capacity, setCapacity] = useState(space.capacity === null ? '' : String(space.capacity));
  const [amenities, setAmenities] = useState(space.amenities.join('\n'));
  const [photos, setPhotos] = useState(space.photo_urls.join('\n'));
  /** Labels of what is no number. */
  const [unreadable, setUnreadable] = useState<readonly string[]>([]);
  const changes: UpdateListing = {
    ...(description !== (space.description ?? '') && {
      description: description.trim() === '' ? null : description,
    }),
    ...openingChanges(opening, space),
    ...ruleChanges(rules, space),
    ...(capacity.trim() !== String(space.capacity ?? '') && {
      capacity: readCount(capacity) ?? null,
    }),
    ...(amenities !== space.amenities.join('\n') && { amenities: linesOf(amenities) }),
    ...(photos !== space.photo_urls.join('\n') && { photo_urls: linesOf(photos) }),
  };
  const { run, busy, error } = useAction(async () => {
    if (Object.keys(changes).length > 0) {
      const saved = await updateSpace(queries, space.id, changes);
      toast.set({ message: t.saved(saved.title) });
    }
    onClose();
  });
  const submit = (): void => {
    const numbers: [label: string, text: string][] = [...labelledRules(rules), [t.capacity, capacity]];
    const wrong = numbers.filter(([, text]) => readCount(text) === undefined).map(([label]) => label);
    setUnreadable(wrong);
    if (wrong.length === 0) run();
  };
  const numberError = (field: string, label: string): string | undefined =>
    unreadable.includes(label) ? t.notANumber(label) : fieldError(error, field);
  return (
    <Dialog title={t.details} subtitle={<bdi>{space.title}</bdi>} onClose={onClose}>
      <form noValidate onSubmit={(event) => (event.preventDefault(), submit())}>
        <TextArea
          label={t.description}
          value={description}
          onChange={setDescription}
          rows={4}
          error={fieldError(error, 'description')}
        />
        <OpeningFields opening={opening} onChange={setOpening} error={error} />
        <RuleFields texts={rules} onChange={setRules} errorOf={numberError} />
        <TextField
          label={t.capacity}
          value={capacity}
          onChange={setCapacity}
          inputMode="numeric"
          autoComplete="off"
          hint={t.capacityHint}
          error={numberError('capacity', t.capacity)}
        />
        <TextArea
          label={t.amenities}
          value={amenities}
          onChange={setAmenities}
          rows={4}
          hint={t.onePerLine}
          error={fieldError(error, 'amenities')}
        />
        <TextArea
          label={t.photos}
          value={photos}
          onChange={setPhotos}
          rows={3}
          hint={t.photosHint}
          error={fieldError(error, 'photo_urls')}
        />
        {unreadable.length > 0 && (
          <p role="alert" className="alert">
            {unreadable.map(t.notANumber).join(' ')}
          </p>
        )}
        <Refusal error={error} />
        <MissingScope scope="spaces:write" />
        <div className="actions">
          <button type="submit" className="button primary" aria-busy={busy} disabled={lacksScope}>
            {t.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The address is a secret: it is told once, and a new one ends the old one. */
export function FeedDialog({ space, onClose }: Props) {
  const queries = useQueryClient();
  const [address, setAddress] = useState<string>();
  const subtitle = <bdi>{space.title}</bdi>;
  const rotate = async (): Promise<void> => {
    const { ical_feed_url, ...saved } = await write((hk) =>
      hk.spaces.update(space.id, { rotate_ical_token: true }),
    );
    rememberSpace(queries, saved);
    setAddress(ical_feed_url);
  };
  if (address === undefined) {
    return (
      <Ask title={t.feed} subtitle={subtitle} button={t.makeFeed} work={rotate} onClose={onClose}>
        <p>{t.feedWhat}</p>
        <p className="note">{t.feedEnds}</p>
      </Ask>
    );
  }
  return (
    <OnceDialog title={t.feed} subtitle={subtitle} label={t.feedAddress} value={address} onClose={onClose}>
      <ul className="stack tight bullets">
        {t.feedHow.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </OnceDialog>
  );
}

/** So often, and no more, it is looked whether a new calendar has been read. */
const LOOK_MS = 3000;
const MOST_LOOKS = 10;

export function CalendarsDialog({ space, onClose }: Props) {
  const queries = useQueryClient();
  const lacksScope = useLacks('spaces:write');
  const { refetch } = useSpaces();
  const [address, setAddress] = useState('');
  const [looks, setLooks] = useState(0);
  const waits = space.external_calendars.some(({ status }) => status === 'waiting');
  useEffect(() => {
    if (!waits || looks >= MOST_LOOKS) return undefined;
    const timer = setTimeout(() => {
      setLooks(looks + 1);
      void refetch();
    }, LOOK_MS);
    return () => clearTimeout(timer);
  }, [waits, looks, refetch]);
  const connect = useAction(async () => {
    await updateSpace(queries, space.id, { connect_calendar: address.trim() });
    setAddress('');
    setLooks(0);
    toast.set({ message: t.connected });
  });
  const disconnect = useAction(async (id: string, name: string) => {
    await updateSpace(queries, space.id, { disconnect_calendar: id });
    toast.set({ message: t.disconnected(name) });
  });
  return (
    <Dialog title={t.calendars} subtitle={<bdi>{space.title}</bdi>} onClose={onClose}>
      <p className="muted">{t.calendarsLead}</p>
      {space.external_calendars.length === 0 ? (
        <p className="empty">{t.noCalendars}</p>
      ) : (
        <ul className="stack tight external" aria-label={t.calendars}>
          {space.external_calendars.map((calendar) => (
            <li key={calendar.id}>
              <div>
                <bdi className="address">{calendar.address}</bdi>
                <p className="delivery" data-status={calendar.status === 'failing' ? 'failed' : undefined}>
                  {t.calendarStates[calendar.status](
                    calendar.last_synced_at === null ? undefined : moment(calendar.last_synced_at),
                  )}
                </p>
                {calendar.error !== null && (
                  <p className="beneath">
                    <q lang="en">{calendar.error}</q>
                  </p>
                )}
              </div>
              <button
                type="button"
                className="button"
                aria-label={`${t.disconnect}, ${calendar.address}`}
                aria-busy={disconnect.busy}
                disabled={lacksScope}
                onClick={() => disconnect.run(calendar.id, calendar.address)}
              >
                {t.disconnect}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Refusal error={disconnect.error} />
      <form noValidate onSubmit={(event) => (event.preventDefault(), connect.run())}>
        <TextField
          label={t.calendarAddress}
          value={address}
          onChange={setAddress}
          type="url"
          dir="ltr"
          autoComplete="off"
          placeholder="https://"
          hint={t.calendarHint}
          error={fieldError(connect.error, 'connect_calendar')}
        />
        <Refusal error={connect.error} />
        <MissingScope scope="spaces:write" />
        <div className="actions">
          <button type="submit" className="button primary" aria-busy={connect.busy} disabled={lacksScope}>
            {t.connect}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
