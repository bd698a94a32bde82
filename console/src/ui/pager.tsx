import type { ReactNode } from 'react';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';

/** Back and on, and between them which page it is. Undefined where there is none; a single page has no buttons. */
export function Pager({
  previous,
  next,
  busy,
  children,
}: {
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
  /** Another page is on its way. */
  busy?: boolean;
  children: ReactNode;
}) {
  const t = strings.bookings;
  const isOnly = previous === undefined && next === undefined && busy !== true;
  return (
    <div className="pager not-printed" aria-busy={busy}>
      {!isOnly && (
        <Button disabled={previous === undefined} onClick={previous}>
          {t.previousPage}
        </Button>
      )}
      <span className="muted" aria-live="polite">
        {children}
      </span>
      {!isOnly && (
        <Button disabled={next === undefined} onClick={next}>
          {t.nextPage}
        </Button>
      )}
    </div>
  );
}
