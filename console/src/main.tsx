import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { startLanguage } from './language.ts';
import { consolePath } from './router.ts';
import { watchSession } from './session.ts';
import { keepFocus } from './ui/focus.ts';
import { Contained } from './ui/part.tsx';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/calendar.css';
import './styles/screens.css';
import './styles/print.css';

watchSession();
keepFocus();
// After the first picture: it loads what the other screens need. `/console` itself has no slash, and is in its scope too.
window.addEventListener('load', () => {
  const scope = consolePath.slice(0, -1);
  const workers = (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
  workers?.register('sw.js', { scope, updateViaCache: 'none' }).catch(() => undefined);
});
void startLanguage().then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <Contained>
        <App />
      </Contained>
    </StrictMode>,
  ),
);
