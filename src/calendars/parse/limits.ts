/**
 * What a calendar may cost. The largest calendars of real life stay far below each. Size, events, zones and
 * nesting refuse a calendar as a whole, and the hours of the last good import stay; a rule that costs too much
 * is left out by itself.
 */
export const MAX_BYTES = 5 * 1024 * 1024;
export const MAX_EVENTS = 50_000;
export const MAX_TIMEZONES = 200;
export const MAX_DEPTH = 8;
/** Characters of a line that is read, such as a list of exceptions. Lines that are not read may be of any length. */
export const MAX_LINE_LENGTH = 256 * 1024;

/** Why a calendar cannot be used, in words for the operator; never with anything from inside it. */
export class Unreadable extends Error {}

/** Why a line of a calendar, or a part of it, cannot be used; the message names it and quotes nothing. */
export class NotUnderstood extends Error {}
