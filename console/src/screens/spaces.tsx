import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Space, UpdateListing } from '@hourkeep/client';
import { openingWords } from '../calendar/space-rules.tsx';
import { tell } from '../calendar/undo.ts';
import { updateSpace } from '../changes.ts';
import { amountText, hourRange, isAllDay, money, readAmount } from '../format.ts';
import { useSpaces } from '../queries.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Problem, useFields } from '../ui/form.tsx';
import { useTitle } from '../ui/hooks.ts';
import { MissingScope, Refusal, useLacks } from '../ui/refusal.tsx';
import { CalendarsDialog, DeactivateDialog, DetailsDialog, FeedDialog } from './space-dialogs.tsx';

const t = strings.spaces;

export default function SpacesScreen() {
  useTitle(strings.screens.spaces);
  const { data, error, refetch } = useSpaces();
  return (
    <>
      <h1>{strings.screens.spaces}</h1>
      <p className="muted">{t.lead}</p>
      <MissingScope scope="spaces:write" />
      <Refusal error={error} onRetry={() => void refetch()} />
      {data === undefined && !error && <div className="skeleton tall" />}
      {data?.length === 0 && <p className="empty">{strings.noSpaces}</p>}
      {data !== undefined && data.length > 0 && (
        <ul className="stack" aria-label={strings.screens.spaces}>
          {data.map((space) => (
            <SpaceCard key={space.id} space={space} />
          ))}
        </ul>
      )}
    </>
  );
}

type Opened = 'deactivate' | 'details' | 'feed' | 'calendars';

/** What was typed; undefined where nothing was. */
interface Draft {
  readonly title: string | undefined;
  readonly price: string | undefined;
}

