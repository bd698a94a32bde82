import type { HourkeepError } from '@hourkeep/client';
import { ended, signIn } from '../session.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { TextField } from '../ui/field.tsx';
import { Problem, useFields } from '../ui/form.tsx';
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
  const why = useStore(ended);
  const form = useFields({
    values: { key: '', stay: false },
    labels: { key: t.apiKey },
    required: ['key'],
    send: ({ key, stay }) => signIn(key.trim(), stay),
  });
  return (
    <main className="sign-in">
      <form {...form.form} className="card stack sign-in-card">
        <div className="brand">
          <Mark /> Hourkeep
        </div>
        <h1>{t.title}</h1>
        <p className="muted">{t.lead}</p>
        {form.error === undefined && <WhyEnded error={why} />}
        <NewKey />
        {/* Masked by its style: a password field is no textbox, and browsers would offer to keep it for ever. */}
        <TextField
          {...form.field('key')}
          className="secret"
          autoFocus={matchMedia('(hover: hover)').matches}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          placeholder={t.keyForm}
        />
        <StayCheck checked={form.values.stay} onChange={(stay) => form.set({ stay })} />
        <Problem of={form} />
        <Waiting limit={t.tooMany} />
        <button type="submit" className="button primary" aria-busy={form.busy}>
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
