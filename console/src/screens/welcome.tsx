import { useState } from 'react';
import { HourkeepError } from '@hourkeep/client';
import { claim, invitation, newKey } from '../invitation.ts';
import { go, hrefOf } from '../router.ts';
import { signIn } from '../session.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { useTitle } from '../ui/hooks.ts';
import { LanguageSelect } from '../ui/language-select.tsx';
import { Mark } from '../ui/mark.tsx';
import { NewKey } from '../ui/new-key.tsx';
import { Beneath, Refusal } from '../ui/refusal.tsx';
import { StayCheck } from '../ui/stay-check.tsx';

/** Where an invitation leads: the key is made here, and nobody else ever sees it. */
export default function Welcome() {
  const t = strings.welcome;
  useTitle(t.title);
  const token = useStore(invitation) ?? '';
  const key = useStore(newKey);
  const [stay, setStay] = useState(true);
  const { run, busy, error } = useAction(async () => {
    const made = newKey.get() ?? { text: await claim(token), copied: false };
    newKey.set(made);
    // Should this fail, the key is shown all the same, and the button tries it again.
    await signIn(made.text, stay);
    go(hrefOf('today'), { replace: true });
    invitation.set(undefined);
  });
  return (
    <main className="sign-in">
      <form
        noValidate
        className="card stack sign-in-card"
        onSubmit={(event) => (event.preventDefault(), run())}
      >
        <div className="brand">
          <Mark /> Hourkeep
        </div>
        <h1>{t.title}</h1>
        {token === '' ? (
          <p role="alert" className="alert">
            {t.noToken}
          </p>
        ) : (
          <>
            <p className="muted">{t.lead}</p>
            <NewKey />
            <StayCheck checked={stay} onChange={setStay} />
            <Refused error={error} />
            <button type="submit" className="button primary" aria-busy={busy}>
              {key === undefined ? t.makeKey : strings.signIn.signIn}
            </button>
            <p className="muted small">{t.once}</p>
          </>
        )}
      </form>
      <LanguageSelect />
    </main>
  );
}

function Refused({ error }: { error: unknown }) {
  const { refusals } = strings.welcome;
  const words =
    error instanceof HourkeepError ? (refusals as Readonly<Record<string, string>>)[error.code] : undefined;
  if (words === undefined) return <Refusal error={error} />;
  return (
    <div role="alert" className="alert">
      <p>{words}</p>
      <Beneath error={error as HourkeepError} />
    </div>
  );
}
