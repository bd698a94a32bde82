import type { ComponentProps } from 'react';

/** Does something by itself; the one that sends a form is part of `Form`. */
export function Button({
  kind = '',
  busy,
  ...props
}: Omit<ComponentProps<'button'>, 'type' | 'className'> & {
  kind?: '' | 'primary' | 'danger';
  busy?: boolean;
}) {
  return <button {...props} type="button" className={`button ${kind}`} aria-busy={busy} />;
}
