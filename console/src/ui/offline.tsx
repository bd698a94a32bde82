import { useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { moment } from '../format.ts';
import { findSession, offline } from '../session.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';

/** Says that there is no connection, and how old the oldest is that stands on the screen. */
export function OfflineStatus() {
  const isOffline = useStore(offline);
  const oldest = useOldest();
  const t = strings.offline;
  if (!isOffline) return null;
  return (
    <div className="note row between">
      <div role="status" aria-label={t.title}>
        <strong>{t.title}.</strong>{' '}
        {Number.isFinite(oldest) && `${t.from(moment(new Date(oldest).toISOString()))} `}
        {t.readOnly}
      </div>
      <Button onClick={() => void findSession()}>{strings.tryAgain}</Button>
    </div>
  );
}

function useOldest(): number {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (changed) => cache.subscribe(changed),
    () =>
      Math.min(
        ...cache
          .getAll()
          .filter((query) => query.getObserversCount() > 0 && query.state.data !== undefined)
          .map((query) => query.state.dataUpdatedAt),
      ),
  );
}
