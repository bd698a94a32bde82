import { useEffect, useRef, useState } from 'react';
import { newKey } from '../invitation.ts';
import { useClosedByBack } from '../router.ts';
import { askBeforeLeaving, leaving, useUnsaved } from '../secrets.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { Ask } from './ask.tsx';
import { Button } from './button.tsx';
import { CopyRow } from './once.tsx';

/** A key that was just made stays in sight until the person says that it is saved. */
export function NewKey({ holdsBack = false }: { holdsBack?: boolean }) {
  const key = useStore(newKey);
  return key === undefined ? null : <Shown {...key} holdsBack={holdsBack} />;
}

function Shown({
  text,
  copied,
  label = strings.welcome.yourKey,
  holdsBack,
}: {
  text: string;
  copied: boolean;
  label?: string;
  holdsBack: boolean;
}) {
  const t = strings.welcome;
  const section = useRef<HTMLElement>(null);
  const leave = useStore(leaving);
  const [isThere, setThere] = useState(false);
  useUnsaved(!copied, label, text);
  useEffect(() => {
    // Read out because it changes.
    setThere(true);
    // The button that made the key is gone.
    if (document.activeElement === document.body) section.current?.focus();
  }, []);
  return (
    <section ref={section} tabIndex={-1} className="card padded stack new-key" aria-label={label}>
      <p role="status" className="note">
        {isThere && (label === t.yourKey ? `${t.made} ${t.keep}` : strings.once.copyNow)}
      </p>
      <CopyRow label={label} value={text} onCopied={() => newKey.set({ text, copied: true, label })} />
      <div className="actions">
        <Button onClick={() => newKey.set(undefined)}>{strings.once.saved}</Button>
      </div>
      {holdsBack && !copied && <HoldsBack />}
      {leave !== undefined && (
        <Ask
          title={strings.once.leaveTitle}
          button={strings.once.leave}
          work={async () => {
            leaving.set(undefined);
            newKey.set(undefined);
            leave();
          }}
          onClose={() => leaving.set(undefined)}
        >
          <p>{strings.once.notCopied}</p>
        </Ask>
      )}
    </section>
  );
}

/** The browser's Back asks too. */
function HoldsBack() {
  useClosedByBack(() => askBeforeLeaving(() => undefined));
  return null;
}
