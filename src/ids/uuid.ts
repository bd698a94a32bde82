import { randomFillSync } from 'node:crypto';

/**
 * Version 7: ids sort by creation time, which keeps their indexes dense. The 12 bits behind the millisecond
 * count, so that ids of one process sort even within it (Node's own are in random order there).
 */
export function newId(): string {
  const now = Date.now();
  if (now > lastMs) startMillisecond(now);
  else if (++counter > 0xfff) startMillisecond(lastMs + 1);
  const count = (0x7000 + counter).toString(16);
  return timePart + count + randomPart();
}

let lastMs = 0;
let counter = 0;
let timePart = '';

function startMillisecond(ms: number): void {
  lastMs = ms;
  counter = 0;
  const time = ms.toString(16).padStart(12, '0');
  timePart = `${time.slice(0, 8)}-${time.slice(8)}-`;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const random = new Uint8Array(4096);
let used = random.length;

/** The last 64 bits: two that say which kind of uuid this is, and 62 that are random. */
function randomPart(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  let text = `-${HEX[0x80 | (random[used++]! & 0x3f)]}${HEX[random[used++]!]}-`;
  for (let i = 0; i < 6; i++) text += HEX[random[used++]!];
  return text;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The canonical lower-case form, or undefined when the text is not a uuid. */
export function parseId(text: string): string | undefined {
  return UUID.test(text) ? text.toLowerCase() : undefined;
}
