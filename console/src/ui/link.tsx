import type { ComponentProps, MouseEvent } from 'react';
import { go } from '../router.ts';
import { askBeforeLeaving } from '../secrets.ts';

/** To another place of the console, without loading the page anew. */
export function Link({
  href,
  onFollow,
  ...rest
}: Omit<ComponentProps<'a'>, 'onClick'> & { href: string; onFollow?: () => void }) {
  const follow = (event: MouseEvent): void => {
    // A new tab or window is the browser's to open.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    askBeforeLeaving(() => {
      onFollow?.();
      go(href);
    });
  };
  return <a {...rest} href={href} onClick={follow} />;
}
