/** More would run into the time limit of a statement, which counts from when it is sent. */
const ITEMS_PER_MESSAGE = 50;

/** Does the work for each item, in order. Statements of many items leave together: `work` calls them before it awaits anything. */
export async function inGroups<Item, Made>(
  items: readonly Item[],
  work: (item: Item) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  for (let from = 0; from < items.length; from += ITEMS_PER_MESSAGE)
    made.push(...(await Promise.all(items.slice(from, from + ITEMS_PER_MESSAGE).map(work))));
  return made;
}
