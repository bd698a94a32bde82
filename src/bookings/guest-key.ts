/**
 * An address as we compare it: lower case and without a plus-tag, since Ada+spring@example.com reads the
 * same letterbox as ada@example.com.
 */
export function guestKey(email: string): string {
  const lower = email.trim().toLowerCase();
  const at = lower.lastIndexOf('@');
  const local = lower.slice(0, at);
  const plus = local.indexOf('+');
  return (plus > 0 ? local.slice(0, plus) : local) + lower.slice(at);
}
