import { useEffect, useState } from 'react';
import { toldAway, trouble, tryNow } from '../api.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';
import { Beneath } from './refusal.tsx';

/** Says what requests wait for and counts down; they go on by themselves. */
export function Waiting({ limit = strings.limit.reached }: { limit?: string }) {
  const now = useStore(trouble);
  const seconds = useCountdown(now?.until);
  const isTold = useStore(toldAway) > 0;
  if (now === undefined || (now.kind === 'away' && isTold)) return null;
  const { kind, error } = now;
  return (
    <div role="alert" className="alert waiting">
      <p>
        {kind === 'limit' ? limit : strings.away.gone} {/* Read out once, not every second. */}
        <span aria-live="off" className="countdown">
          {strings.goingOn(seconds)}
        </span>
      </p>
      <Beneath error={error} />
      {kind === 'away' && <Button onClick={tryNow}>{strings.tryAgain}</Button>}
    </div>
  );
}

function useCountdown(until: number | undefined): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (until === undefined) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [until]);
  return Math.max(0, Math.ceil(((until ?? now) - now) / 1000));
}
