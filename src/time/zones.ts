/** The IANA spelling of a timezone's name; undefined if there is no such name. Offsets such as `+09:00` are no names. */
export function findTimezone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId;
  } catch {
    return undefined;
  }
}

export function isTimezone(name: string): boolean {
  return findTimezone(name) !== undefined;
}

/** The calendar date on the wall clock of a timezone. */
export function localDate(timezone: string, epochMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(epochMs)
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .toString();
}
