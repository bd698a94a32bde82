import { useEffect } from 'react';
import { HourkeepError } from '@hourkeep/client';
import { isAway, toldAway } from '../api.ts';
import { anyWeek, weekdayOf } from '../dates.ts';
import { money, weekdayName } from '../format.ts';
import { NotKept, ReadOnly } from '../calls.ts';
import { offline, session } from '../session.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';

/**
 * Says in the words of the page what was refused, with what the API said beneath it and the id that finds the request in
 * its log.
 */
export function Refusal({
  error,
  onRetry,
  labels,
}: {
  error: unknown;
  onRetry?: () => void;
  labels?: Labels | undefined;
}) {
  const away = isAway(error);
  useEffect(() => {
    if (!away) return undefined;
    toldAway.set(toldAway.get() + 1);
    return () => toldAway.set(toldAway.get() - 1);
  }, [away]);
  if (error === undefined || error === null) return null;
  return (
    <div role="alert" className="alert">
      <p>{messageOf(error, labels)}</p>
      {error instanceof HourkeepError && <Beneath error={error} />}
      {onRetry !== undefined && <Button onClick={onRetry}>{strings.tryAgain}</Button>}
    </div>
  );
}

/** The API speaks English, whatever language the page is in. */
export function Beneath({ error: { message, requestId } }: { error: HourkeepError }) {
  return (
    <p className="beneath">
      <q lang="en">{message}</q>
      {requestId !== undefined && (
        <>
          {' '}
          <span className="request-id">
            {strings.requestId} <code>{requestId}</code>
          </span>
        </>
      )}
    </p>
  );
}

/** Labels of one form, by the API's names, where they are others than usual. */
export type Labels = Readonly<Record<string, string>>;

export function messageOf(error: unknown, labels?: Labels): string {
  const t = strings.refusals;
  if (error instanceof NotKept) return strings.offline.notKept;
  if (error instanceof ReadOnly) return strings.offline.readOnly;
  if (!(error instanceof HourkeepError)) return t.other;
  if (error.code === 'VALIDATION_ERROR' && error.details !== undefined) {
    return error.details.map((detail) => problemOf(detail, labels)).join(' ');
  }
  if (error.code === 'BOOKING_CONFLICT' || error.code === 'BLOCK_SLOT_OCCUPIED') {
    return t.hours(error.details?.hours ?? []);
  }
  if (error.code === 'BOOKING_VALUE_EXCEEDED' && error.details !== undefined) {
    return t.tooDear(money(error.details.limit, error.details.currency));
  }
  if (error.code === 'INSUFFICIENT_SCOPE' && error.details !== undefined) {
    return strings.missingScope(error.details.required_scope);
  }
  if (error.status === 503) return error.outcome === 'unknown' ? t.perhapsDone : t.notDone;
  return (t.codes as Readonly<Record<string, string>>)[error.code] ?? t.other;
}

/** What is wrong with one field of a form, by its label. */
export function problemOf({ field, message }: { field: string; message: string }, labels?: Labels): string {
  const { problems, problem } = strings.refusals;
  const [number = ''] = /\d+/.exec(message) ?? [];
  // Weekly hours name the day that is wrong.
  const day = anyWeek().find((date) => message.startsWith(`${weekdayOf(date)} `));
  const said = day === undefined ? message : message.slice(weekdayOf(day).length + 1);
  const known = (problems as Readonly<Record<string, (label: string, number: string) => string>>)[
    said.replace(/\d+/, '#').replace(/# (hour|day)\b/, '# $1s')
  ];
  const [, list = field, entry] = /^(.+)\.(\d+)$/.exec(field) ?? [];
  const named = day ? weekdayName(day) : (labels?.[list] ?? (strings.fields as Labels)[list] ?? list);
  // People count from one.
  const label = entry === undefined ? named : `${named} ${Number(entry) + 1}`;
  return known?.(label, number) ?? problem(label, message);
}

/** Whether the key has not got the scope. Offline, nothing can be changed with any. */
export function useLacks(scope: string): boolean {
  const isOffline = useStore(offline);
  const scopes = useStore(session)?.account.scopes ?? [];
  return !scopes.includes(scope) || (isOffline && scope.endsWith(':write'));
}

/** Stands beside what cannot be used without the scope. */
export function MissingScope({ scope, id }: { scope: string; id?: string }) {
  const isOffline = useStore(offline);
  return useLacks(scope) ? (
    <p className="note scope-note" id={id}>
      {isOffline ? strings.offline.readOnly : strings.missingScope(scope)}
    </p>
  ) : null;
}
