import { useEffect, useMemo, useRef } from 'react';
import { createStore, useStore } from './store.ts';

export const SCREENS = ['today', 'calendar', 'bookings', 'money', 'spaces', 'webhooks', 'keys'] as const;
export type Screen = (typeof SCREENS)[number];

interface Place {
  screen: Screen | undefined;
  query: URLSearchParams;
}

/** Ends in a slash; the service writes it into the page. */
const root = new URL('.', document.baseURI);
const address = createStore(location.href);
window.addEventListener('popstate', arrive);

/** Where the API takes the console's session instead of a key. */
export const apiUrl = new URL('api', root).href;
/** Services under other base paths share the browser's storage: names in it end in this. */
export const consolePath = root.pathname;

export function usePlace(): Place {
  const href = useStore(address);
  return useMemo(() => placeOf(new URL(href)), [href]);
}

export function hrefOf(screen: Screen, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `${root.pathname}${screen}${search === '' ? '' : `?${search}`}`;
}

export function go(href: string, options: { replace?: boolean } = {}): void {
  if (leaving) {
    afterwards = () => go(href, options);
    return;
  }
  const before = placeOf(new URL(location.href)).screen;
  if (options.replace === true || isDialog()) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  address.set(location.href);
  if (placeOf(new URL(location.href)).screen !== before) window.scrollTo(0, 0);
}

// While a dialog is open there is an entry more in the history, with the same address: Back closes the dialog and stays.

const dialogs: (() => void)[] = [];
/** The entry of a dialog that was closed by itself is being left; where to go then. */
let leaving = false;
let afterwards: (() => void) | undefined;

const isDialog = (): boolean => (history.state as { dialog?: boolean } | null)?.dialog === true;
const enterDialog = (): void => history.pushState({ dialog: true }, '', location.href);

export function useClosedByBack(close: () => void): void {
  const latest = useRef(close);
  useEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    const closeIt = (): void => latest.current();
    dialogs.push(closeIt);
    if (!isDialog()) enterDialog();
    return () => {
      dialogs.splice(dialogs.indexOf(closeIt), 1);
      // Not at once: another dialog may take its place.
      setTimeout(() => {
        if (dialogs.length > 0 || !isDialog() || leaving) return;
        leaving = true;
        history.back();
      });
    };
  }, []);
}

// A reload closes the dialog.
if (isDialog()) history.replaceState(null, '', location.href);

function arrive(): void {
  const wasLeaving = leaving;
  leaving = false;
  if (isDialog()) {
    // Forward, to a dialog that is closed.
    if (dialogs.length === 0) history.replaceState(null, '', location.href);
  } else if (!wasLeaving && dialogs.length > 0) {
    dialogs.at(-1)!();
    // One that must not be closed yet, or stood on another: the next Back is for it.
    setTimeout(() => {
      if (dialogs.length > 0 && !isDialog()) enterDialog();
    }, 100);
  }
  address.set(location.href);
  const next = afterwards;
  afterwards = undefined;
  next?.();
}

function placeOf(url: URL): Place {
  const name = url.pathname.slice(root.pathname.length).replace(/\/+$/, '');
  const screen = name === '' ? 'today' : SCREENS.find((known) => known === name);
  return { screen, query: url.searchParams };
}
