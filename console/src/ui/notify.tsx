import { useState } from 'react';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';

/** Browsers have none on plain http. */
const permission = (): NotificationPermission =>
  'Notification' in window ? Notification.permission : 'denied';

/** The page asks for changes while it is visible alone: told is a host who works in another window beside it. */
export function NotifyMe() {
  const t = strings.live;
  const [asked, setAsked] = useState(false);
  const isOn = permission() === 'granted';
  const ask = async (): Promise<void> => {
    if ('Notification' in window) await Notification.requestPermission();
    setAsked(true);
  };
  return (
    <div className="notify">
      <Button aria-pressed={isOn} onClick={() => void ask()}>
        {t.notifyMe}
      </Button>
      <span role="status" className="muted small">
        {asked && (isOn ? t.notified : t.notAllowed)}
      </span>
    </div>
  );
}

/** Shows it, where the person has allowed that. */
export function notify(message: string): void {
  if (permission() !== 'granted') return;
  const options = { body: message, tag: 'hourkeep', icon: 'icon-192.png' };
  try {
    const shown = new Notification('Hourkeep', options);
    shown.addEventListener('click', () => window.focus());
  } catch {
    // On Android only a service worker can show one.
    void navigator.serviceWorker.ready.then((worker) => worker.showNotification('Hourkeep', options));
  }
}
