import { useEffect, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Space, UpdateListing } from '@hourkeep/client';
import { read, write } from '../calls.ts';
import { rememberSpace, updateSpace } from '../changes.ts';
import { SPACE_DETAILS } from '../fields.ts';
import { hourRange, mediumDate, moment } from '../format.ts';
import { useSpaces } from '../queries.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { Ask } from '../ui/ask.tsx';
import { Button } from '../ui/button.tsx';
import { changedDetails, DetailFields, textsOf, wrongDetails } from '../ui/details.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Form, useFields } from '../ui/form.tsx';
import { OnceDialog } from '../ui/once.tsx';
import { Refusal, useLacks } from '../ui/refusal.tsx';
import { toast } from '../ui/toast.tsx';
import { wallClock } from '../zone.ts';
import {
  openingChanges,
  OpeningFields,
  openingOf,
  ruleChanges,
  RuleFields,
  RULE_INPUTS,
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

const INPUTS = { ...RULE_INPUTS, ...SPACE_DETAILS };
const WORDS: Partial<Record<keyof typeof SPACE_DETAILS, { label?: string; hint: string }>> = {
  capacity: { hint: t.capacityHint },
  amenities: { hint: t.onePerLine },
  photo_urls: { label: t.photos, hint: t.photosHint },
};

/** What guests read about the space. Only what was changed is sent. */
export function DetailsDialog({ space, onClose }: Props) {
  const queries = useQueryClient();
  const before = {
    ...textsOf(SPACE_DETAILS, space),
    opening: openingOf(space),
    ...ruleTexts(space),
  };
  const form = useFields({
    values: before,
    check: (values) => wrongDetails(INPUTS, values),
    send: async (now) => {
      const changes: UpdateListing = {
        ...changedDetails(SPACE_DETAILS, now, before),
        ...openingChanges(now.opening, space),
        ...ruleChanges(now, space),
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
        <DetailFields details={SPACE_DETAILS} field={(name) => ({ ...form.field(name), ...WORDS[name] })} />
        <OpeningFields
          opening={form.values.opening}
          onChange={(opening) => form.set({ opening })}
          errorOf={form.errorOf}
        />
        <RuleFields field={form.field} errorOf={form.errorOf} />
      </Form>
    </Dialog>
  );
}

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
