import { HourkeepError } from '@hourkeep/client';
import { missingScopes } from '../session.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';

/** What the API said no with, and the id that finds the request in its log. */
export function Refusal({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (error === undefined || error === null) return null;
  return (
    <div role="alert" className="alert">
      <p>{messageOf(error)}</p>
      {error instanceof HourkeepError && error.requestId !== undefined && <RequestId id={error.requestId} />}
      {onRetry !== undefined && (
        <button type="button" className="button" onClick={onRetry}>
          {strings.tryAgain}
        </button>
      )}
    </div>
  );
}

export function RequestId({ id }: { id: string }) {
  return (
    <p className="request-id">
      {strings.requestId} <code>{id}</code>
    </p>
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function useLacks(scope: string): boolean {
  return useStore(missingScopes).has(scope);
}

/** Stands beside what cannot be used without the scope. */
export function MissingScope({ scope, id }: { scope: string; id?: string }) {
  return useLacks(scope) ? (
    <p className="note scope-note" id={id}>
      {strings.missingScope(scope)}
    </p>
  ) : null;
}
