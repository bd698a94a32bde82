import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Availability, Booking, Space } from '@hourkeep/client';
import { BookingDialog } from '../calendar/booking-dialog.tsx';
import { isOpen, openingOf } from '../calendar/cells.ts';
import { addDays, weekOf } from '../dates.ts';
import { clock, longDate, money, shortDate } from '../format.ts';
import { dayKey, useBookingsOf, useDays, useEarnings, useSpaces, useTitles } from '../queries.ts';
import { useWebhooks, within } from '../queries.ts';
import { hrefOf } from '../router.ts';
import { offline } from '../session.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { useNow, useSeen, useTitle } from '../ui/hooks.ts';
import { KeyNote } from '../ui/key-note.tsx';
import { Link } from '../ui/link.tsx';
import { NotifyMe } from '../ui/notify.tsx';
import { part } from '../ui/part.tsx';
import { messageOf, Refusal } from '../ui/refusal.tsx';
import { HourRange } from '../ui/time.tsx';
import { wallClock } from '../zone.ts';

const t = strings.today;
/** So far ahead the next guest of each space is looked for. */
const AHEAD_DAYS = 7;
const MOST = 1000;

const WalkIn = part(null, () => import('../calendar/walk-in.tsx'));

export function TodayScreen() {
  useTitle(strings.screens.today);
  const spaces = useSpaces();
  return (
    <>
      <div className="head-row">
        <h1>{strings.screens.today}</h1>
        <NotifyMe />
        <WalkInButton spaces={spaces.data ?? []} />
      </div>
      <Refusal error={spaces.error} onRetry={() => void spaces.refetch()} />
      <KeyNote />
      {spaces.data?.length === 0 && <p className="empty">{strings.noSpaces}</p>}
      {spaces.data !== undefined && spaces.data.length > 0 && <Guests spaces={spaces.data} />}
      {spaces.isPending && <div className="skeleton tall" />}
      <div className="stats">
        <NetThisMonth />
        <WebhooksInTrouble />
      </div>
    </>
  );
}

function WalkInButton({ spaces }: { spaces: readonly Space[] }) {
  const queries = useQueryClient();
  const [first, setFirst] = useState<Space>();
  const active = spaces.filter(({ is_active }) => is_active);
  const isFreeNow = (space: Space): boolean => {
    const { date, hour } = wallClock(space.timezone);
    const day = queries.getQueryData<Availability>(dayKey(space.id, date));
    return isOpen(space, date, hour) && day?.slots[hour]?.block_reason === null;
  };
  if (active.length === 0) return null;
  return (
    <>
      <Button kind="primary" onClick={() => setFirst(active.find(isFreeNow) ?? active[0])}>
        {strings.booking.walkIn}
      </Button>
      {first !== undefined && <WalkIn spaces={active} first={first} onClose={() => setFirst(undefined)} />}
    </>
  );
}

function NetThisMonth() {
  const { data, error } = useEarnings();
  return (
    <section className="card padded stat" aria-label={t.netThisMonth}>
      <h2>{t.netThisMonth}</h2>
      <p className="figure">{data === undefined ? '–' : money(data.this_month.net, data.currency)}</p>
      <p className="muted">
        {error
          ? messageOf(error)
          : data && t.upcomingNet(money(data.upcoming.net, data.currency), data.upcoming.bookings)}
        {!error && !data && ' '}
      </p>
    </section>
  );
}

function WebhooksInTrouble() {
  const { data, error } = useWebhooks();
  const troubled = data?.filter(
    ({ disabled_reason, recent_deliveries }) =>
      disabled_reason !== null ||
      recent_deliveries.some(({ status, error }) => status === 'failed' || error !== null),
  );
  return (
    <section className="card padded stat" aria-label={t.webhooks}>
      <h2>{t.webhooks}</h2>
      <p className="figure">
        {troubled === undefined ? (
          '–'
        ) : data?.length === 0 ? (
          t.none
        ) : troubled.length === 0 ? (
          t.allWell
        ) : (
          <Link href={hrefOf('webhooks')}>{t.inTrouble(troubled.length)}</Link>
        )}
      </p>
      <p className="muted">
        {error ? messageOf(error) : data && t.webhookCount(data.length)}
        {!error && !data && ' '}
      </p>
    </section>
  );
}

