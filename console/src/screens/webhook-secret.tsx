import { useRef, useState } from 'react';
import { strings } from '../strings.ts';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';

const t = strings.webhooks;
const SNIPPET = [
  "import { verifyWebhook } from '@hourkeep/client';",
  '',
  'const event = await verifyWebhook({',
  '  payload: await request.text(),',
  '  headers: request.headers,',
  '  secret: process.env.WEBHOOK_SECRET,',
  '});',
].join('\n');

/** The only time that it is shown, with what to do with it. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    // There is no clipboard on plain http; then it is selected, ready to be copied by hand.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (clipboard === undefined) box.current?.querySelector('input')?.select();
    else {
      await clipboard.writeText(secret);
      setCopied(true);
    }
  };
  return (
    <Dialog title={t.secret} onClose={onClose}>
      <p className="note">{t.once}</p>
      <div ref={box} className="secret-row">
        <TextField label={t.signingSecret} value={secret} onChange={() => undefined} readOnly />
        <button type="button" className="button primary" onClick={() => void copy().catch(() => undefined)}>
          {strings.copy}
        </button>
        <span aria-live="polite" className="muted">
          {copied && strings.copied}
        </span>
      </div>
      <p className="muted">{t.verifyWith}</p>
      <pre className="snippet" tabIndex={0} aria-label={t.snippetLabel}>
        {SNIPPET}
      </pre>
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          {t.kept}
        </button>
      </div>
    </Dialog>
  );
}
