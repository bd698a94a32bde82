import { newKey } from '../invitation.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { CopyRow } from './once.tsx';

/** A key that was just made stays in sight until the person says that it is kept. */
export function NewKey() {
  const key = useStore(newKey);
  const t = strings.welcome;
  if (key === undefined) return null;
  return (
    <section className="card new-key" aria-label={t.yourKey}>
      <p className="note">{t.keep}</p>
      <CopyRow label={t.yourKey} value={key} />
      <div className="actions">
        <button type="button" className="button" onClick={() => newKey.set(undefined)}>
          {strings.once.kept}
        </button>
      </div>
    </section>
  );
}
