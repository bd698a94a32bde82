/** What had the focus last, and what had it last outside of dialogs and toasts: there the person goes on. */
let last: Element | undefined;
let opener: HTMLElement | undefined;

/** A focus that was on something that is gone is put where the person can go on. */
export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    last = target;
    if (target.closest('[role="dialog"], .toasts') === null) opener = target;
  });
  const lookAfter = (): void => {
    if (!isLost()) return;
    const dialog = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
    // At once: React Aria would put it on the dialog's first button, which closes it.
    if (dialog !== undefined) focusOn(dialog.querySelector<HTMLElement>(FIELDS) ?? dialog);
    // After React Aria has taken its dialog away.
    else requestAnimationFrame(() => isLost() && focusOn(placeToGoOn()));
  };
  new MutationObserver(lookAfter).observe(document.body, { childList: true, subtree: true });
}

/** After a sign-in, and on another screen, nothing of the one before is left. */
export function forgetOpener(): void {
  opener = undefined;
}

export function focusHeading(): void {
  focusOn(document.querySelector<HTMLElement>('main h1'));
}

const FIELDS = ':is(input, select, textarea):not([type="checkbox"], [tabindex="-1"])';

const isLost = (): boolean => last?.isConnected === false && document.activeElement === document.body;

/** None while a screen is being loaded: then the next change is looked at. */
function placeToGoOn(): HTMLElement | null {
  if (opener?.isConnected === true) return opener;
  const cell = document.querySelector<HTMLElement>('[role="grid"] td[tabindex="0"]');
  return (opener && cell) ?? document.querySelector<HTMLElement>('main h1');
}

function focusOn(element: HTMLElement | null): void {
  if (element === null) return;
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus();
}