function Guests({ spaces }: { spaces: Space[] }) {
  const now = useNow();
  const container = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<Booking>();
  const todays = new Map(spaces.map(({ id, timezone }) => [id, wallClock(timezone, now).date]));
  const dates = [...todays.values()].sort();
  // From the first day of the week on: then the calendar's first page needs no request of its own. A host with many
  // spaces has too many bookings for that.
  const isSmall = spaces.length <= 10;
  const from = isSmall ? weekOf(dates[0]!)[0]! : dates[0]!;
  const reach = useReach(dates[0]!, dates.at(-1)!);
  const bookings = useBookingsOf({
    from: reach.from ?? from,
    to: addDays(dates.at(-1)!, reach.days),
    most: MOST,
  });
  const ahead = (bookings.data ?? []).filter(({ status }) => status !== 'cancelled');
  const on = (days: number): Booking[] =>
    ahead.filter(({ space_id, date }) => date === addDays(todays.get(space_id) ?? dates[0]!, days));
  const seen = useSeen(
    container,
    spaces.map(({ id }) => id),
  );
  // The whole week, for the same reason: it is one request as well.
  const inSight = spaces.filter(({ id, is_active }) => is_active && (isSmall || seen.has(id)));
  const weeks = inSight.flatMap(({ id }) => weekOf(todays.get(id)!).map((date) => ({ spaceId: id, date })));
  const days = useDays(weeks);
  const freeToday = (id: string): number | undefined => {
    const index = weeks.findIndex(({ spaceId, date }) => spaceId === id && date === todays.get(id));
    return days[index]?.data?.slots.filter(({ available }) => available).length;
  };
  const titleOf = useTitles();
  const hasZones = new Set(spaces.map(({ timezone }) => timezone)).size > 1;
  return (
    <>
      <Refusal error={bookings.error} onRetry={() => void bookings.refetch()} />
      {(['today', 'tomorrow'] as const).map((day, days) => (
        <GuestList
          key={day}
          words={t[day]}
          date={addDays(dates[0]!, days)}
          bookings={bookings.data && on(days)}
          hasZones={hasZones}
          now={now}
          onOpen={setOpened}
        />
      ))}
      {bookings.data !== undefined && bookings.data.length >= MOST && (
        <p className="note">
          {t.cut(MOST)} <Link href={hrefOf('bookings')}>{strings.screens.bookings}</Link>
        </p>
      )}
      <section aria-labelledby="spaces-today">
        <h2 id="spaces-today">{t.bySpace}</h2>
        <div className="space-cards" ref={container}>
          {spaces.map((space) => (
            <SpaceCard
              key={space.id}
              space={space}
              next={
                bookings.data && ahead.find((b) => b.space_id === space.id && Date.parse(b.ends_at) > now)
              }
              known={bookings.data !== undefined && bookings.data.length < MOST}
              daysAhead={reach.days}
              today={todays.get(space.id)!}
              free={freeToday(space.id)}
              now={now}
            />
          ))}
        </div>
      </section>
      {opened !== undefined && (
        <BookingDialog
          booking={opened}
          spaceTitle={titleOf(opened.space_id)}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

function GuestList({
  words: { guests, nobody },
  date,
  bookings,
  hasZones,
  now,
  onOpen,
}: {
  words: { guests: string; nobody: string };
  date: string;
  bookings: readonly Booking[] | undefined;
  hasZones: boolean;
  now: number;
  onOpen: (booking: Booking) => void;
}) {
  const titleOf = useTitles();
  return (
    <section aria-label={guests}>
      <h2>
        {guests}, <bdi>{longDate(date)}</bdi>
      </h2>
      {bookings === undefined && <div className="skeleton" />}
      {bookings?.length === 0 && <p className="empty">{nobody}</p>}
      {bookings !== undefined && bookings.length > 0 && (
        <ol className="card guests" aria-label={guests}>
          {bookings.map((booking) => {
            const status = statusNow(booking, now);
            return (
              <li key={booking.id} data-over={status === 'over' || undefined}>
                <span className="guest-time">
                  <HourRange {...booking} />
                </span>
                <button type="button" className="link guest-name" onClick={() => onOpen(booking)}>
                  <bdi>{booking.guest_name}</bdi>
                </button>
                <span className="muted guest-space">
                  <bdi>{titleOf(booking.space_id)}</bdi>
                  {hasZones && <bdi className="small">{booking.timezone}</bdi>}
                </span>
                <span className="badge" data-status={status}>
                  {t.statuses[status]}
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}

/** How many days ahead are looked at: offline, no more than were told, so that nobody is missing who comes. */
function useReach(first: string, last: string): { from?: string; days: number } {
  const queries = useQueryClient();
  if (!useStore(offline)) return { days: AHEAD_DAYS };
  let days = AHEAD_DAYS;
  while (days > 0 && within(queries, { from: first, to: addDays(last, days) }) === undefined) days -= 1;
  return { from: first, days };
}

function SpaceCard({
  space,
  next,
  known,
  daysAhead,
  today,
  free,
  now,
}: {
  space: Space;
  next: Booking | undefined;
  known: boolean;
  daysAhead: number;
  today: string;
  free: number | undefined;
  now: number;
}) {
  const href = hrefOf('calendar', { space: space.id, view: 'day', date: today });
  const isClosed = openingOf(space, today) === undefined;
  const left = isClosed ? t.closedToday : free === undefined ? ' ' : t.hoursLeft(free);
  const here = next !== undefined && Date.parse(next.starts_at) <= now;
  return (
    <article className="card space-card" data-seen={space.id}>
      <h3>
        <bdi>{space.title}</bdi>
      </h3>
      <p className="next">
        {next === undefined ? (
          known ? (
            t.nobodyAhead(daysAhead)
          ) : (
            ' '
          )
        ) : (
          <>
            <strong>
              {here
                ? t.hereUntil(clock(next.end_hour))
                : `${next.date === today ? strings.calendar.today : shortDate(next.date)}, ${clock(next.start_hour)}`}
            </strong>{' '}
            <bdi>{next.guest_name}</bdi>
          </>
        )}
      </p>
      <p className="muted">{space.is_active ? left : strings.inactive}</p>
      <Link href={href}>
        {t.openDay}
        <span className="visually-hidden"> {space.title}</span>
      </Link>
    </article>
  );
}

function statusNow(booking: Booking, now: number): 'over' | 'here' | 'ahead' {
  if (Date.parse(booking.ends_at) <= now) return 'over';
  return Date.parse(booking.starts_at) <= now ? 'here' : 'ahead';
}
