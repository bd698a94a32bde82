/** An IANA timezone this runtime knows, in capitals and small letters as IANA has it; offsets such as `+09:00` are no names. */
export function findTimezone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return Temporal.Now.zonedDateTimeISO(name).timeZoneId;
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
