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
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextArea, TextField } from '../ui/field.tsx';
import { Form, useFields } from '../ui/form.tsx';
import { OnceDialog } from '../ui/once.tsx';
import { Refusal, useLacks, type Labels } from '../ui/refusal.tsx';
import { toast } from '../ui/toast.tsx';
import { wallClock } from '../zone.ts';
import {
  openingChanges,
  OpeningFields,
  openingOf,
  ruleChanges,
  RuleFields,
  RULES,
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
  const before = {
    description: space.description ?? '',
    opening: openingOf(space),
    ...ruleTexts(space),
    capacity: String(space.capacity ?? ''),
    amenities: space.amenities.join('\n'),
    photo_urls: space.photo_urls.join('\n'),
  };
  const form = useFields({
    values: before,
    check: (values) =>
      Object.fromEntries(
        ([...RULES, 'capacity'] as const)
          .filter((name) => readCount(values[name]) === undefined)
          .map((name) => [name, t.notANumber((strings.fields as Labels)[name]!)]),
      ),
    send: async (now) => {
      const changes: UpdateListing = {
        ...(now.description !== before.description && { description: now.description.trim() || null }),
        ...openingChanges(now.opening, space),
        ...ruleChanges(now, space),
        ...(now.capacity.trim() !== before.capacity && { capacity: readCount(now.capacity) ?? null }),
        ...(now.amenities !== before.amenities && { amenities: linesOf(now.amenities) }),
        ...(now.photo_urls !== before.photo_urls && { photo_urls: linesOf(now.photo_urls) }),
      };
      if (Object.keys(changes).length > 0) {
        const saved = await updateSpace(queries, space.id, changes);
        toast.set({ message: t.saved(saved.title) });
      }
      onClose();
    },
  });
  return (
    <Dialog title={t.details} subtitle={<bdi>{space.title}</bdi>} onClose={onClose}>
      <Form of={form} button={t.save} scope="spaces:write">
        <TextArea {...form.field('description')} rows={4} />
        <OpeningFields
          opening={form.values.opening}
          onChange={(opening) => form.set({ opening })}
          errorOf={form.errorOf}
        />
        <RuleFields field={form.field} errorOf={form.errorOf} />
        <TextField {...form.field('capacity')} inputMode="numeric" autoComplete="off" hint={t.capacityHint} />
        <TextArea {...form.field('amenities')} rows={4} hint={t.onePerLine} />
        <TextArea {...form.field('photo_urls')} label={t.photos} rows={3} hint={t.photosHint} />
      </Form>
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
  const form = useFields({
    values: { connect_calendar: '' },
    required: ['connect_calendar'],
    send: async ({ connect_calendar }) => {
      await updateSpace(queries, space.id, { connect_calendar: connect_calendar.trim() });
      form.reset();
      setLooks(0);
      toast.set({ message: t.connected });
    },
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
              <Button
                aria-label={`${t.disconnect}, ${calendar.address}`}
                busy={disconnect.busy}
                disabled={lacksScope}
                onClick={() => disconnect.run(calendar.id, calendar.address)}
              >
                {t.disconnect}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Refusal error={disconnect.error} />
      <Form of={form} button={t.connect} scope="spaces:write">
        <TextField
          {...form.field('connect_calendar')}
          type="url"
          dir="ltr"
          autoComplete="off"
          placeholder="https://"
          hint={t.calendarHint}
        />
      </Form>
    </Dialog>
  );
}