/** Title and price are saved with a button or Enter; the switch takes effect by itself. */
function SpaceCard({ space }: { space: Space }) {
  const queries = useQueryClient();
  const lacksScope = useLacks('spaces:write');
  const [opened, setOpened] = useState<Opened>();
  const form = useFields<Draft>({
    values: { title: undefined, price: undefined },
    check: ({ price }) => ({
      price:
        price === undefined || readAmount(price, space.currency) !== undefined
          ? undefined
          : t.notAPrice(amountText(1250.5, space.currency), space.currency),
    }),
    send: async (draft) => {
      const changes = changesOf(draft);
      if (Object.keys(changes).length > 0) await saveSpace(queries, space, changes);
      form.reset();
    },
  });
  const changesOf = ({ title, price }: Draft): UpdateListing => {
    const amount = price === undefined ? undefined : readAmount(price, space.currency);
    return {
      ...(title !== undefined && title !== space.title && { title }),
      ...(amount !== undefined && amount !== space.price_per_hour && { price: amount }),
    };
  };
  const { title, price } = form.values;
  const shownPrice = price ?? amountText(space.price_per_hour, space.currency);
  const dirty =
    Object.keys(changesOf(form.values)).length > 0 || readAmount(shownPrice, space.currency) === undefined;
  const activate = useAction(() => saveSpace(queries, space, { is_active: true }));
  const about = [
    space.area,
    openingOf(space),
    space.timezone,
    space.capacity === null ? '' : t.people(space.capacity),
  ];
  const failing = space.external_calendars.filter(({ status }) => status === 'failing').length;
  const named = (word: string): string => `${word}, ${space.title}`;
  const close = (): void => setOpened(undefined);
  return (
    <li className="card padded stack space-row" data-inactive={!space.is_active || undefined}>
      <form
        {...form.form}
        className="row space-fields"
        onKeyDown={(event) => event.key === 'Escape' && form.reset()}
      >
        <label className="field">
          <span aria-hidden="true">{t.title}</span>
          <input
            aria-label={named(t.title)}
            value={title ?? space.title}
            dir="auto"
            disabled={lacksScope}
            aria-invalid={form.errorOf('title') !== undefined || undefined}
            onChange={(event) => form.set({ title: event.target.value })}
          />
        </label>
        <label className="field">
          <span aria-hidden="true">{t.price}</span>
          <span className="price-input">
            <input
              aria-label={named(t.price)}
              value={shownPrice}
              inputMode="decimal"
              autoComplete="off"
              dir="ltr"
              size={9}
              disabled={lacksScope}
              aria-invalid={form.errorOf('price') !== undefined || undefined}
              onChange={(event) => form.set({ price: event.target.value })}
            />
            <span className="muted">{space.currency}</span>
          </span>
        </label>
        <label className="check">
          <input
            type="checkbox"
            aria-label={named(t.active)}
            checked={space.is_active}
            disabled={lacksScope}
            onChange={(event) => (event.target.checked ? activate.run() : setOpened('deactivate'))}
          />
          <span aria-hidden="true">{space.is_active ? t.active : strings.inactive}</span>
        </label>
        <button
          type="submit"
          className="button"
          aria-label={named(t.save)}
          aria-busy={form.busy}
          disabled={!dirty || lacksScope}
        >
          {t.save}
        </button>
      </form>
      <Problem of={form} />
      <Refusal error={activate.error} />
      <div className="row between">
        <p className="muted">
          {about
            .filter((word) => word !== '')
            .map((word, index) => (
              <span key={index}>
                {index > 0 && ' · '}
                <bdi>{word}</bdi>
              </span>
            ))}
        </p>
        <div className="row row-actions">
          <Button aria-label={named(t.details)} onClick={() => setOpened('details')}>
            {t.details}
          </Button>
          <Button aria-label={named(t.feed)} disabled={lacksScope} onClick={() => setOpened('feed')}>
            {t.feed}
          </Button>
          <Button aria-label={named(t.calendars)} onClick={() => setOpened('calendars')}>
            {t.calendars}
          </Button>
          {space.external_calendars.length > 0 && (
            <span className="badge" data-status={failing > 0 ? 'failed' : undefined}>
              {failing > 0 ? t.failing(failing) : t.connectedCount(space.external_calendars.length)}
            </span>
          )}
        </div>
      </div>
      {opened === 'deactivate' && (
        <DeactivateDialog
          space={space}
          work={async () => {
            await saveSpace(queries, space, { is_active: false });
            close();
          }}
          onClose={close}
        />
      )}
      {opened === 'details' && <DetailsDialog space={space} onClose={close} />}
      {opened === 'feed' && <FeedDialog space={space} onClose={close} />}
      {opened === 'calendars' && <CalendarsDialog space={space} onClose={close} />}
    </li>
  );
}

/** 9 AM – 10 PM; by weekday: Mon–Fri 9 AM – 10 PM, Sat 11 AM – 8 PM, Sun closed. */
function openingOf(space: Space): string {
  if (space.weekly_hours !== null) return openingWords(space);
  return isAllDay(space.operating_hours) ? t.openAllDay : hourRange(space.operating_hours);
}

/** Says what was saved, with a way back to what was there before. */
async function saveSpace(
  queries: ReturnType<typeof useQueryClient>,
  space: Space,
  fields: UpdateListing,
): Promise<void> {
  const saved = await updateSpace(queries, space.id, fields);
  const before: UpdateListing = {
    ...(fields.title !== undefined && { title: space.title }),
    ...(fields.price !== undefined && { price: space.price_per_hour }),
    ...(fields.is_active !== undefined && { is_active: space.is_active }),
  };
  tell(told(saved, fields), told(space, before), () => updateSpace(queries, space.id, before));
}

function told(space: Space, { price, is_active: active }: UpdateListing): string {
  if (price !== undefined) return t.savedPrice(space.title, money(space.price_per_hour, space.currency));
  if (active !== undefined) return active ? t.isActive(space.title) : t.isInactive(space.title);
  return t.saved(space.title);
}
