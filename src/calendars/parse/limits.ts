/**
 * What a calendar may cost. The largest calendars of real life stay far below each; what goes beyond any of
 * them is refused as a whole, and the hours of the last good import stay.
 */
export const MAX_BYTES = 5 * 1024 * 1024;
export const MAX_EVENTS = 50_000;
export const MAX_TIMEZONES = 200;
export const MAX_DEPTH = 8;
/** Of a line that matters here, such as a list of exceptions; other lines may be of any length. */
export const MAX_LINE_LENGTH = 256 * 1024;
/** Of all rules together. ical.js makes 60 000 to 100 000 a second. */
export const MAX_OCCURRENCES = 100_000;

/** Why a calendar cannot be used, in words for the operator; never with anything from inside it. */
export class Unreadable extends Error {}
