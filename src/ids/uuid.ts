import { randomUUIDv7 } from 'node:crypto';

/** Version 7: ids sort by creation time, which keeps their indexes dense. */
export function newId(): string {
  return randomUUIDv7();
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The canonical lower-case form, or undefined when the text is not a uuid. */
export function parseId(text: string): string | undefined {
  return UUID.test(text) ? text.toLowerCase() : undefined;
}
