import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Space, UpdateListing } from '@hourkeep/client';
import { updateSpace } from '../changes.ts';
import { hourRange } from '../format.ts';
import { useSpaces } from '../queries.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { useTitle } from '../ui/hooks.ts';
import { MissingScope, Refusal, useLacks } from '../ui/refusal.tsx';
import { toast } from '../ui/toast.tsx';

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
        <div className="table-frame card">
          <table aria-label={strings.screens.spaces} className="stacking spaces-table">
            <thead>
              <tr>
                <th scope="col">{t.title}</th>
                <th scope="col">{t.price}</th>
                <th scope="col">{t.active}</th>
                <th scope="col">{t.about}</th>
                <th scope="col">
                  <span className="visually-hidden">{t.save}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.map((space) => (
                <SpaceRow key={space.id} space={space} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** Title and price are saved with a button or Enter; the switch takes effect by itself. */
function SpaceRow({ space }: { space: Space }) {
  const queries = useQueryClient();
  const lacksScope = useLacks('spaces:write');
  const [title, setTitle] = useState<string>();
  const [price, setPrice] = useState<string>();
  const shownTitle = title ?? space.title;
  const shownPrice = price ?? String(space.price_per_hour);
  const changes: UpdateListing = {
    ...(shownTitle !== space.title && { title: shownTitle }),
    ...(Number(shownPrice) !== space.price_per_hour && { price: toNumber(shownPrice) }),
  };
  const dirty = Object.keys(changes).length > 0;
  const { run, busy, error } = useAction(async (fields: UpdateListing) => {
    const saved = await updateSpace(queries, space.id, fields);
    if (fields.is_active === undefined) {
      setTitle(undefined);
      setPrice(undefined);
    }
    toast.set({ message: t.saved(saved.title) });
  });
  const saveOnEnter = (event: React.KeyboardEvent): void => {
    if (event.key === 'Enter' && dirty) run(changes);
    if (event.key === 'Escape') {
      setTitle(undefined);
      setPrice(undefined);
    }
  };
  return (
    <tr>
      <td className="title-cell">
        <input
          aria-label={`${t.title}, ${space.title}`}
          value={shownTitle}
          dir="auto"
          disabled={lacksScope}
          onChange={(event) => setTitle(event.target.value)}
          onKeyDown={saveOnEnter}
        />
        <Refusal error={error} />
      </td>
      <td>
        <span className="price-input">
          <input
            aria-label={`${t.price}, ${space.title}`}
            value={shownPrice}
            inputMode="decimal"
            size={7}
            disabled={lacksScope}
            onChange={(event) => setPrice(event.target.value)}
            onKeyDown={saveOnEnter}
          />
          <span className="muted">{space.currency}</span>
        </span>
      </td>
      <td>
        <label className="check">
          <input
            type="checkbox"
            aria-label={`${t.active}, ${space.title}`}
            checked={space.is_active}
            disabled={lacksScope}
            onChange={(event) => run({ is_active: event.target.checked })}
          />
          <span aria-hidden="true">{space.is_active ? t.active : strings.inactive}</span>
        </label>
      </td>
      <td className="muted">
        <bdi>{space.area}</bdi> · {hourRange(space.operating_hours)} · {space.timezone}
      </td>
      <td>
        <button
          type="button"
          className="button"
          aria-label={`${t.save}, ${space.title}`}
          aria-busy={busy}
          disabled={!dirty || lacksScope}
          onClick={() => run(changes)}
        >
          {t.save}
        </button>
      </td>
    </tr>
  );
}

/** What is no number is sent as it is: the API says what is wrong with it. */
function toNumber(text: string): number {
  const number = Number(text.trim().replace(',', '.'));
  return text.trim() === '' || Number.isNaN(number) ? (text as unknown as number) : number;
}
