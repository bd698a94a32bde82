import { type Tx, inGroups } from '../db/database.ts';
import * as sql from './sql.ts';

/** An external calendar's hours of a space, as 24-bit masks by date: bit n is hour n. */
export type HourMasks = ReadonlyMap<string, number>;

export type ExternalChange = Awaited<ReturnType<typeof replaceExternal>>;

/**
 * Replaces the hours of one calendar within a range of dates, and returns what changed. With `onlyAdd` no hour is
 * freed.
 */
export async function replaceExternal(
  tx: Tx,
  calendar: { readonly id: string; readonly hostId: string; readonly spaceId: string },
  range: { readonly from: string; readonly to: string },
  wanted: HourMasks,
  onlyAdd = false,
) {
  const key = [calendar.hostId, calendar.spaceId, calendar.id];
  const before = toMasks(await tx.all(sql.selectExternalMasks, [...key, range.from, range.to]));
  const differences = [...new Set([...before.keys(), ...wanted.keys()])]
    .sort()
    .map((date) => {
      const [old, now] = [before.get(date) ?? 0, wanted.get(date) ?? 0];
      return { date, added: now & ~old, freed: onlyAdd ? 0 : old & ~now };
    })
    .filter(({ added, freed }) => (added | freed) !== 0);
  const [first, last] = [differences[0], differences.at(-1)];
  if (first === undefined || last === undefined) return { added: 0, freed: 0, changed: [], overlapped: [] };

  await inGroups(differences, ({ date, added, freed }) =>
    Promise.all([
      ...(added === 0 ? [] : [tx.run(sql.insertExternalHours, [...key, date, added])]),
      ...(freed === 0 ? [] : [tx.run(sql.deleteExternalHours, [...key, date, freed])]),
    ]),
  );
  // Looked at after writing: a booking that was quicker is seen.
  const [held, others] = await Promise.all([
    tx.all(sql.selectHolders, [calendar.hostId, calendar.spaceId, first.date, last.date]),
    tx.all(sql.selectOtherMasks, [...key, first.date, last.date]),
  ]);
  const heldMasks = new Map<string, number>();
  const overlapped = new Map<string, { booking_id: string; date: string; hours: number[] }>();
  const addedOn = new Map(differences.map(({ date, added }) => [date, added]));
  for (const { date, hour, booking_id } of held) {
    heldMasks.set(date, (heldMasks.get(date) ?? 0) | (1 << hour));
    if (booking_id === null || ((addedOn.get(date) ?? 0) & (1 << hour)) === 0) continue;
    overlapped.getOrInsertComputed(booking_id, () => ({ booking_id, date, hours: [] })).hours.push(hour);
  }
  const otherMasks = toMasks(others);
  return {
    added: count(differences.map(({ added }) => added)),
    freed: count(differences.map(({ freed }) => freed)),
    /** Hours that became busy or free. Those that something else holds too are left out: they did not change. */
    changed: differences
      .map(({ date, added, freed }) => {
        const alsoHeld = (heldMasks.get(date) ?? 0) | (otherMasks.get(date) ?? 0);
        return { date, hours: hoursIn((added | freed) & ~alsoHeld) };
      })
      .filter(({ hours }) => hours.length > 0),
    /** Bookings whose hours the calendar calls busy since this import. They stay. */
    overlapped: [...overlapped.values()],
  };
}

export function hoursIn(mask: number): number[] {
  return Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => (mask & (1 << hour)) !== 0);
}

export function toMasks(rows: readonly sql.MaskRow[]): Map<string, number> {
  return new Map(rows.map(({ date, mask }) => [date, mask]));
}

function count(masks: readonly number[]): number {
  return masks.reduce((sum, mask) => sum + hoursIn(mask).length, 0);
}
