import { useState } from 'react';
import type { HourkeepError } from '@hourkeep/client';
import { ended, signIn } from '../session.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { TextField } from '../ui/field.tsx';
import { useTitle } from '../ui/hooks.ts';
import { Beneath, Refusal } from '../ui/refusal.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { LanguageSelect } from '../ui/language-select.tsx';
import { Mark } from '../ui/mark.tsx';
import { NewKey } from '../ui/new-key.tsx';
import { StayCheck } from '../ui/stay-check.tsx';

export function SignIn() {
  const t = strings.signIn;
  useTitle(t.signIn);
  const [key, setKey] = useState('');
  const [stay, setStay] = useState(false);
  const why = useStore(ended);
  const { run, busy, error } = useAction(() => signIn(key.trim(), stay));
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
        <p className="muted">{t.lead}</p>
        {error === undefined && <WhyEnded error={why} />}
        <NewKey />
        {/* Masked by its style: a password field is no textbox, and browsers would offer to keep it for ever. */}
        <TextField
          label={t.apiKey}
          value={key}
          onChange={setKey}
          className="secret"
          autoFocus={matchMedia('(hover: hover)').matches}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          placeholder={t.keyForm}
        />
        <StayCheck checked={stay} onChange={setStay} />
        <Refusal error={error} />
        <Waiting limit={t.tooMany} />
        <button type="submit" className="button primary" aria-busy={busy}>
          {t.signIn}
        </button>
        <p className="muted small">{t.advice}</p>
      </form>
      <LanguageSelect />
    </main>
  );
}

/** A session that is over has nothing wrong with its key. */
function WhyEnded({ error }: { error: HourkeepError | undefined }) {
  if (error?.code !== 'INVALID_API_KEY') return <Refusal error={error} />;
  return (
    <div role="alert" className="alert">
      <p>{strings.signIn.ended}</p>
      <Beneath error={error} />
    </div>
  );
}
