import { setTimeout } from 'node:timers/promises';

/** The shortest wait a timer offers: twice as long as a page takes, so that long reads use a third of a core at most. */
const PAUSE_MS = 1;

let last: Promise<unknown> = Promise.resolve();

/**
 * Awaited between two parts of a long read, so that other requests are served in between. Long reads of one process
 * take turns: a hundred of them slow others down no more than one does.
 */
export function letOthersGo(): Promise<unknown> {
  last = last.then(() => setTimeout(PAUSE_MS));
  return last;
}

/** All rows, read page by page: the next ones after the last one of the page before, until a page is not full. */
export async function inPages<Row>(
  size: number,
  readAfter: (last: Row | undefined) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = await readAfter(rows.at(-1));
    rows.push(...page);
    if (page.length < size) return rows;
    await letOthersGo();
  }
}

/** What the work makes of each slice of the items. */
export async function inSlices<Item, Made>(
  items: readonly Item[],
  size: number,
  work: (slice: readonly Item[]) => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await letOthersGo();
    made.push(work(items.slice(start, start + size)));
  }
  return made;
}
