import type { ComponentProps, MouseEvent } from 'react';
import { go } from '../router.ts';
import { askBeforeLeaving } from '../secrets.ts';

/** To another place of the console, without loading the page anew. */
export function Link({ href, ...rest }: Omit<ComponentProps<'a'>, 'onClick'> & { href: string }) {
  const follow = (event: MouseEvent): void => {
    // A new tab or window is the browser's to open.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    askBeforeLeaving(() => go(href));
  };
  return <a {...rest} href={href} onClick={follow} />;
}
