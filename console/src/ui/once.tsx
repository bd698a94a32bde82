import { useRef, useState, type ReactNode } from 'react';
import { useUnsaved } from '../secrets.ts';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';

/** The only time that it is shown. Escape does not throw it away before it was copied; the last button does. */
export function OnceDialog({
  title,
  subtitle,
  label,
  value,
  onClose,
  children,
}: {
  title: string;
  subtitle?: ReactNode;
  label: string;
  value: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const [copied, setCopied] = useState(false);
  const [reminded, setReminded] = useState(false);
  useUnsaved(!copied, label, value);
  return (
    <Dialog title={title} subtitle={subtitle} onClose={() => (copied ? onClose() : setReminded(true))}>
      <p className="note">{strings.once.copyNow}</p>
      <CopyRow label={label} value={value} onCopied={() => setCopied(true)} />
      {reminded && !copied && (
        <p role="alert" className="alert">
          {strings.once.notCopied}
        </p>
      )}
      {children}
      <div className="actions">
        <Button onClick={onClose}>{strings.once.saved}</Button>
      </div>
    </Dialog>
  );
}

export function CopyRow({ label, value, onCopied }: { label: string; value: string; onCopied?: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'copied' | 'selected'>();
  const done = (): void => {
    setState('copied');
    onCopied?.();
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      done();
    } catch {
      // There is no clipboard on plain http, and a person can forbid it: then it is ready to be copied by hand.
      box.current?.querySelector('input')?.select();
      setState('selected');
    }
  };
  return (
    <div ref={box} className="secret-row" onCopy={done}>
      <TextField label={label} value={value} onChange={() => undefined} readOnly dir="ltr" />
      <Button kind="primary" onClick={() => void copy()}>
        {strings.copy}
      </Button>
      <span aria-live="polite" className="muted">
        {state === 'copied' && strings.copied}
        {state === 'selected' && strings.once.byHand}
      </span>
    </div>
  );
}
