import type { ReactNode } from 'react';
import { strings } from '../strings.ts';
import { useAction } from './action.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Refusal } from './refusal.tsx';

/** Before something that cannot be taken back. */
export function Ask({
  title,
  subtitle,
  button,
  work,
  onClose,
  children,
}: {
  title: string;
  subtitle?: ReactNode;
  button: string;
  work: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}) {
  const { run, busy, error } = useAction(work);
  return (
    <Dialog title={title} subtitle={subtitle} onClose={onClose}>
      {children}
      <Refusal error={error} />
      <div className="actions">
        <Button onClick={onClose}>{strings.cancel}</Button>
        <Button kind="danger" busy={busy} onClick={run}>
          {button}
        </Button>
      </div>
    </Dialog>
  );
}
