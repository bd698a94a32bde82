/** The fewest items that still fail, as far as leaving out parts finds them: halves, quarters, …, single ones. Keeps their order. */
export async function shrink<Item>(
  items: readonly Item[],
  fails: (items: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let left = items;
  for (let size = Math.ceil(left.length / 2); ; size = Math.ceil(size / 2)) {
    let wasShorter = true;
    while (wasShorter) {
      wasShorter = false;
      // From the end: later items depend on earlier ones, not the other way round.
      for (let end = left.length; end > 0; end -= size) {
        const without = [...left.slice(0, Math.max(0, end - size)), ...left.slice(end)];
        if (without.length === left.length || !(await fails(without))) continue;
        left = without;
        wasShorter = true;
      }
      if (size > 1) break;
    }
    if (size <= 1) return left;
  }
}
