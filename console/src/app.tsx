import { useEffect, useState } from 'react';
import { QueryClientProvider } from '@tanstack/react-query';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { CalendarScreen } from './calendar/screen.tsx';
import { invitation } from './invitation.ts';
import { language } from './language.ts';
import { currentLocale } from './locale.ts';
import { watchChanges } from './live.ts';
import { hrefOf, SCREENS, usePlace, type Screen } from './router.ts';
import { BookingsScreen } from './screens/bookings.tsx';
import { SignIn } from './screens/sign-in.tsx';
import { TodayScreen } from './screens/today.tsx';
import { askBeforeLeaving } from './secrets.ts';
import { findSession, session, signOut, start, type Session } from './session.ts';
import { useStore } from './store.ts';
import { strings } from './strings.ts';
import { ClockNote } from './ui/clock-note.tsx';
import { focusHeading, forgetOpener } from './ui/focus.ts';
import { NavIcon } from './ui/icons.tsx';
import { LanguageSelect } from './ui/language-select.tsx';
import { Link } from './ui/link.tsx';
import { Mark } from './ui/mark.tsx';
import { NewKey } from './ui/new-key.tsx';
import { OfflineStatus } from './ui/offline.tsx';
import { Broken, Contained, part } from './ui/part.tsx';
import { toast, Toasts } from './ui/toast.tsx';
import { Waiting } from './ui/waiting.tsx';

const MoneyScreen = part('money', () => import('./screens/money.tsx'));
const SpacesScreen = part('spaces', () => import('./screens/spaces.tsx'));
const WebhooksScreen = part('webhooks', () => import('./screens/webhooks.tsx'));
const KeysScreen = part('keys', () => import('./screens/keys.tsx'));

const SCREEN: Record<Screen, React.ComponentType> = {
  today: TodayScreen,
  calendar: CalendarScreen,
  bookings: BookingsScreen,
  money: MoneyScreen,
  spaces: SpacesScreen,
  webhooks: WebhooksScreen,
  keys: KeysScreen,
};

const Welcome = part(undefined, () => import('./screens/welcome.tsx'));

export function App() {
  const now = useStore(session);
  const invited = useStore(invitation) !== undefined;
  useStore(language);
  return (
    <I18nProvider locale={currentLocale()}>
      {invited ? (
        <Welcome />
      ) : now === undefined ? (
        <SignedOut />
      ) : (
        <QueryClientProvider client={now.queries}>
          <SignedIn session={now} />
        </QueryClientProvider>
      )}
    </I18nProvider>
  );
}

function SignedOut() {
  const known = useStore(start);
  if (known === 'known') return <SignIn />;
  return (
    <main className="sign-in" aria-busy={known === 'pending'}>
      <Mark />
      {known === 'away' && (
        <Broken screen={undefined} text={strings.away.start} onRetry={() => void findSession()} />
      )}
    </main>
  );
}

function SignedIn({ session }: { session: Session }) {
  const { screen } = usePlace();
  const Shown = screen === undefined ? NoSuchScreen : SCREEN[screen];
  const { scopes } = session.account;
  const spoken = useStore(language);
  const [more, setMore] = useState(false);
  useEffect(() => watchChanges(session), [session]);
  useEffect(() => {
    forgetOpener();
    setMore(false);
    // What was done there is no more of interest elsewhere, and would cover it.
    return () => toast.set(undefined);
  }, [screen]);
  return (
    <div className="shell" data-environment={session.environment}>
      {screen !== undefined && (
        <a
          // With its page: the document has a base of its own.
          href={`${location.pathname}${location.search}#content`}
          className="skip"
          onClick={(event) => (event.preventDefault(), focusHeading())}
        >
          {strings.skip}
        </a>
      )}
      <header className="side">
        <div className="brand">
          <Mark /> <span>Hourkeep</span>
        </div>
        <div role="status" aria-label={strings.environment} className="environment">
          {strings.environments[session.environment]}
        </div>
        <nav aria-label={strings.navigation}>
          <ul>
            {SCREENS.filter((each) => each !== 'keys' || scopes.includes('keys:write')).map((each) => (
              <li key={each}>
                <NavLink screen={each} current={each === screen} />
              </li>
            ))}
            <li className="more">
              <button type="button" aria-expanded={more} onClick={() => setMore(!more)}>
                <NavIcon screen="more" />
                <span>{strings.more}</span>
              </button>
            </li>
          </ul>
        </nav>
        <LanguageSelect />
        <button
          type="button"
          className="button sign-out"
          onClick={() => askBeforeLeaving(() => void signOut())}
        >
          {strings.signOut}
        </button>
      </header>
      {/* Begins anew in another language: nothing of it may stay as it was said before. */}
      <main key={spoken} id="content">
        <OfflineStatus />
        <Waiting />
        <NewKey holdsBack />
        <ClockNote />
        <Contained key={screen} screen={screen}>
          <Shown />
        </Contained>
      </main>
      <Toasts />
    </div>
  );
}

function NavLink({ screen, current }: { screen: Screen; current: boolean }) {
  return (
    <Link href={hrefOf(screen)} aria-current={current ? 'page' : undefined}>
      <NavIcon screen={screen} />
      <span>{strings.screens[screen]}</span>
    </Link>
  );
}

function NoSuchScreen() {
  return (
    <>
      <h1>{strings.noSuchScreen}</h1>
      <p>{strings.chooseAbove}</p>
    </>
  );
}
