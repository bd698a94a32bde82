import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { startLanguage } from './language.ts';
import { watchSession } from './session.ts';
import { Contained } from './ui/part.tsx';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/calendar.css';
import './styles/screens.css';
import './styles/print.css';

watchSession();
void startLanguage().then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <Contained>
        <App />
      </Contained>
    </StrictMode>,
  ),
);
