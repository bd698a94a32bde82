import { useMemo } from 'react';
import { createStore, useStore } from './store.ts';

export const SCREENS = ['today', 'calendar', 'bookings', 'money', 'spaces', 'webhooks'] as const;
export type Screen = (typeof SCREENS)[number];

interface Place {
  screen: Screen | undefined;
  query: URLSearchParams;
}

/** Ends in a slash; the service writes it into the page. */
const root = new URL('.', document.baseURI);
const address = createStore(location.href);
window.addEventListener('popstate', () => address.set(location.href));

/** Where the API is: beside the console. */
export const apiUrl = new URL('..', root).href;

export function usePlace(): Place {
  const href = useStore(address);
  return useMemo(() => placeOf(new URL(href)), [href]);
}

export function hrefOf(screen: Screen, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `${root.pathname}${screen}${search === '' ? '' : `?${search}`}`;
}

export function go(href: string, options: { replace?: boolean } = {}): void {
  if (options.replace === true) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  address.set(location.href);
}

function placeOf(url: URL): Place {
  const name = url.pathname.slice(root.pathname.length).replace(/\/+$/, '');
  const screen = name === '' ? 'today' : SCREENS.find((known) => known === name);
  return { screen, query: url.searchParams };
}
